//! How many files and sockets the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit as far as the system lets this process, as programs in Go do by themselves:
/// shells often start with 1,024, and each connection is a descriptor. Returns the limit that holds
/// then, `None` where there is none.
pub fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return limit.current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files stays as it is");
            limit.current
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_as_high_as_it_may_be() {
        let raised = raise_limit();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!((limit.current, raised), (limit.maximum, limit.maximum));
        assert_eq!(raise_limit(), raised);
    }
}
