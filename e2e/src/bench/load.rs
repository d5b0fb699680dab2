//! Load: connections that each send one request after the other, for a while.

use std::io::BufReader;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::common::{FLOW_SCHEMAS, call, create_settled, flow_schema, user, version};
use crate::case::{Body, Call};
use crate::clock::{Deadline, now};
use crate::error::Error;
use crate::http::{Connection, Timeouts, read_response};
use crate::target::{Target, send};

/// How long one request may take, in seconds.
const REQUEST_SECONDS: u64 = 60;

/// The object that is applied again and again.
const APPLIED: &str = "bench-applied";

/// What is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Get,
    List,
    /// Applies an object as it is.
    Apply,
    Create,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Load {
    /// What was sent.
    pub name: &'static str,
    /// Requests that were answered as expected, per second.
    pub per_second: f64,
    /// Their latencies, shortest first.
    pub latencies: Vec<Duration>,
}

impl Kind {
    /// In the order in which they are sent: what adds objects comes last.
    pub(super) const ALL: [Self; 4] = [Self::Get, Self::List, Self::Apply, Self::Create];

    fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::List => "LIST",
            Self::Apply => "APPLY, no change",
            Self::Create => "CREATE, durable",
        }
    }

    fn expected(self) -> u16 {
        if self == Self::Create { 201 } else { 200 }
    }

    fn call(self, number: u64) -> Call {
        let call = match self {
            Self::Get => Call::of("GET", format!("{FLOW_SCHEMAS}/global-default")),
            Self::List => Call::of("GET", FLOW_SCHEMAS),
            Self::Apply => apply(),
            Self::Create => {
                let schema = flow_schema(&format!("bench-{number}"));
                Call::of("POST", FLOW_SCHEMAS).with_body(Body::Json(schema))
            }
        };
        call.sent_by(user())
    }
}

fn apply() -> Call {
    Call::of("PATCH", format!("{FLOW_SCHEMAS}/{APPLIED}?fieldManager=bench"))
        .with_header("Content-Type", "application/apply-patch+yaml")
        .with_body(Body::Json(flow_schema(APPLIED)))
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
enum End {
    After(Duration),
    /// So many requests in all.
    At(u64),
}

/// Sends requests of one kind over so many connections for so long.
pub(super) fn run(
    target: &Target,
    kind: Kind,
    connections: usize,
    wait: Duration,
) -> Result<Load, Error> {
    if kind != Kind::Apply {
        return send_until(target, kind, connections, End::After(wait));
    }
    create_settled(target, APPLIED)?;
    let before = version(&call(target, &apply())?);
    let load = send_until(target, kind, connections, End::After(wait))?;
    let after = version(&call(target, &apply())?);
    if before == after {
        Ok(load)
    } else {
        Err(Error::Http(format!("applies that change nothing wrote: {before:?} is {after:?}")))
    }
}

/// Sends so many requests of one kind over so many connections.
pub(super) fn run_to(
    target: &Target,
    kind: Kind,
    connections: usize,
    requests: usize,
) -> Result<Load, Error> {
    let requests = u64::try_from(requests).unwrap_or(u64::MAX);
    send_until(target, kind, connections, End::At(requests))
}

fn send_until(target: &Target, kind: Kind, connections: usize, end: End) -> Result<Load, Error> {
    let numbers = AtomicU64::new(0);
    let begin = now();
    let latencies = std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..connections).map(|_| scope.spawn(|| sender(target, kind, end, &numbers))).collect();
        let join = |sender: std::thread::ScopedJoinHandle<'_, _>| {
            sender.join().unwrap_or_else(|_| Err(Error::Http("a sender panicked".to_owned())))
        };
        senders.into_iter().map(join).collect::<Result<Vec<Vec<_>>, _>>()
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let mut latencies = latencies.concat();
    latencies.sort_unstable();
    let count = f64::from(u32::try_from(latencies.len()).unwrap_or(u32::MAX));
    Ok(Load { name: kind.name(), per_second: count / seconds, latencies })
}

fn sender(
    target: &Target,
    kind: Kind,
    end: End,
    numbers: &AtomicU64,
) -> Result<Vec<Duration>, Error> {
    let request_limit = Duration::from_secs(REQUEST_SECONDS);
    let connection = target.address.connect(Timeouts::of_seconds(REQUEST_SECONDS))?;
    let mut connection = BufReader::new(connection);
    let (deadline, requests) = match end {
        End::After(wait) => (Some(Deadline::after(wait)), u64::MAX),
        End::At(requests) => (None, requests),
    };
    let mut latencies = Vec::new();
    while !deadline.is_some_and(Deadline::passed) {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        if number >= requests {
            break;
        }
        let call = kind.call(number);
        let bytes = target.message(&call)?.to_bytes(&target.address);
        connection.get_mut().renew(request_limit);
        let begin = now();
        exchange(&mut connection, &call.method, &bytes, kind.expected())?;
        latencies.push(begin.elapsed());
    }
    Ok(latencies)
}

fn exchange(
    connection: &mut BufReader<Connection>,
    method: &str,
    bytes: &[u8],
    expected: u16,
) -> Result<(), Error> {
    send(connection.get_mut(), bytes)?;
    let answer = read_response(connection, method)?;
    if answer.head.status == expected {
        return Ok(());
    }
    let body = String::from_utf8_lossy(&answer.body);
    Err(Error::Http(format!("{} instead of {expected}: {body}", answer.head.status)))
}
