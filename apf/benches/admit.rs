//! What it costs to classify, admit and release one request.
//!
//! Targets: below 1 µs with the default FlowSchemas, below 3 µs with 100.

#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot run should say so")]

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use apf::bootstrap;
use apf::controller::{Admitted, FlowController, Options, Rejected, Request};
use apf::digest::{RequestDigest, ResourceTarget, Target};
use apf::estimate::WorkEstimate;
use apf::gate::RequestDescription;
use apf::queueset::{Arrival, Arrived, Configuration, Effect, Effects, Intake, QueueSet};
use apf::shuffle_shard::{Dealer, flow_hash};
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::time::SystemClock;
use criterion::{Criterion, criterion_group, criterion_main};

const LEVEL: &str = "workload-low";

/// A request that the FlowSchema `global-default` claims, the last one before `catch-all`.
struct Asker {
    user_name: &'static str,
    groups: Vec<String>,
    details: Arc<RequestDescription>,
}

impl Asker {
    fn new(user_name: &'static str) -> Self {
        let groups = vec!["system:authenticated".to_owned()];
        Self { user_name, groups, details: Arc::default() }
    }

    fn request(&self) -> Request<'_> {
        let target = Target::Resource(ResourceTarget {
            verb: "get",
            api_group: "apps",
            resource: "deployments",
            namespace: "prod",
            name: "web",
            ..ResourceTarget::default()
        });
        Request {
            digest: RequestDigest { user_name: self.user_name, groups: &self.groups, target },
            query: "",
            arrived: tokio::time::Instant::now().into_std(),
            wait_deadline: (tokio::time::Instant::now() + Duration::from_secs(3600)).into_std(),
            details: Arc::clone(&self.details) as _,
        }
    }
}

fn levels() -> Vec<Arc<PriorityLevelConfiguration>> {
    bootstrap::priority_levels().map(|object| Arc::new(object.build())).collect()
}

/// The default FlowSchemas and more of the shape of a service account's, up to `count`.
fn flow_schemas(count: usize) -> Vec<Arc<FlowSchema>> {
    let defaults: Vec<FlowSchema> =
        bootstrap::flow_schemas().map(|object| object.build()).collect();
    let pattern = defaults
        .iter()
        .find(|schema| schema.metadata.name == "kube-system-service-accounts")
        .expect("it is among the defaults");
    let more = (defaults.len()..count).map(|number| {
        let mut schema = pattern.clone();
        schema.metadata.name = format!("tenant-{number}");
        LEVEL.clone_into(&mut schema.spec.priority_level_configuration.name);
        for account in schema.spec.rules.iter_mut().flat_map(|rule| &mut rule.subjects) {
            if let Some(account) = &mut account.service_account {
                account.namespace = format!("tenant-{number}");
            }
        }
        schema
    });
    defaults.iter().cloned().chain(more).map(Arc::new).collect()
}

fn controller(schemas: usize) -> FlowController {
    let controller = FlowController::new(Options::default(), &SystemClock);
    drop(controller.digest(flow_schemas(schemas), levels()));
    controller
}

fn poll_once(
    future: Pin<&mut dyn Future<Output = Result<Admitted, Rejected>>>,
) -> Poll<Result<Admitted, Rejected>> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn serve(controller: &FlowController, request: &Request<'_>) {
    let admission = std::pin::pin!(controller.admit(request));
    match poll_once(admission) {
        Poll::Ready(Ok(admitted)) => drop(black_box(admitted)),
        other => drop(black_box(other)),
    }
}

fn uncontended(criterion: &mut Criterion) {
    for count in [11, 100] {
        let controller = controller(count);
        let asker = Asker::new("alice");
        let name = format!("serve one request, {count} FlowSchemas");
        criterion.bench_function(&name, |bencher| {
            let request = asker.request();
            bencher.iter(|| serve(&controller, &request));
        });
    }
    let controller = controller(11);
    let asker = Asker::new("alice");
    criterion.bench_function("classify one request, 11 FlowSchemas", |bencher| {
        let request = asker.request();
        bencher.iter(|| black_box(controller.classify(&request.digest)));
    });
}

