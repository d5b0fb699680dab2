//! Jobs, CronJobs and disruption budgets.

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};

use super::{checks, cron, pod_spec, selector};
use crate::defaults::batch::{CONTROLLER_UID, JOB_NAME, OLD_LABELS};
use crate::value::Members;

/// The Jobs of a CronJob have a suffix of eleven characters after its name.
const CRON_JOB_NAME_CHARACTERS_MAX: usize = 52;

/// The rules of a new Job.
pub(crate) fn create_job(job: &Value, errors: &mut ErrorList) {
    validate_generated_selector(errors, job);
    validate_job(job, errors);
}

fn validate_job(job: &Value, errors: &mut ErrorList) {
    let (spec, path) = (job.member("spec"), Path::new("spec"));
    validate_spec(errors, spec, &path);
    let (selected, template) = (spec.member("selector"), spec.member("template"));
    if selected.is_null() {
        errors.push(Error::required(&path.child("selector"), ""));
    } else {
        selector::validate(errors, selected, &path.child("selector"));
    }
    let labels = template.member("metadata").member("labels");
    if selector::matches(selected, labels) == Some(false) {
        let path = path.child("template").child("metadata").child("labels");
        let detail = "`selector` does not match template `labels`";
        errors.push(Error::invalid(&path, checks::shown_map(labels), detail));
    }
}

/// A selector that was made here selects by the uid of the Job.
fn validate_generated_selector(errors: &mut ErrorList, job: &Value) {
    let (spec, metadata) = (job.member("spec"), job.member("metadata"));
    if spec.flag("manualSelector") || !spec.has("selector") {
        return;
    }
    let (uid, name) = (metadata.text("uid"), metadata.text("name"));
    let labels = spec.member("template").member("metadata").member("labels");
    let path = Path::new("spec").child("template").child("metadata").child("labels");
    let [old_uid, old_name] = OLD_LABELS;
    let expected = [(old_uid, uid), (old_name, name), (CONTROLLER_UID, uid), (JOB_NAME, name)];
    for (label, value) in expected {
        let (path, detail) = (path.key(label), format!("must be '{value}'"));
        if !labels.has(label) {
            errors.push(Error::required(&path, detail));
        } else if labels.text(label) != value {
            errors.push(Error::invalid(&path, checks::shown_map(labels), detail));
        }
    }
    let expected: Value =
        expected.into_iter().map(|(k, v)| (k.to_owned(), Value::from(v))).collect();
    if selector::matches(spec.member("selector"), &expected) == Some(false) {
        let shown = Shown::json(spec.member("selector"));
        let path = Path::new("spec").child("selector");
        errors.push(Error::invalid(&path, shown, "`selector` not auto-generated"));
    }
}

fn validate_spec(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let numbers = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    checks::not_negative(errors, spec, path, &numbers);
    if spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex") {
        let detail = "when maxFailedIndexes is specified";
        errors.push(Error::required(&path.child("backoffLimitPerIndex"), detail));
    }
    checks::one_of_if_any(errors, spec, path, "completionMode", &["NonIndexed", "Indexed"]);
    if spec.text("completionMode") == "Indexed" && !spec.has("completions") {
        let detail = "when completion mode is Indexed";
        errors.push(Error::required(&path.child("completions"), detail));
    }
    if spec.text("completionMode") == "NonIndexed" {
        for member in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if let Some(number) = spec.int(member) {
                let detail = "requires indexed completion mode";
                errors.push(Error::invalid(&path.child(member), number, detail));
            }
        }
    }
    let replacement = ["Failed", "TerminatingOrFailed"];
    checks::one_of_if_any(errors, spec, path, "podReplacementPolicy", &replacement);
    let (template, path) = (spec.member("template"), path.child("template"));
    pod_spec::validate_template(errors, template, &path);
    let path = path.child("spec").child("restartPolicy");
    let policy = template.member("spec").text("restartPolicy");
    if policy == "Always" {
        errors.push(Error::required(&path, "valid values: \"OnFailure\", \"Never\""));
    } else if !matches!(policy, "OnFailure" | "Never") {
        errors.push(Error::not_supported(&path, Shown::json(&policy), &["OnFailure", "Never"]));
    }
    if spec.has("podFailurePolicy") && policy != "Never" {
        let detail = "only \"Never\" is supported when podFailurePolicy is specified";
        errors.push(Error::invalid(&path, Shown::json(&policy), detail));
    }
}

