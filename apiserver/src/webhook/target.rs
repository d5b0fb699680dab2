//! Whom a `clientConfig` names.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use serde_json::Value;

use super::Services;

/// Why a `clientConfig` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It names neither a URL nor a service, or names it in a wrong way.
    #[error("invalid webhook: {0}")]
    Target(String),
    /// The authorities cannot be read.
    #[error("invalid caBundle: {0}")]
    Authorities(String),
}

/// Where a webhook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    host: Host,
    port: u16,
    /// Begins with a slash, and is clean.
    path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Named(String),
    Service { namespace: String, name: String },
}

impl Target {
    pub(super) fn parse(client_config: &Value) -> Result<Self, ConfigError> {
        let wrong = |why: &str| ConfigError::Target(why.to_owned());
        if let Some(url) = client_config["url"].as_str() {
            let uri: Uri = url.parse().map_err(|_| wrong("the url cannot be parsed"))?;
            if uri.scheme_str() != Some("https") {
                return Err(wrong("the url is not one of https"));
            }
            let host = uri.host().ok_or_else(|| wrong("the url names no host"))?;
            let host = host.trim_start_matches('[').trim_end_matches(']');
            return Ok(Self {
                host: Host::Named(host.to_owned()),
                port: uri.port_u16().unwrap_or(443),
                path: cleaned(uri.path()),
            });
        }
        let service = &client_config["service"];
        let text = |member: &str| service[member].as_str().unwrap_or_default().to_owned();
        let (namespace, name) = (text("namespace"), text("name"));
        if namespace.is_empty() || name.is_empty() {
            return Err(wrong("neither a url nor a service is named"));
        }
        let port = service["port"].as_u64().unwrap_or(443);
        let path = text("path");
        Ok(Self {
            host: Host::Service { namespace, name },
            port: u16::try_from(port).map_err(|_| wrong("the port is none"))?,
            path: cleaned(&path),
        })
    }

    /// The name that the webhook's certificate must be for.
    fn host(&self) -> String {
        match &self.host {
            Host::Named(host) => host.clone(),
            Host::Service { namespace, name } => format!("{name}.{namespace}.svc"),
        }
    }

    pub(super) fn server_name(&self) -> Result<ServerName<'static>, String> {
        ServerName::try_from(self.host()).map_err(|error| error.to_string())
    }

    /// Host and port, as the header `Host` has them.
    pub(super) fn authority(&self) -> String {
        let host = self.host();
        if host.contains(':') {
            format!("[{host}]:{}", self.port)
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// Where to connect to.
    pub(super) fn address(&self, services: &dyn Services) -> Result<String, String> {
        match &self.host {
            Host::Named(_) => Ok(self.authority()),
            Host::Service { namespace, name } => services.address(namespace, name, self.port),
        }
    }

    pub(super) fn path_and_query(&self, timeout_seconds: u64) -> String {
        let mut text = self.path.clone();
        // Writing to text cannot fail.
        let _written = write!(text, "?timeout={timeout_seconds}s");
        text
    }

    pub(super) fn url(&self, timeout_seconds: u64) -> String {
        format!("https://{}{}", self.authority(), self.path_and_query(timeout_seconds))
    }
}

/// The authorities of the `caBundle`; none if there is none.
pub(super) fn authorities(
    client_config: &Value,
) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let Some(bundle) = client_config["caBundle"].as_str() else { return Ok(Vec::new()) };
    let pem = STANDARD.decode(bundle).map_err(|e| ConfigError::Authorities(e.to_string()))?;
    CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|error| ConfigError::Authorities(error.to_string()))
}

/// The path without empty steps, as Kubernetes asks for it: envtest writes two slashes, which would be
/// answered by a redirect.
fn cleaned(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::webhook::testing::NoServices;

    struct OneService;

    impl Services for OneService {
        fn address(&self, namespace: &str, name: &str, port: u16) -> Result<String, String> {
            match (namespace, name) {
                ("ns", "hooks") => Ok(format!("10.0.0.7:{port}")),
                _ => Err("no such service".to_owned()),
            }
        }
    }

    #[test]
    fn a_url_says_where_a_webhook_is() {
        let target = Target::parse(&json!({ "url": "https://[::1]:8443/a/b" })).unwrap();
        assert_eq!(target.url(30), "https://[::1]:8443/a/b?timeout=30s");
        assert_eq!(target.address(&NoServices).unwrap(), "[::1]:8443");
        assert!(Target::parse(&json!({ "url": "http://a/b" })).is_err());
        assert!(Target::parse(&json!({})).is_err());
    }

    #[test]
    fn a_service_has_its_own_name_and_the_address_of_the_cluster() {
        let service = json!({ "namespace": "ns", "name": "hooks", "path": "convert" });
        let target = Target::parse(&json!({ "service": service })).unwrap();
        assert_eq!(target.url(30), "https://hooks.ns.svc:443/convert?timeout=30s");
        assert_eq!(target.address(&OneService).unwrap(), "10.0.0.7:443");
        assert_eq!(target.address(&NoServices).unwrap_err(), "service \"hooks\" not found");
    }

    #[test]
    fn paths_are_asked_for_without_empty_steps() {
        let path = |url: &str| Target::parse(&json!({ "url": url })).unwrap().path;
        assert_eq!(path("https://h:1//failing"), "/failing");
        assert_eq!(path("https://h/a/./b/../c/"), "/a/c");
        assert_eq!(path("https://h"), "/");
    }
}
