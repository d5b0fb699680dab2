//! One case, step by step.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::half::{Half, no_answer};
use super::kubectl::{self, Tool};
use super::look::{self, Memory};
use super::outcome::{CaseOutcome, StepKey, StepOutcome, Verdict, label};
use super::settle::Settling;
use super::stream::Stream;
use crate::case::{
    Action, Begin, Body, Burst, Call, Case, Collect, Condition, Finish, Open, Request, Retry,
};
use crate::clock::Deadline;
use crate::error::Error;
use crate::http::Response;
use crate::json::{diff, pointer, select};
use crate::normalise::{Symbols, sort};
use crate::target::Target;

/// Between two tries of a repeated request.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// After each request that writes. The answers were recorded at about this pace, and some of them
/// show what the server's own controllers had done by then: see also [`Settling`].
const PACE: Duration = Duration::from_millis(10);

/// A GET left waiting is not waited for longer than this.
const WAITING_GET: Duration = Duration::from_millis(200);

/// Does a case's steps and cleans up after it.
pub(super) fn case(target: &Target, case: &Case, kubectl: Option<&Tool>) -> CaseOutcome {
    let memory = Memory { symbols: Symbols::new(case.follow_versions), ..Memory::default() };
    let mut run = Run {
        target,
        kubectl,
        memory,
        streams: BTreeMap::new(),
        halves: BTreeMap::new(),
        created: Vec::new(),
        settling: Settling::default(),
    };
    let mut steps = Vec::new();
    let mut broken = false;
    for (number, step) in case.steps.iter().enumerate() {
        let verdict =
            if broken {
                step.expect.is_some().then_some(Verdict::NotReached)
            } else {
                match run.step(&step.action) {
                    Err(why) => {
                        broken = true;
                        Some(Verdict::Broken(why.to_string()))
                    }
                    Ok(got) => step.expect.as_ref().zip(got).map(|(want, got)| {
                        diff(want, &got).map_or(Verdict::Agrees, Verdict::Differs)
                    }),
                }
            };
        let key = StepKey::Step(number);
        steps.extend(verdict.map(|verdict| StepOutcome { key, label: label(step), verdict }));
    }
    if let Err(why) = run.clean_up(&case.cleanup) {
        let verdict = Verdict::Broken(why.to_string());
        steps.push(StepOutcome { key: StepKey::Cleanup, label: String::new(), verdict });
    }
    CaseOutcome { name: case.name.clone(), steps, skipped: false }
}

struct Run<'a> {
    target: &'a Target,
    kubectl: Option<&'a Tool>,
    memory: Memory,
    streams: BTreeMap<String, Stream>,
    halves: BTreeMap<String, Vec<Half>>,
    /// The collection's path and the name of what was created there.
    created: Vec<(String, String)>,
    settling: Settling,
}