/// What a request costs when another core admits requests to the same level all the time.
fn contended(criterion: &mut Criterion) {
    let (controller, stop) = (controller(11), AtomicBool::new(false));
    let (here, there) = (Asker::new("alice"), Asker::new("bob"));
    criterion.bench_function("serve one request, another core does so too", |bencher| {
        stop.store(false, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let request = there.request();
                while !stop.load(Ordering::Relaxed) {
                    serve(&controller, &request);
                }
            });
            let request = here.request();
            bencher.iter(|| serve(&controller, &request));
            stop.store(true, Ordering::Relaxed);
        });
    });
}

/// Requests of 1000 users fill all queues of a level; each one served lets another one in.
fn with_ten_thousand_waiting(criterion: &mut Criterion) {
    const WAITING: usize = 10_000;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be made");
    let _inside = runtime.enter();
    let controller = FlowController::new(Options::default(), &SystemClock);
    let mut levels = levels();
    for level in &mut levels {
        let level = Arc::make_mut(level);
        let queuing = level.spec.limited.as_mut().and_then(|l| l.limit_response.queuing.as_mut());
        if let Some(queuing) = queuing {
            queuing.queue_length_limit = i32::MAX;
        }
    }
    drop(controller.digest(flow_schemas(11), levels));
    let askers: Vec<Asker> = (0..1000)
        .map(|number| Asker::new(Box::leak(format!("user-{number}").into_boxed_str())))
        .collect();
    let requests: Vec<Request<'_>> =
        (0..2 * WAITING).map(|number| askers[number % askers.len()].request()).collect();
    let mut executing = std::collections::VecDeque::new();
    let mut waiting = std::collections::VecDeque::new();
    for request in &requests {
        let mut admission = Box::pin(controller.admit(request));
        match poll_once(admission.as_mut()) {
            Poll::Ready(Ok(admitted)) => executing.push_back(admitted),
            Poll::Ready(Err(rejected)) => panic!("no room to wait: {rejected:?}"),
            Poll::Pending if waiting.len() < WAITING => waiting.push_back(admission),
            Poll::Pending => break,
        }
    }
    assert_eq!(waiting.len(), WAITING);
    let newcomer = Asker::new("newcomer");
    let mut group = criterion.benchmark_group("10000 waiting");
    group.bench_function("come and give up", |bencher| {
        let request = newcomer.request();
        bencher.iter(|| serve(&controller, &request));
    });
    group.finish();
    drop((executing, waiting));
}

/// The same below the gate: one request ends, the next one is dispatched, another one comes.
fn queue_set_with_ten_thousand_waiting(criterion: &mut Criterion) {
    const WAITING: u64 = 10_000;
    let start = tokio::time::Instant::now().into_std();
    let dealer = Dealer::new(128, 6).expect("the sizes of the default levels");
    let intake = Intake::Queue { dealer, queue_length_limit: WAITING };
    let mut set = QueueSet::new(start, Configuration { intake, concurrency_limit: 56 });
    let mut effects = Effects::new();
    let mut number = 0;
    let mut now = start;
    let mut arrive = |set: &mut QueueSet<()>, now, effects: &mut Effects<()>| {
        number += 1;
        let hash = flow_hash("global-default", &format!("user-{}", number % 1000));
        let arrival = Arrival { work: WorkEstimate::ONE_SEAT, hash, data: () };
        assert!(!matches!(set.arrive(now, arrival, effects), Arrived::Rejected(..)));
    };
    while set.totals().waiting < WAITING {
        arrive(&mut set, now, &mut effects);
    }
    let mut executing = std::collections::VecDeque::new();
    criterion.bench_function("10000 waiting, one ends, one is dispatched, one comes", |bencher| {
        bencher.iter(|| {
            for effect in effects.drain(..) {
                if let Effect::Dispatched { id, .. } = effect {
                    executing.push_back(id);
                }
            }
            now += Duration::from_micros(50);
            let first = executing.pop_front().expect("all seats are taken");
            black_box(set.finish(now, first, &mut effects));
            arrive(&mut set, now, &mut effects);
        });
    });
    assert_eq!(set.totals().waiting, WAITING);
}

criterion_group!(
    benches,
    uncontended,
    contended,
    with_ten_thousand_waiting,
    queue_set_with_ten_thousand_waiting
);
criterion_main!(benches);
