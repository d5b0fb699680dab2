//! One writer, and many who watch.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use serde_json::json;

use super::Plan;
use super::common::{FLOW_SCHEMAS, call, create_settled, raise_descriptor_limit, user};
use super::contender::Program;
use super::report::megabytes;
use crate::case::{Body, Call};
use crate::clock::now;
use crate::error::Error;
use crate::http::{BodyReader, Connection, Timeouts, read_head};
use crate::target::{Target, send};

/// How long a watcher waits for its next event.
const EVENT_WAIT: Duration = Duration::from_secs(60);

/// After this an idle server has freed what connecting took.
const REST: Duration = Duration::from_secs(2);

/// Watchers are threads; this is plenty for one.
const STACK_BYTES: usize = 256 << 10;

/// What watchers read at a time.
const BUFFER_BYTES: usize = 16 << 10;

const NAME: &str = "bench-fan-out";

/// How fast many watchers are told of many changes. That each got each change once and in order was
/// checked.
#[derive(Debug, Clone)]
pub struct FanOut {
    watchers: usize,
    events: usize,
    /// From the first write to the last event at the last watcher.
    took: Duration,
    /// Until the last write was acknowledged.
    wrote: Duration,
    idle_kilobytes: u64,
    watched_kilobytes: u64,
    peak_kilobytes: u64,
}

impl FanOut {
    fn per_second(&self) -> f64 {
        let delivered = u32::try_from(self.watchers * self.events).unwrap_or(u32::MAX);
        f64::from(delivered) / self.took.as_secs_f64()
    }

    /// What a watch takes that nothing happens on, its connection with TLS included.
    fn kilobytes_per_watch(&self) -> f64 {
        let taken = self.watched_kilobytes.saturating_sub(self.idle_kilobytes);
        let watchers = f64::from(u32::try_from(self.watchers).unwrap_or(u32::MAX));
        f64::from(u32::try_from(taken).unwrap_or(u32::MAX)) / watchers
    }
}

impl fmt::Display for FanOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { watchers, events, .. } = self;
        let [took, wrote] = [self.took, self.wrote].map(|time| time.as_secs_f64());
        writeln!(f, "{events} events to each of {watchers} watchers, on a connection each")?;
        writeln!(f, "  all delivered, in order, after {took:.2} s; written after {wrote:.2} s")?;
        writeln!(f, "  delivered        {:.0} events per second", self.per_second())?;
        writeln!(f, "  idle watch       {:.1} kB, TLS included", self.kilobytes_per_watch())?;
        writeln!(f, "  memory, peak     {}", megabytes(self.peak_kilobytes))
    }
}

pub(super) fn measure(plan: &Plan) -> Result<FanOut, Error> {
    raise_descriptor_limit()?;
    let folder = tempfile::tempdir().map_err(Error::io("making a folder"))?;
    let running = Program::ours(plan).start(folder.path())?;
    running.wait_until_ready()?;
    let target = running.target();
    let version = create_settled(target, NAME)?;
    std::thread::sleep(REST);
    let idle_kilobytes = running.resident_kilobytes();
    std::thread::scope(|scope| {
        let (ready, watching) = sync_channel(plan.watchers);
        let mut watchers = Vec::new();
        for _ in 0..plan.watchers {
            let (ready, version) = (ready.clone(), &version);
            let watcher = std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || watch(target, version, plan.events, &ready))
                .map_err(Error::io("starting a watcher"))?;
            watchers.push(watcher);
        }
        drop(ready);
        all_watch(&watching, plan.watchers)?;
        std::thread::sleep(REST);
        let watched_kilobytes = running.resident_kilobytes();
        let begin = now();
        write(target, plan.events)?;
        let wrote = begin.elapsed();
        for watcher in watchers {
            watcher.join().unwrap_or_else(|_| Err(Error::Http("a watcher panicked".to_owned())))?;
        }
        Ok(FanOut {
            watchers: plan.watchers,
            events: plan.events,
            took: begin.elapsed(),
            wrote,
            idle_kilobytes,
            watched_kilobytes,
            peak_kilobytes: running.peak_kilobytes(),
        })
    })
}

