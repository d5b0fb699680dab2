use serde_json::json;

use super::super::testing::{cells, some_cells};
use super::*;

/// A container's status; `more` is merged into it.
fn status(name: &str, more: Value) -> Value {
    let mut status = json!({"name": name, "ready": false, "restartCount": 0});
    if let (Value::Object(status), Value::Object(more)) = (&mut status, more) {
        status.extend(more);
    }
    status
}

fn running(name: &str) -> Value {
    status(name, json!({"ready": true, "started": true, "state": {"running": {}}}))
}

fn waiting(name: &str, reason: &str) -> Value {
    status(name, json!({"state": {"waiting": {"reason": reason}}}))
}

fn ended(name: &str, exit_code: i64, reason: &str) -> Value {
    let end = json!({"exitCode": exit_code, "reason": reason});
    status(name, json!({"state": {"terminated": end}}))
}

fn restarted(mut status: Value, count: i64, last: &str) -> Value {
    status["restartCount"] = json!(count);
    status["lastState"] = json!({"terminated": {"exitCode": 1, "finishedAt": last}});
    status
}

/// A pod with two containers and the init containers `i1`, `i2` and, a sidecar, `s`.
fn pod(phase: &str, init: &[Value], main: &[Value]) -> Value {
    json!({
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "a"}, {"name": "b"}],
            "initContainers": [
                {"name": "i1"}, {"name": "s", "restartPolicy": "Always"}, {"name": "i2"},
            ],
        },
        "status": {"phase": phase, "initContainerStatuses": init, "containerStatuses": main},
    })
}

fn simple(phase: &str, main: &[Value]) -> Value {
    let mut pod = pod(phase, &[], main);
    pod["spec"]["initContainers"] = json!(null);
    pod["status"]["initContainerStatuses"] = json!(null);
    pod
}

fn shown(pod: &Value) -> [String; 3] {
    let cells = some_cells(&POD, pod, &["Ready", "Status", "Restarts"]);
    [0, 1, 2].map(|index| cells[index].as_str().unwrap().to_owned())
}

#[test]
fn a_running_pod_shows_where_it_is() {
    let mut pod = simple("Running", &[running("a"), running("b")]);
    pod["metadata"]["creationTimestamp"] = json!("2026-11-30T07:00:00Z");
    pod["spec"]["nodeName"] = json!("n1");
    pod["spec"]["readinessGates"] =
        json!([{"conditionType": "x"}, {"conditionType": "y"}, {"conditionType": "z"}]);
    pod["status"]["podIPs"] = json!([{"ip": "10.1.1.1"}, {"ip": "fd00::1"}]);
    pod["status"]["nominatedNodeName"] = json!("n2");
    pod["status"]["conditions"] =
        json!([{"type": "x", "status": "True"}, {"type": "y", "status": "False"}]);
    assert_eq!(
        cells(&POD, &pod),
        json!(["p", "2/2", "Running", "0", "5h", "10.1.1.1", "n1", "n2", "1/3"])
    );
}

#[test]
fn a_pod_without_status_shows_next_to_nothing() {
    assert_eq!(
        cells(&POD, &json!({"status": null})),
        json!(["", "0/0", "", "0", "<unknown>", "<none>", "<none>", "<none>", "<none>"])
    );
}

#[test]
fn the_first_container_with_something_to_say_says_it() {
    for (main, expected) in [
        (
            vec![waiting("a", "ContainerCreating"), waiting("b", "ContainerCreating")],
            ["0/2", "ContainerCreating", "0"],
        ),
        (
            vec![waiting("a", "ImagePullBackOff"), waiting("b", "CrashLoopBackOff")],
            ["0/2", "ImagePullBackOff", "0"],
        ),
        (vec![running("a"), waiting("b", "CrashLoopBackOff")], ["1/2", "CrashLoopBackOff", "0"]),
        (vec![ended("a", 1, "Error"), running("b")], ["1/2", "Error", "0"]),
        (vec![ended("a", 137, "OOMKilled")], ["0/2", "OOMKilled", "0"]),
        (vec![ended("a", 3, "")], ["0/2", "ExitCode:3", "0"]),
        (vec![waiting("a", "")], ["0/2", "Running", "0"]),
        (
            vec![status("a", json!({"state": {"terminated": {"signal": 9, "exitCode": 137}}}))],
            ["0/2", "Signal:9", "0"],
        ),
        (vec![status("a", json!({"state": {"running": {}}}))], ["0/2", "Running", "0"]),
    ] {
        assert_eq!(shown(&simple("Running", &main)), expected, "{main:?}");
    }
}

#[test]
fn restarts_show_how_long_ago_the_last_one_was() {
    let main = [
        restarted(running("a"), 3, "2026-11-30T11:00:00Z"),
        restarted(running("b"), 2, "2026-11-30T11:55:00Z"),
    ];
    assert_eq!(shown(&simple("Running", &main)), ["2/2", "Running", "5 (5m ago)"]);
    let unknown = status("a", json!({"restartCount": 4, "ready": true, "state": {"running": {}}}));
    assert_eq!(shown(&simple("Running", &[unknown])), ["1/2", "Running", "4"]);
    let never = restarted(running("a"), 0, "2026-11-30T11:00:00Z");
    assert_eq!(shown(&simple("Running", &[never])), ["1/2", "Running", "0"]);
}

