//! A stand-in for etcd: it takes etcd's flags, says that it is well, and keeps nothing, since the
//! server keeps its objects itself.

use std::ffi::OsString;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::connection::Shutdown;
use crate::options::Exit;

/// Where etcd listens if no flag says so.
const CLIENT_URL: &str = "http://localhost:2379";
/// The flag that tests look for in its help before they use it, and the one that counts.
const HELP: &str = "\
Usage: etcd [flags]

A stand-in that answers GET /health and keeps nothing. All flags of etcd are taken.

  --listen-client-urls 'http://localhost:2379'
    Where to answer.
  --unsafe-no-fsync 'false'
    Nothing is written, so nothing waits for a disk.
";

/// How the stand-in is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Etcd {
    /// `host:port`, at least one.
    listen: Vec<String>,
}

impl Etcd {
    /// Reads etcd's flags, without the program's name. What they mean to etcd does not matter here,
    /// so none is refused.
    ///
    /// # Errors
    ///
    /// [`Exit`] for `--help`, `--version`, and URLs on which it cannot listen.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Exit> {
        let mut urls = CLIENT_URL.to_owned();
        let mut arguments = arguments.into_iter().map(|argument| argument.to_string_lossy().into());
        while let Some(argument) = arguments.next() {
            let argument: String = argument;
            let flag = argument.trim_start_matches('-');
            match flag.split_once('=').unwrap_or((flag, "")) {
                ("help" | "h", _) => return Err(Exit::Success(HELP.to_owned())),
                ("version", _) => {
                    let version = crate::options::VERSION;
                    return Err(Exit::Success(format!("etcd stand-in of apiserver {version}\n")));
                }
                ("listen-client-urls", "") => urls = arguments.next().unwrap_or_default(),
                ("listen-client-urls", value) => value.clone_into(&mut urls),
                _ => {}
            }
        }
        let listen = urls.split(',').map(authority).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { listen })
    }
}

/// Host and port of a URL such as `http://127.0.0.1:2379`.
fn authority(url: &str) -> Result<String, Exit> {
    let uri = url.trim().parse::<http::Uri>().ok();
    let authority = uri.as_ref().and_then(http::Uri::authority).filter(|at| at.port().is_some());
    authority.map(ToString::to_string).ok_or_else(|| {
        let quoted = validation::text::go_quote(url);
        Exit::failure([format!("--listen-client-urls: {quoted} is not http://host:port")])
    })
}

/// The stand-in, listening.
pub struct Bound {
    listeners: Vec<TcpListener>,
}

impl Etcd {
    /// Listens wherever it is asked to.
    ///
    /// # Errors
    ///
    /// One line for people.
    pub async fn bind(&self) -> Result<Bound, String> {
        let mut listeners = Vec::new();
        for address in &self.listen {
            // Of the addresses that a name means, the first that is free will do.
            let listener = TcpListener::bind(address.as_str()).await;
            listeners.push(listener.map_err(|why| format!("cannot listen on {address}: {why}"))?);
        }
        Ok(Bound { listeners })
    }
}

impl Bound {
    /// Where it listens, with the ports that the system chose for port 0.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        let addresses = self.listeners.iter().filter_map(|listener| listener.local_addr().ok());
        addresses.map(|address| format!("http://{address}")).collect()
    }

    /// Answers until it is told to stop.
    pub async fn run(self, shutdown: Shutdown) {
        let router = Router::new().route(
            "/health",
            get(|| async {
                ([(CONTENT_TYPE, "application/json")], r#"{"health":"true","reason":""}"#)
            }),
        );
        let mut served = tokio::task::JoinSet::new();
        for listener in self.listeners {
            served.spawn(axum::serve(listener, router.clone()).into_future());
        }
        // Answers are so short that none needs to be waited for.
        shutdown.graceful.cancelled().await;
        served.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Etcd, Exit> {
        Etcd::parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn only_where_to_listen_counts() {
        let etcd = parse(&[
            "--data-dir=/d",
            "--listen-client-urls=http://127.0.0.1:1,http://[::1]:2",
            "--listen-peer-urls=http://127.0.0.1:3",
            "--unsafe-no-fsync=true",
            "--whatever",
        ]);
        assert_eq!(etcd.unwrap().listen, ["127.0.0.1:1", "[::1]:2"]);
        assert_eq!(parse(&["--listen-client-urls", "http://h:9"]).unwrap().listen, ["h:9"]);
        assert_eq!(parse(&[]).unwrap().listen, ["localhost:2379"]);
    }

    #[test]
    fn its_help_names_the_flag_that_tests_look_for() {
        let Err(Exit::Success(help)) = parse(&["--help"]) else { panic!("no help") };
        assert!(help.lines().any(|line| line.trim_start().starts_with("--unsafe-no-fsync")));
    }

    #[tokio::test]
    async fn it_tells_which_free_port_it_took() {
        let bound =
            parse(&["--listen-client-urls=http://127.0.0.1:0"]).unwrap().bind().await.unwrap();
        let [url] = &bound.urls()[..] else { panic!("{:?}", bound.urls()) };
        let port = url.strip_prefix("http://127.0.0.1:").unwrap();
        assert_ne!(port.parse::<u16>().unwrap(), 0);
    }

    #[test]
    fn a_url_without_a_port_is_refused() {
        assert!(matches!(parse(&["--listen-client-urls=unix://x"]), Err(Exit::Failure(_))));
    }
}
