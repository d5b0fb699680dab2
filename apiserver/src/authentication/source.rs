//! Where an issuer's keys come from.

use std::path::PathBuf;

use auth::authenticate::jwt::{KeySet, KeySetError};
use serde::Deserialize;
use validation::text::go_quote;

use super::config::IssuerConfig;
use super::https::{HttpsClient, HttpsError};

/// Keys that cannot be had now.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error("{url}: {source}")]
    Fetch { url: String, source: HttpsError },
    #[error("{0}")]
    Client(HttpsError),
    #[error("{path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("oidc: failed to decode provider discovery object: {0}")]
    Discovery(serde_json::Error),
    #[error(
        "oidc: issuer did not match the issuer returned by provider, expected {} got {}",
        go_quote(expected),
        go_quote(found)
    )]
    OtherIssuer { expected: String, found: String },
    #[error(transparent)]
    Keys(#[from] KeySetError),
}

/// Where keys come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A file with a key set.
    File(PathBuf),
    /// The issuer, whose discovery document says where its key set is.
    Issuer { url: String, discovery_url: String, authority: Option<String> },
}

impl Source {
    /// The source of an issuer: the file named for it, else itself.
    pub(super) fn new(config: &IssuerConfig, files: &[(String, PathBuf)]) -> Self {
        let url = &config.issuer.url;
        match files.iter().find(|(issuer, _)| issuer == url) {
            Some((_, path)) => Self::File(path.clone()),
            None => Self::Issuer {
                url: url.clone(),
                discovery_url: config.discovery_url.clone(),
                authority: config.certificate_authority.clone(),
            },
        }
    }

    pub(super) async fn fetch(&self) -> Result<KeySet, SourceError> {
        let text = match self {
            Self::File(path) => tokio::fs::read(path)
                .await
                .map_err(|source| SourceError::File { path: path.display().to_string(), source })?,
            Self::Issuer { url, discovery_url, authority } => {
                discovered(url, discovery_url, authority.as_deref()).await?
            }
        };
        Ok(KeySet::from_json(&text)?)
    }
}

async fn discovered(
    issuer: &str,
    discovery_url: &str,
    authority: Option<&str>,
) -> Result<Vec<u8>, SourceError> {
    #[derive(Deserialize)]
    struct Document {
        issuer: String,
        jwks_uri: String,
    }
    let client = HttpsClient::new(authority).await.map_err(SourceError::Client)?;
    let get = async |url: &str| {
        let fetched = client.get(url).await;
        fetched.map_err(|source| SourceError::Fetch { url: url.to_owned(), source })
    };
    let document = get(discovery_url).await?;
    let document: Document = serde_json::from_slice(&document).map_err(SourceError::Discovery)?;
    if document.issuer != issuer {
        return Err(SourceError::OtherIssuer {
            expected: issuer.to_owned(),
            found: document.issuer,
        });
    }
    Ok(get(&document.jwks_uri).await?.to_vec())
}
