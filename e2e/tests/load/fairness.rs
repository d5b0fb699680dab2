//! Those who ask for little do not suffer from those who ask for much.

use std::time::Duration;

use e2e::case::{Call, Sender};
use e2e::clock::now;

use crate::support::{
    FLOW_SCHEMAS, LEVELS, Loaded, Stop, at_full_size, hammer, level, while_others_work,
};

const WAITED: &str = "apiserver_flowcontrol_request_wait_duration_seconds";
const EXECUTED: &str = "apiserver_flowcontrol_request_execution_seconds";
const REJECTED: &str = "apiserver_flowcontrol_rejected_requests_total";

/// How long a request takes to serve.
const SERVICE: Duration = Duration::from_millis(25);

/// How many requests the greedy ones have under way.
fn herd() -> usize {
    if at_full_size() { 200 } else { 50 }
}

#[test]
fn a_mouse_that_shares_a_level_with_an_elephant_waits_about_one_service_time() {
    let mut loaded = Loaded::start(&[]);
    loaded.create(LEVELS, "shared", &level(1, 64));
    loaded.lead("elephant", &["elephant"], "shared", 600);
    loaded.lead("mouse", &["mouse"], "shared", 601);
    let stop = Stop::default();
    let (elephant_codes, mouse_codes) = std::thread::scope(|scope| {
        let _stop = stop.at_end();
        let (loaded, stop) = (&loaded, &stop);
        let elephants = scope.spawn(move || {
            hammer(loaded, herd(), stop, |client| client.call_slowly("elephant", SERVICE))
        });
        loaded.wait_for_queue("shared", herd() as f64 / 2.0);
        let (begin, mut mouse, mut codes) = (now(), loaded.client(), Vec::new());
        while begin.elapsed() < Duration::from_secs(3) {
            codes.push(mouse.call_slowly("mouse", SERVICE));
        }
        stop.set();
        (elephants.join().unwrap(), codes)
    });
    assert!(mouse_codes.len() > 10, "the mouse got {} answers", mouse_codes.len());
    assert!(mouse_codes.iter().all(|code| *code == 201), "{mouse_codes:?}");
    assert!(elephant_codes.len() > herd());
    let metrics = loaded.metrics();
    let service = metrics.mean(EXECUTED, &[("priority_level", "shared")]);
    let [mouse, elephant] =
        ["mouse", "elephant"].map(|schema| metrics.mean(WAITED, &[("flow_schema", schema)]));
    println!("service {service:.4} s; mouse waits {mouse:.4} s, elephant {elephant:.4} s");
    assert_eq!(metrics.sum(REJECTED, &[("flow_schema", "mouse")]), 0.0);
    // Generous: the machine may be busy with others.
    assert!(mouse < 3.0 * service, "mouse {mouse} s, service {service} s");
    assert!(mouse < elephant / 3.0, "mouse {mouse} s, elephant {elephant} s");
    loaded.assert_at_rest();
}

#[test]
fn a_saturated_level_does_not_delay_others() {
    let mut loaded =
        Loaded::start(&["--max-requests-inflight=20", "--max-mutating-requests-inflight=10"]);
    let account = "system:serviceaccount:default:busy";
    let lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
    let lease = Call::of("GET", lease).sent_by(Sender::Named("sched".to_owned()));
    let exempt = format!("{FLOW_SCHEMAS}/exempt");
    let exempt = Call::of("GET", exempt).sent_by(Sender::Named("node".to_owned()));
    let stop = Stop::default();
    std::thread::scope(|scope| {
        let _stop = stop.at_end();
        let (loaded, stop) = (&loaded, &stop);
        let busy = scope.spawn(move || {
            hammer(loaded, herd(), stop, |client| client.call_slowly(account, SERVICE))
        });
        loaded.wait_for_queue("workload-low", 10.0);
        let (mut scheduler, mut node) = (loaded.client(), loaded.client());
        for _ in 0..100 {
            // Leases are not served, which costs a seat all the same.
            let codes = [scheduler.call(&lease).head.status, node.call(&exempt).head.status];
            assert_eq!(codes, [404, 200]);
            while_others_work(Duration::from_millis(10));
        }
        stop.set();
        assert!(!busy.join().unwrap().is_empty());
    });
    let metrics = loaded.metrics();
    for name in ["leader-election", "system"] {
        let labels = [("priority_level", name), ("execute", "true")];
        let at_once = [("priority_level", name), ("execute", "true"), ("le", "0.005")];
        let all = metrics.sum(&format!("{WAITED}_count"), &labels);
        assert!(all >= 100.0, "{name} served {all}");
        assert_eq!(metrics.sum(&format!("{WAITED}_bucket"), &at_once), all, "{name}");
        assert_eq!(metrics.sum(REJECTED, &labels[..1]), 0.0, "{name}");
    }
    let waited = metrics.mean(WAITED, &[("priority_level", "workload-low")]);
    println!("workload-low waits {waited:.4} s");
    assert!(waited > SERVICE.as_secs_f64(), "workload-low waited {waited} s only");
    loaded.assert_at_rest();
}