fn all_watch(watching: &Receiver<()>, watchers: usize) -> Result<(), Error> {
    for number in 0..watchers {
        let failed = |_| Error::Http(format!("only {number} watches are open"));
        watching.recv_timeout(EVENT_WAIT).map_err(failed)?;
    }
    Ok(())
}

fn write(target: &Target, events: usize) -> Result<(), Error> {
    for number in 0..events {
        let patch = json!({ "metadata": { "annotations": { "number": number.to_string() } } });
        let patch = Call::of("PATCH", format!("{FLOW_SCHEMAS}/{NAME}"))
            .with_header("Content-Type", "application/merge-patch+json")
            .with_body(Body::Json(patch));
        call(target, &patch)?;
    }
    Ok(())
}

/// Watches from a version on until it has seen every event, each once and in order.
fn watch(
    target: &Target,
    version: &str,
    events: usize,
    ready: &SyncSender<()>,
) -> Result<(), Error> {
    let path = format!("{FLOW_SCHEMAS}?watch=1&resourceVersion={version}");
    let watch = Call::of("GET", path).sent_by(user());
    let timeouts = Timeouts { each: EVENT_WAIT, whole: None };
    let mut connection = target.address.connect(timeouts)?;
    send(&mut connection, &target.message(&watch)?.to_bytes(&target.address))?;
    let mut answer = BufReader::with_capacity(BUFFER_BYTES, connection);
    let head = read_head(&mut answer)?;
    if head.status != 200 {
        return Err(Error::Http(format!("{} instead of a watch", head.status)));
    }
    // Nobody listens any more where another watcher failed.
    let _sent = ready.send(());
    let body: BodyReader<BufReader<Connection>> = BodyReader::new(answer, &head, "GET")?;
    let mut lines = BufReader::with_capacity(BUFFER_BYTES, body);
    let mut line = Vec::new();
    for number in 0..events {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(Error::io("reading an event"))?;
        if !is_event(&line, number) {
            let line = String::from_utf8_lossy(&line);
            return Err(Error::Http(format!("instead of event {number} came {line:?}")));
        }
    }
    Ok(())
}

/// Whether a line is the change with this number. To parse all of them would measure the parser.
fn is_event(line: &[u8], number: usize) -> bool {
    let annotation = format!(r#""annotations":{{"number":"{number}"}}"#);
    line.starts_with(br#"{"type":"MODIFIED","#)
        && line.ends_with(b"\n")
        && line.windows(annotation.len()).any(|window| window == annotation.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_its_number() {
        let line = br#"{"type":"MODIFIED","object":{"metadata":{"annotations":{"number":"12"}}}}"#;
        let line = [line.as_slice(), b"\n"].concat();
        assert!(is_event(&line, 12));
        assert!(!is_event(&line, 1) && !is_event(&line, 2));
        assert!(!is_event(&line[..line.len() - 1], 12), "it was cut off");
    }

    #[test]
    fn figures_are_for_all_watchers_together_and_for_each() {
        let fan_out = FanOut {
            watchers: 10,
            events: 20,
            took: Duration::from_secs(2),
            wrote: Duration::from_millis(500),
            idle_kilobytes: 1_024,
            watched_kilobytes: 1_524,
            peak_kilobytes: 2_048,
        };
        assert_eq!(
            fan_out.to_string(),
            "20 events to each of 10 watchers, on a connection each\n\
             \x20 all delivered, in order, after 2.00 s; written after 0.50 s\n\
             \x20 delivered        100 events per second\n\
             \x20 idle watch       50.0 kB, TLS included\n\
             \x20 memory, peak     2.0 MB\n"
        );
    }
}
