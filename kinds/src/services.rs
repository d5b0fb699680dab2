//! Which addresses and ports services get (spec: apimachinery 6.1). Pure: what is taken is an
//! argument, as is what chance has to say.

mod allocate;
mod range;

pub use allocate::{Free, Refused, addresses, allocate, node_ports};
pub use range::{Network, NodePorts, RangeError};
