//! In the place of kube-apiserver and etcd: what tests find that start both by name, as envtest does.
//!
//! A folder of assets holds this program under their names (`apiserver envtest-assets`). Which name
//! it was started by decides what it is: see [`Persona`].

mod etcd;
mod parent;
mod persona;

pub use etcd::{Bound, Etcd};
pub use parent::Parent;
pub use persona::Persona;
