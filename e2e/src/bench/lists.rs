//! Lists of many FlowSchemas.

use std::fmt;
use std::time::Duration;

use super::Plan;
use super::common::{FLOW_SCHEMAS, call, user};
use super::contender::Program;
use super::load::{self, Kind};
use super::report::{megabytes, milliseconds, percentile};
use crate::case::Call;
use crate::clock::now;
use crate::error::Error;
use crate::target::Target;

/// How often each is asked for.
const TRIES: usize = 11;

/// How long lists of many objects take.
#[derive(Debug, Clone)]
pub struct Lists {
    objects: usize,
    created_per_second: f64,
    kinds: Vec<Listed>,
    peak_kilobytes: u64,
}

#[derive(Debug, Clone)]
struct Listed {
    name: &'static str,
    bytes: usize,
    /// Shortest first.
    latencies: Vec<Duration>,
}

impl fmt::Display for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "LIST of {} FlowSchemas, {TRIES} times each", self.objects)?;
        writeln!(f, "  created          {:.0} per second, durable", self.created_per_second)?;
        for Listed { name, bytes, latencies } in &self.kinds {
            let [least, median, most] =
                [0, 50, 100].map(|p| milliseconds(percentile(latencies, p)));
            let size = megabytes(u64::try_from(*bytes).unwrap_or(u64::MAX) / 1_024);
            writeln!(f, "  {name:<16} {median} median ({least} to {most}), {size}")?;
        }
        writeln!(f, "  memory, peak     {}", megabytes(self.peak_kilobytes))
    }
}

pub(super) fn measure(plan: &Plan) -> Result<Lists, Error> {
    let folder = tempfile::tempdir().map_err(Error::io("making a folder"))?;
    let running = Program::ours(plan).start(folder.path())?;
    running.wait_until_ready()?;
    let target = running.target();
    let created = load::run_to(target, Kind::Create, plan.connections, plan.objects)?;
    let list = call(target, &Call::of("GET", format!("{FLOW_SCHEMAS}?limit=1")))?;
    let objects = list["metadata"]["remainingItemCount"].as_u64().unwrap_or_default() + 1;
    let objects = usize::try_from(objects).unwrap_or(usize::MAX);
    if objects < plan.objects {
        return Err(Error::Http(format!("{objects} objects are there")));
    }
    let kinds = [
        ("JSON", "application/json", ""),
        ("protobuf", "application/vnd.kubernetes.protobuf", ""),
        ("JSON, page of 500", "application/json", "?limit=500"),
    ];
    let kinds = kinds.into_iter().map(|(name, accept, query)| list_of(target, name, accept, query));
    Ok(Lists {
        objects,
        created_per_second: created.per_second,
        kinds: kinds.collect::<Result<_, _>>()?,
        peak_kilobytes: running.peak_kilobytes(),
    })
}

fn list_of(
    target: &Target,
    name: &'static str,
    accept: &str,
    query: &str,
) -> Result<Listed, Error> {
    let list = Call::of("GET", format!("{FLOW_SCHEMAS}{query}"))
        .with_header("Accept", accept)
        .sent_by(user());
    let (mut bytes, mut latencies) = (0, Vec::new());
    for _ in 0..TRIES {
        let begin = now();
        let answer = target.call(&list)?;
        latencies.push(begin.elapsed());
        if answer.head.status != 200 || answer.head.header("content-type") != Some(accept) {
            return Err(Error::Http(format!("{:?} for a list as {accept}", answer.head)));
        }
        bytes = answer.body.len();
    }
    latencies.sort_unstable();
    Ok(Listed { name, bytes, latencies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_line_for_each_form() {
        let latencies = vec![Duration::from_millis(2), Duration::from_millis(3)];
        let lists = Lists {
            objects: 7,
            created_per_second: 10.4,
            kinds: vec![Listed { name: "JSON", bytes: 3 << 20, latencies }],
            peak_kilobytes: 1_024,
        };
        assert_eq!(
            lists.to_string(),
            "LIST of 7 FlowSchemas, 11 times each\n\
             \x20 created          10 per second, durable\n\
             \x20 JSON             2.00 ms median (2.00 ms to 3.00 ms), 3.0 MB\n\
             \x20 memory, peak     1.0 MB\n"
        );
    }
}