/// The rules of a changed Job.
pub(crate) fn update_job(job: &Value, old: &Value, errors: &mut ErrorList) {
    validate_job(job, errors);
    let (spec, before, path) = (job.member("spec"), old.member("spec"), Path::new("spec"));
    validate_completions(errors, spec, before, &path);
    checks::immutable(errors, spec, before, &path, "selector");
    validate_template_change(errors, job, old, &path);
    for member in
        ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]
    {
        checks::immutable(errors, spec, before, &path, member);
    }
}

/// The size of a Job is fixed but for one that counts its pods.
fn validate_completions(errors: &mut ErrorList, spec: &Value, old: &Value, path: &Path) {
    if spec.text("completionMode") != "Indexed" || !old.has("completions") {
        checks::immutable(errors, spec, old, path, "completions");
        return;
    }
    let completions = spec.int("completions");
    if completions != old.int("completions") && completions != spec.int("parallelism") {
        let detail = "can only be modified in tandem with spec.parallelism";
        let shown = Shown::json(&completions);
        errors.push(Error::invalid(&path.child("completions"), shown, detail));
    }
}

/// Where pods go may change while no pod was ever started.
fn validate_template_change(errors: &mut ErrorList, job: &Value, old: &Value, path: &Path) {
    let (mut spec, before) = (job.member("spec").clone(), old.member("spec"));
    let waiting = before.flag("suspend") && !old.member("status").has("startTime");
    if waiting && let Some(template) = spec.present_mut("template") {
        let before = before.member("template");
        for (part, member) in [
            ("metadata", "labels"),
            ("metadata", "annotations"),
            ("spec", "nodeSelector"),
            ("spec", "tolerations"),
            ("spec", "schedulingGates"),
            ("spec", "affinity"),
        ] {
            match before.member(part).member(member) {
                Value::Null => {
                    template.present_mut(part).and_then(|part| part.take_member(member));
                }
                value => template.ensure(part).set(member, value.clone()),
            }
        }
    }
    checks::immutable(errors, &spec, before, path, "template");
}

/// The rules of a CronJob.
pub(crate) fn create_cron_job(object: &Value, errors: &mut ErrorList) {
    validate_cron_job(object, errors);
    let name = object.member("metadata").text("name");
    if name.len() > CRON_JOB_NAME_CHARACTERS_MAX {
        let path = Path::new("metadata").child("name");
        let detail = format!("must be no more than {CRON_JOB_NAME_CHARACTERS_MAX} characters");
        errors.push(Error::invalid(&path, name, detail));
    }
}

/// The rules of a changed CronJob.
pub(crate) fn update_cron_job(object: &Value, _: &Value, errors: &mut ErrorList) {
    validate_cron_job(object, errors);
}

fn validate_cron_job(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    if checks::required(errors, spec, &path, "schedule") {
        validate_schedule(errors, spec.text("schedule"), &path.child("schedule"));
    }
    checks::not_negative(errors, spec, &path, &["startingDeadlineSeconds"]);
    validate_time_zone(errors, spec, &path.child("timeZone"));
    let policies = ["Allow", "Forbid", "Replace"];
    checks::one_of(errors, spec, &path, "concurrencyPolicy", &policies);
    let job = spec.member("jobTemplate").member("spec");
    let job_path = path.child("jobTemplate").child("spec");
    validate_spec(errors, job, &job_path);
    if job.flag("manualSelector") {
        let path = job_path.child("manualSelector");
        errors.push(Error::not_supported(&path, true, &["nil", "false"]));
    }
    if job.has("selector") {
        let detail = "`selector` will be auto-generated";
        let shown = Shown::json(job.member("selector"));
        errors.push(Error::invalid(&job_path.child("selector"), shown, detail));
    }
    let limits = ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"];
    checks::not_negative(errors, spec, &path, &limits);
}

