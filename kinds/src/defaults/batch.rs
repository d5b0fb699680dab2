//! Jobs and CronJobs.

use serde_json::Value;

use super::pod_spec;
use crate::value::Members;

/// The label by which a Job finds its pods.
pub(crate) const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
/// The label that names a pod's Job.
pub(crate) const JOB_NAME: &str = "batch.kubernetes.io/job-name";
/// What these two labels were called before.
pub(crate) const OLD_LABELS: [&str; 2] = ["controller-uid", "job-name"];

/// The defaults of a Job.
pub(crate) fn fill_job(job: &mut Value) {
    label_like_template(job);
    let Some(spec) = job.present_mut("spec") else { return };
    if !spec.has("completions") && !spec.has("parallelism") {
        spec.set("completions", 1);
    }
    spec.set_default("parallelism", 1);
    let whole_job = if spec.has("backoffLimitPerIndex") { i32::MAX } else { 6 };
    spec.set_default("backoffLimit", whole_job);
    spec.set_default("completionMode", "NonIndexed");
    spec.set_default("suspend", false);
    spec.set_default("manualSelector", false);
    let replacement = if spec.has("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    spec.set_default("podReplacementPolicy", replacement);
    if let Some(policy) = spec.present_mut("podFailurePolicy") {
        for rule in policy.items_mut("rules") {
            rule.items_mut("onPodConditions").for_each(|each| each.set_default("status", "True"));
        }
    }
    if let Some(template) = spec.present_mut("template") {
        pod_spec::fill_template(template);
    }
}

fn label_like_template(job: &mut Value) {
    let labels = job.member("spec").member("template").member("metadata").member("labels").clone();
    let has_labels = labels.as_object().is_some_and(|labels| !labels.is_empty());
    if has_labels && job.member("metadata").is_blank("labels") {
        job.ensure("metadata").set("labels", labels);
    }
}

/// The defaults of a CronJob.
pub(crate) fn fill_cron_job(cron_job: &mut Value) {
    let Some(spec) = cron_job.present_mut("spec") else { return };
    spec.set_default("concurrencyPolicy", "Allow");
    spec.set_default("suspend", false);
    spec.set_default("successfulJobsHistoryLimit", 3);
    spec.set_default("failedJobsHistoryLimit", 1);
    if let Some(job) = spec.present_mut("jobTemplate")
        && let Some(job) = job.present_mut("spec")
        && let Some(template) = job.present_mut("template")
    {
        pod_spec::fill_template(template);
    }
}

/// A Job that is about to be created: unless it says otherwise it finds its pods by its uid, which
/// `metadata` must have by now.
pub(crate) fn prepare_create_job(job: &mut Value) {
    let metadata = job.member("metadata");
    let (uid, name) = (metadata.text("uid").to_owned(), metadata.text("name").to_owned());
    if job.member("spec").flag("manualSelector") {
        return;
    }
    let Some(spec) = job.present_mut("spec") else { return };
    let labels = spec.ensure("template").ensure("metadata").ensure("labels");
    let [old_uid, old_name] = OLD_LABELS;
    for (label, value) in
        [(CONTROLLER_UID, &uid), (JOB_NAME, &name), (old_uid, &uid), (old_name, &name)]
    {
        set_if_absent(labels, label, value);
    }
    let wanted = spec.ensure("selector").ensure("matchLabels");
    set_if_absent(wanted, CONTROLLER_UID, &uid);
    // Objects are given their defaults again each time they are read from the store.
    label_like_template(job);
}

/// A value that is there and differs is refused later.
fn set_if_absent(labels: &mut Value, label: &str, value: &str) {
    if !labels.has(label) {
        labels.set(label, value);
    }
    if let Value::Object(labels) = labels {
        labels.sort_keys();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(mut job: Value) -> Value {
        fill_job(&mut job);
        job
    }

    #[test]
    fn a_job_with_parallelism_alone_has_no_number_of_completions() {
        let job = filled(json!({"spec": {"parallelism": 2}}));
        assert!(!job["spec"].has("completions"));
        let job = filled(json!({"spec": {"completions": 2}}));
        assert_eq!(job["spec"]["parallelism"], 1);
    }

    #[test]
    fn limits_and_policies_depend_on_each_other() {
        let job = filled(json!({"spec": {"backoffLimitPerIndex": 1,
            "podFailurePolicy": {"rules": [{"onPodConditions": [{"type": "X"}]}]}}}));
        assert_eq!(job["spec"]["backoffLimit"], i32::MAX);
        assert_eq!(job["spec"]["podReplacementPolicy"], "Failed");
        let rule = &job["spec"]["podFailurePolicy"]["rules"][0];
        assert_eq!(rule["onPodConditions"][0]["status"], "True");
    }

    #[test]
    fn a_manual_selector_is_left_alone() {
        let mut job = json!({"metadata": {"uid": "u"}, "spec": {"manualSelector": true}});
        prepare_create_job(&mut job);
        assert!(!job["spec"].has("selector"));
    }
}
