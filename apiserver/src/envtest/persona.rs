//! By which name the program was started.

use std::ffi::OsStr;
use std::path::Path;

/// As what the program was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Persona {
    /// As itself.
    #[default]
    Own,
    /// In the place of kube-apiserver: for a test that starts it, has it keep nothing, and expects
    /// no controllers.
    KubeApiserver,
    /// In the place of etcd: it only says that it is well.
    Etcd,
}

impl Persona {
    /// The names that stand for something.
    pub const NAMES: [(&'static str, Self); 2] =
        [("kube-apiserver", Self::KubeApiserver), ("etcd", Self::Etcd)];

    /// As what a program of this name, which may be a path, is started.
    #[must_use]
    pub fn of(program: &OsStr) -> Self {
        let name = Path::new(program).file_stem().unwrap_or_default();
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map_or(Self::Own, |(_, persona)| persona)
    }

    /// The default of a flag, where it differs from the usual one.
    #[must_use]
    pub fn default(self, flag: &str) -> Option<&'static str> {
        match (self, flag) {
            (Self::KubeApiserver, "storage-backend") => Some("memory"),
            // Where only kube-apiserver runs there are none, and tests do their work by hand.
            (Self::KubeApiserver, "controllers") => Some("-namespace-controller"),
            _ => None,
        }
    }

    /// Whether it ends when the process that started it does.
    #[must_use]
    pub fn ends_with_parent(self) -> bool {
        self != Self::Own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_whatever_folder_it_lies_in() {
        for (name, expected) in [
            ("apiserver", Persona::Own),
            ("/assets/kube-apiserver", Persona::KubeApiserver),
            ("etcd", Persona::Etcd),
            ("/etcd/apiserver", Persona::Own),
            ("", Persona::Own),
        ] {
            assert_eq!(Persona::of(OsStr::new(name)), expected, "{name}");
        }
    }
}