fn validate_schedule(errors: &mut ErrorList, schedule: &str, path: &Path) {
    if let Err(detail) = cron::check(schedule) {
        errors.push(Error::invalid(path, schedule, detail));
    }
    if schedule.contains("TZ") {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.push(Error::invalid(path, schedule, detail));
    }
}

fn validate_time_zone(errors: &mut ErrorList, spec: &Value, path: &Path) {
    if !spec.has("timeZone") {
        return;
    }
    let zone = spec.text("timeZone");
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte);
    let detail = if zone.is_empty() {
        "timeZone must be nil or non-empty string".to_owned()
    } else if zone.eq_ignore_ascii_case("Local") {
        "timeZone must be an explicit time zone as defined in \
         https://www.iana.org/time-zones"
            .to_owned()
    } else if !zone.bytes().all(known) {
        format!("unknown time zone {zone}")
    } else {
        return;
    };
    errors.push(Error::invalid(path, zone, detail));
}

/// The rules of a disruption budget.
pub(crate) fn create_budget(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    let members = ["minAvailable", "maxUnavailable"];
    if members.iter().all(|member| spec.has(member)) {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        let shown = json!({"MinAvailable": spec.member("minAvailable"),
            "Selector": spec.member("selector"), "MaxUnavailable": spec.member("maxUnavailable"),
            "UnhealthyPodEvictionPolicy": spec.member("unhealthyPodEvictionPolicy")});
        errors.push(Error::invalid(&path, Shown::json(&shown), detail));
    }
    for member in members {
        checks::int_or_percent(errors, &path.child(member), spec.member(member));
        checks::at_most_all(errors, &path.child(member), spec.member(member));
    }
    selector::validate(errors, spec.member("selector"), &path.child("selector"));
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    checks::one_of_if_any(errors, spec, &path, "unhealthyPodEvictionPolicy", &policies);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(spec: &Value) -> Value {
        let mut job = json!({"metadata": {"name": "j", "uid": "u"}, "spec": {"template": {"spec":
            {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}});
        for (member, value) in spec.as_object().unwrap() {
            job["spec"][member] = value.clone();
        }
        crate::defaults::fill("batch", "Job", &mut job);
        crate::defaults::prepare_create("batch", "Job", &mut job);
        job
    }

    fn texts(check: impl Fn(&mut ErrorList)) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(&mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_pods_of_a_job_end() {
        let mut always = job(&json!({}));
        always["spec"]["template"]["spec"]["restartPolicy"] = "Always".into();
        assert_eq!(
            texts(|errors| create_job(&always, errors)),
            [
                "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""
            ]
        );
        assert_eq!(texts(|errors| create_job(&job(&json!({})), errors)), Vec::<String>::new());
    }

    #[test]
    fn a_selector_of_ones_own_must_be_asked_for() {
        let own = json!({"selector": {"matchLabels": {"a": "b"}}});
        let texts = texts(|errors| create_job(&job(&own), errors));
        assert!(texts[0].contains("`selector` not auto-generated"), "{texts:?}");
    }

    #[test]
    fn the_template_of_a_job_stays_as_it_is_until_it_waits() {
        let old = job(&json!({}));
        let mut new = old.clone();
        new["spec"]["template"]["spec"]["nodeSelector"] = json!({"a": "b"});
        let changed = texts(|errors| update_job(&new, &old, errors));
        assert!(changed[0].starts_with("spec.template: Invalid value: {"), "{changed:?}");
        let mut waiting = old;
        waiting["spec"]["suspend"] = true.into();
        assert!(texts(|errors| update_job(&new, &waiting, errors)).is_empty());
    }

    #[test]
    fn completions_follow_parallelism_if_pods_are_counted() {
        let old = job(&json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3}));
        let mut new = old.clone();
        new["spec"]["completions"] = 4.into();
        assert_eq!(texts(|errors| update_job(&new, &old, errors)).len(), 1);
        new["spec"]["parallelism"] = 4.into();
        assert!(texts(|errors| update_job(&new, &old, errors)).is_empty());
    }
}