impl Run<'_> {
    fn step(&mut self, action: &Action) -> Result<Option<Value>, Error> {
        match action {
            Action::Request(request) => self.request(request).map(Some),
            Action::Open(open) => self.open(open, None).map(|()| None),
            Action::BeginGet(open) => self.open(open, Some(WAITING_GET)).map(|()| None),
            Action::Collect(collect) => self.collect(collect).map(Some),
            Action::Begin(begin) => self.begin(begin).map(|()| None),
            Action::Finish(finish) => self.finish(finish).map(Some),
            Action::Burst(burst) => self.burst(burst).map(Some),
            Action::Sleep(seconds) => {
                std::thread::sleep(Duration::from_secs_f64(*seconds));
                Ok(None)
            }
            Action::Kubectl(step) => {
                let missing = || Error::program("kubectl", "not found");
                let tool = self.kubectl.ok_or_else(missing)?;
                kubectl::run(tool, self.target, step, &mut self.memory).map(Some)
            }
        }
    }

    fn request(&mut self, request: &Request) -> Result<Value, Error> {
        let call = self.memory.variables.call(&request.call)?;
        let mut response = self.target.call(&call)?;
        if let Some(retry) = &request.retry {
            let deadline = Deadline::after(Duration::from_secs_f64(retry.seconds));
            while !deadline.passed() && !self.satisfied(retry, &response)? {
                std::thread::sleep(RETRY_PAUSE);
                response = self.target.call(&call)?;
            }
        }
        if call.method != "GET" {
            std::thread::sleep(PACE);
            self.settling.after(self.target, &call, &response);
        }
        if call.method == "POST" && response.head.status == 201 && !request.keep {
            let created: Option<Value> = serde_json::from_slice(&response.body).ok();
            let name = created.as_ref().and_then(|object| object["metadata"]["name"].as_str());
            let collection = call.path.split('?').next().unwrap_or_default();
            self.created.extend(name.map(|name| (collection.to_owned(), name.to_owned())));
        }
        self.memory.answer(self.target, &request.look, &response)
    }

    fn satisfied(&mut self, retry: &Retry, response: &Response) -> Result<bool, Error> {
        for condition in &retry.until {
            let holds = match condition {
                Condition::Status(status) => response.head.status == *status,
                Condition::Equals(at, equals) => serde_json::from_slice::<Value>(&response.body)
                    .is_ok_and(|body| pointer(&body, at).unwrap_or(&Value::Null) == equals),
                Condition::Contains(text) => {
                    String::from_utf8_lossy(&response.body).contains(text.as_str())
                }
                Condition::FlowSchema(name) => {
                    let flow_schema = self.memory.names.flow_schema(self.target, &response.head)?;
                    flow_schema == Some(name.as_str())
                }
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn open(&mut self, open: &Open, settle: Option<Duration>) -> Result<(), Error> {
        let call = self.memory.variables.call(&open.call)?;
        let settle = settle.or(open.settle_seconds.map(Duration::from_secs_f64));
        let stream = Stream::open(self.target, &call, settle)?;
        self.streams.insert(open.id.clone(), stream);
        Ok(())
    }

    fn collect(&mut self, step: &Collect) -> Result<Value, Error> {
        let missing = || Error::Stream(step.id.clone());
        let stream = self.streams.get(&step.id).ok_or_else(missing)?;
        let wait = Duration::from_secs_f64(step.seconds);
        let lines = stream.collect(step.events, wait);
        let symbols = &mut self.memory.symbols;
        let read = |line: Vec<u8>| {
            let event = serde_json::from_slice(&line)
                .unwrap_or_else(|_| json!({ "raw": String::from_utf8_lossy(&line) }));
            symbols.value(match &step.select {
                Some(pointers) => select(&event, pointers),
                None => event,
            })
        };
        let mut events: Vec<_> = lines.into_iter().map(read).collect();
        if step.sort {
            sort(&mut events);
        }
        let mut out = look::events(stream.head().as_ref(), &events);
        if step.ended {
            out["ended"] = stream.ends_within(wait).into();
        }
        Ok(out)
    }

    fn begin(&mut self, begin: &Begin) -> Result<(), Error> {
        let call = self.memory.variables.call(&begin.call)?;
        for _ in 0..begin.count {
            let half = Half::begin(self.target, &call)?;
            self.halves.entry(begin.id.clone()).or_default().push(half);
        }
        std::thread::sleep(Duration::from_secs_f64(begin.settle_seconds));
        Ok(())
    }

    fn finish(&mut self, finish: &Finish) -> Result<Value, Error> {
        let ids = finish.ids.iter();
        let halves: Vec<_> = ids.filter_map(|id| self.halves.remove(id)).flatten().collect();
        let responses = std::thread::scope(|scope| {
            let running: Vec<_> =
                halves.into_iter().map(|half| scope.spawn(move || half.finish())).collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
        });
        let look = |response| self.memory.answer(self.target, &finish.look, response);
        let mut answers = responses.iter().map(look).collect::<Result<Vec<_>, _>>()?;
        sort(&mut answers);
        Ok(json!({ "answers": answers }))
    }

    fn burst(&self, burst: &Burst) -> Result<Value, Error> {
        let call = self.memory.variables.call(&burst.call)?;
        let counts = Mutex::new(BTreeMap::<String, u64>::new());
        std::thread::scope(|scope| {
            for _ in 0..burst.count {
                scope.spawn(|| {
                    let response = self.target.call(&call).unwrap_or_else(|why| no_answer(&why));
                    *counts.lock().entry(response.head.status.to_string()).or_default() += 1;
                });
            }
        });
        let counts = counts.into_inner().into_iter().map(|(status, n)| (status, n.into()));
        Ok(json!({ "counts": counts.collect::<Map<_, _>>() }))
    }

    fn clean_up(&mut self, cleanup: &[Call]) -> Result<(), Error> {
        self.halves.clear();
        self.streams.clear();
        let created = !self.created.is_empty();
        for (collection, name) in std::mem::take(&mut self.created).into_iter().rev() {
            self.delete(&format!("{collection}/{name}"))?;
        }
        if created {
            self.settling.wait(self.target);
        }
        for call in cleanup {
            let call = self.memory.variables.call(call)?;
            let response = self.target.call(&call)?;
            self.settling.after(self.target, &call, &response);
        }
        Ok(())
    }

    /// Deletes an object, its finalizers taken off where they hold it.
    fn delete(&self, path: &str) -> Result<(), Error> {
        for _ in 0..2 {
            let deleted = self.target.call(&Call::of("DELETE", path))?;
            let body = String::from_utf8_lossy(&deleted.body);
            if deleted.head.status != 200 || !body.contains("\"deletionTimestamp\"") {
                break;
            }
            let patch = r#"{"metadata":{"finalizers":null}}"#.to_owned();
            let patch = Call::of("PATCH", path)
                .with_header("Content-Type", "application/merge-patch+json")
                .with_body(Body::Text(patch));
            self.target.call(&patch)?;
        }
        Ok(())
    }
}
