//! What can go wrong while replaying.

use std::path::PathBuf;

/// Why a step, a file or a server could not be dealt with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A socket or a pipe.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// What came over the wire is not HTTP/1.1, or ends too early.
    #[error("not a complete HTTP answer: {0}")]
    Http(String),
    /// A case file is not what it should be.
    #[error("{place}: {why}")]
    Case {
        /// File, case and step, as far as known.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A step uses a `${name}` that no step captured.
    #[error("no value was captured for ${{{0}}}")]
    Variable(String),
    /// A step is sent as somebody whose token is not known.
    #[error("no token for user {0}")]
    Token(String),
    /// A step names a stream that no step opened.
    #[error("no stream named {0} is open")]
    Stream(String),
    /// `--server` or the server's ready line holds no usable address.
    #[error("{0} does not look like https://host:port")]
    Address(String),
    /// A program cannot be run, or does not do what it should.
    #[error("{program}: {why}")]
    Program {
        /// Which one.
        program: String,
        /// What happened; may have several lines.
        why: String,
    },
    /// A line of the ratchet file cannot be read.
    #[error("not-yet-passing.txt:{line}: {why}")]
    Ratchet {
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

impl Error {
    /// An [`Error::Io`] for `map_err`.
    pub(crate) fn io(doing: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    /// An [`Error::File`] for `map_err`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// An [`Error::Program`].
    pub(crate) fn program(program: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Program { program: program.into(), why: why.into() }
    }
}
