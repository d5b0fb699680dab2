//! The issuers that are trusted now.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use auth::authenticate::jwt::{ExternalTokens, JwtTokens};

use super::config::IssuerConfig;
use super::limits;
use super::refresh::Refresher;
use super::source::Source;

/// The issuers that are trusted now, and the fetching of their keys.
pub struct Issuers {
    tokens: ExternalTokens,
    running: ArcSwap<Vec<Running>>,
    /// Key sets in files, by issuer.
    files: Vec<(String, PathBuf)>,
}

struct Running {
    config: IssuerConfig,
    refresher: Refresher,
}

impl Issuers {
    /// Trusts issuers, and starts to fetch their keys. Keys of those that `files` names come from
    /// there.
    #[must_use]
    pub fn start(
        configs: Vec<IssuerConfig>,
        files: Vec<(String, PathBuf)>,
        api_audiences: Vec<String>,
    ) -> Self {
        let issuers =
            Self { tokens: ExternalTokens::new(api_audiences), running: ArcSwap::default(), files };
        issuers.put_in_place(issuers.run(configs));
        issuers
    }

    /// What tells users by the issuers' tokens.
    #[must_use]
    pub fn tokens(&self) -> ExternalTokens {
        self.tokens.clone()
    }

    /// Trusts other issuers, once all of them gave their keys.
    ///
    /// # Errors
    ///
    /// If that takes too long; then everything stays as it is.
    pub(super) async fn replace(&self, configs: Vec<IssuerConfig>) -> Result<(), &'static str> {
        let running = self.run(configs);
        let ready = async {
            for issuer in &running {
                issuer.refresher.ready().await;
            }
        };
        tokio::time::timeout(limits::RELOAD_MAX, ready)
            .await
            .map_err(|_| "not every issuer gave its keys in time")?;
        self.put_in_place(running);
        Ok(())
    }

    /// Has an issuer's keys fetched unless that was just done, and waits for them, at most for
    /// [`limits::CATCH_UP_MAX`]. Whether there is reason to judge the token again.
    pub async fn catch_up(&self, issuer: &str) -> bool {
        let running = self.running.load_full();
        match running.iter().find(|running| running.config.issuer.url == issuer) {
            Some(running) => running.refresher.catch_up().await,
            None => false,
        }
    }

    fn run(&self, configs: Vec<IssuerConfig>) -> Vec<Running> {
        let run = |config: IssuerConfig| {
            let source = Source::new(&config, &self.files);
            let refresher = Refresher::start(config.issuer.url.clone(), source);
            Running { config, refresher }
        };
        configs.into_iter().map(run).collect()
    }

    fn put_in_place(&self, running: Vec<Running>) {
        let tokens = |running: &Running| JwtTokens {
            issuer: running.config.issuer.clone(),
            keys: Arc::clone(&running.refresher.keys),
        };
        self.tokens.replace(running.iter().map(tokens).collect());
        self.running.store(Arc::new(running));
    }
}
