//! Takes changes of the file into use while the server runs (spec: apimachinery 5.1).

use std::path::{Path, PathBuf};

use auth::authenticate::Anonymous;

use super::{AuthenticationConfig, Issuers, limits};
use crate::config_file;

/// The file, and what must stay as it was at the start.
#[derive(Debug, Clone)]
pub(crate) struct Reload {
    /// The file.
    pub(crate) path: PathBuf,
    /// The issuers of service account tokens.
    pub(crate) disallowed: Vec<String>,
    /// What the file said about anonymous requests.
    pub(crate) anonymous: Option<Anonymous>,
    /// What was in the file.
    pub(crate) text: Vec<u8>,
}

impl Issuers {
    /// Looks at the file again and again. What is wrong with a new one is logged once, and the old
    /// one stays in use.
    pub(crate) async fn keep_reloading(&self, mut reload: Reload) {
        loop {
            tokio::time::sleep(limits::RELOAD_INTERVAL).await;
            let Some(text) = read(&reload.path).await else { continue };
            if text == reload.text {
                continue;
            }
            match reload.configuration(&text) {
                Err(why) => tracing::error!(why, "the authentication configuration is not used"),
                Ok(config) => {
                    if let Err(why) = self.replace(config.issuers).await {
                        tracing::error!(why, "the authentication configuration is not used yet");
                        continue;
                    }
                    tracing::info!("reloaded the authentication configuration");
                }
            }
            reload.text = text;
        }
    }
}

impl Reload {
    fn configuration(&self, text: &[u8]) -> Result<AuthenticationConfig, String> {
        let config = AuthenticationConfig::from_text(text, &self.path, &self.disallowed)
            .map_err(|error| error.to_string())?;
        if config.anonymous != self.anonymous {
            return Err("anonymous: Forbidden: changed from initial configuration file".to_owned());
        }
        Ok(config)
    }
}

/// What is in the file; nothing if it cannot be read now, as while it is being replaced.
async fn read(path: &Path) -> Option<Vec<u8>> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || config_file::read(&path)).await.ok()?.ok()
}