#[test]
fn init_containers_hold_up_the_pod_one_after_the_other() {
    let done = || ended("i1", 0, "Completed");
    let waits = [waiting("a", "PodInitializing"), waiting("b", "PodInitializing")];
    for (init, expected) in [
        (vec![waiting("i1", "PodInitializing"), waiting("s", "PodInitializing")], "Init:0/3"),
        (vec![status("i1", json!({"state": {"running": {}}}))], "Init:0/3"),
        (vec![waiting("i1", "ImagePullBackOff")], "Init:ImagePullBackOff"),
        (vec![ended("i1", 1, "Error")], "Init:Error"),
        (vec![ended("i1", 7, "")], "Init:ExitCode:7"),
        (
            vec![status("i1", json!({"state": {"terminated": {"signal": 9, "exitCode": 137}}}))],
            "Init:Signal:9",
        ),
        (vec![done(), waiting("s", "PodInitializing")], "Init:1/3"),
        (vec![done(), running("s"), waiting("i2", "PodInitializing")], "Init:2/3"),
        (vec![done(), running("s"), ended("i2", 0, "Completed")], "PodInitializing"),
    ] {
        assert_eq!(shown(&pod("Pending", &init, &waits))[1], expected, "{init:?}");
    }
}

#[test]
fn sidecars_count_as_containers_once_they_have_started() {
    let done = ended("i1", 0, "Completed");
    let started = status("s", json!({"started": true, "state": {"running": {}}}));
    let waits = waiting("i2", "PodInitializing");
    let init = [done.clone(), started.clone(), waits.clone()];
    assert_eq!(shown(&pod("Pending", &init, &[])), ["0/3", "Init:2/3", "0"]);
    let init = [done.clone(), running("s"), waits];
    assert_eq!(shown(&pod("Pending", &init, &[])), ["1/3", "Init:2/3", "0"]);
    let init = [done, running("s"), ended("i2", 0, "Completed")];
    let main = [running("a"), running("b")];
    assert_eq!(shown(&pod("Running", &init, &main)), ["3/3", "Running", "0"]);
}

#[test]
fn restarts_of_init_containers_count_until_they_are_over_and_those_of_sidecars_always() {
    let first = restarted(ended("i1", 0, "Completed"), 5, "2026-11-30T11:59:00Z");
    let sidecar = restarted(running("s"), 2, "2026-11-30T11:00:00Z");
    let fails = restarted(ended("i2", 1, "Error"), 1, "2026-11-30T11:30:00Z");
    let init = [first.clone(), sidecar.clone(), fails];
    assert_eq!(shown(&pod("Pending", &init, &[])), ["1/3", "Init:Error", "8 (60s ago)"]);
    let init = [first, sidecar, ended("i2", 0, "Completed")];
    let main = [running("a"), restarted(running("b"), 1, "2026-11-30T10:00:00Z")];
    assert_eq!(shown(&pod("Running", &init, &main)), ["3/3", "Running", "3 (60m ago)"]);
}

#[test]
fn a_sidecar_that_fails_later_does_not_take_an_initialized_pod_back() {
    let init = [
        ended("i1", 0, "Completed"),
        restarted(waiting("s", "CrashLoopBackOff"), 4, "2026-11-30T11:58:00Z"),
        ended("i2", 0, "Completed"),
    ];
    let mut pod = pod("Running", &init, &[running("a"), running("b")]);
    assert_eq!(shown(&pod), ["0/3", "Init:CrashLoopBackOff", "4 (2m ago)"]);
    pod["status"]["conditions"] = json!([{"type": "Initialized", "status": "True"}]);
    assert_eq!(shown(&pod), ["2/3", "Init:CrashLoopBackOff", "4 (2m ago)"]);
}

#[test]
fn a_pod_of_which_one_container_completed_still_runs_while_it_is_ready() {
    let mut pod = simple("Running", &[ended("a", 0, "Completed"), running("b")]);
    assert_eq!(shown(&pod), ["1/2", "NotReady", "0"]);
    pod["status"]["conditions"] = json!([{"type": "Ready", "status": "True"}]);
    assert_eq!(shown(&pod), ["1/2", "Running", "0"]);
    let all = [ended("a", 0, "Completed"), ended("b", 0, "Completed")];
    assert_eq!(shown(&simple("Succeeded", &all)), ["0/2", "Completed", "0"]);
}

#[test]
fn the_reason_of_a_pod_goes_before_its_phase_and_a_gate_before_both() {
    let mut pod = simple("Failed", &[]);
    assert_eq!(shown(&pod)[1], "Failed");
    pod["status"]["reason"] = json!("Evicted");
    assert_eq!(shown(&pod)[1], "Evicted");
    pod["status"]["conditions"] =
        json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]);
    assert_eq!(shown(&pod)[1], "SchedulingGated");
    pod["status"]["conditions"] =
        json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]);
    assert_eq!(shown(&pod)[1], "Evicted");
}

#[test]
fn a_pod_that_is_removed_terminates_unless_it_is_over() {
    for (phase, reason, expected) in [
        ("Running", "", "Terminating"),
        ("Pending", "", "Terminating"),
        ("Running", "NodeLost", "Unknown"),
        ("Succeeded", "", "Succeeded"),
        ("Failed", "Evicted", "Evicted"),
    ] {
        let mut pod = simple(phase, &[]);
        pod["status"]["reason"] = json!(reason);
        pod["metadata"]["deletionTimestamp"] = json!("2026-11-30T11:00:00Z");
        assert_eq!(shown(&pod)[1], expected, "{phase} {reason}");
    }
}

#[test]
fn rows_of_pods_that_are_over_say_so() {
    assert_eq!(row_conditions(&simple("Running", &[])), None);
    assert_eq!(
        row_conditions(&simple("Succeeded", &[])),
        Some(json!([{
            "type": "Completed", "status": "True", "reason": "Succeeded",
            "message": "The pod has completed successfully.",
        }]))
    );
    let failed = row_conditions(&simple("Failed", &[])).unwrap();
    assert_eq!(failed[0]["message"], "The pod failed.");
}
