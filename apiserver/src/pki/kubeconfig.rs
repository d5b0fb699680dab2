//! The kubeconfig: one cluster, and a context for each made identity.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Error, Pair, store};

/// How a user shows who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// By a client certificate.
    Certificate(Pair),
    /// By a bearer token.
    Token(String),
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kubeconfig {
    /// The server's address: `https://host:port`.
    pub server: String,
    /// The certificate that signs the server's, in PEM.
    pub authority: String,
    /// The users, by name; the first one is current.
    pub users: Vec<(&'static str, Identity)>,
}

/// The cluster's name.
const CLUSTER: &str = "apiserver";

impl Kubeconfig {
    /// Writes the file, readable by its owner only.
    ///
    /// # Errors
    ///
    /// [`Error::File`]
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        store::write(path, &crate::codec::yaml::to_vec(&self.document()), 0o600)
    }

    fn document(&self) -> Value {
        let encode = |text: &str| STANDARD.encode(text);
        let user = |(name, identity): &(&str, Identity)| {
            let credentials = match identity {
                Identity::Certificate(pair) => json!({
                    "client-certificate-data": encode(&pair.certificate),
                    "client-key-data": encode(&pair.key),
                }),
                Identity::Token(token) => json!({ "token": token }),
            };
            json!({ "name": name, "user": credentials })
        };
        let context =
            |name: &str| json!({ "name": name, "context": { "cluster": CLUSTER, "user": name } });
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{
                "name": CLUSTER,
                "cluster": {
                    "server": self.server,
                    "certificate-authority-data": encode(&self.authority),
                },
            }],
            "users": self.users.iter().map(user).collect::<Vec<_>>(),
            "contexts": self.users.iter().map(|(name, _)| context(name)).collect::<Vec<_>>(),
            "current-context": self.users.first().map_or("", |(name, _)| name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_has_a_context_and_the_first_is_current() {
        let pair = Pair { certificate: "c".to_owned(), key: "k".to_owned() };
        let kubeconfig = Kubeconfig {
            server: "https://127.0.0.1:6443".to_owned(),
            authority: "a".to_owned(),
            users: vec![
                ("admin", Identity::Certificate(pair)),
                ("robot", Identity::Token("t".to_owned())),
            ],
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kubeconfig");
        kubeconfig.write(&path).unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read(&path).unwrap();
        let read = crate::codec::yaml::parse(&text).unwrap().into_value();
        assert_eq!(read["current-context"], "admin");
        assert_eq!(read["contexts"][1]["context"]["user"], "robot");
        assert_eq!(read["users"][1]["user"]["token"], "t");
        assert_eq!(read["clusters"][0]["cluster"]["certificate-authority-data"], "YQ==");
    }
}
