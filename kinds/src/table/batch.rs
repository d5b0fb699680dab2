//! Group `batch`.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{
    count, holds, integer, is_terminating, name, optional_or, present, since, text, time,
};
use super::format::{CONTAINERS, IMAGES, SELECTOR, containers};
use super::{Column, NONE, Table, age, age_of, selector};

pub(super) static JOB: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Status", "Status of the job."),
        Column::text("Completions", "How many pods have succeeded, of those that the Job needs."),
        Column::text("Duration", "Time required to complete the job."),
        Column::AGE,
        CONTAINERS.wide(),
        IMAGES.wide(),
        SELECTOR,
    ],
    |object, now| {
        let [names, images] = containers(object, "/spec/template/spec");
        vec![
            name(object),
            status(object).into(),
            completions(object).into(),
            duration(object, now).into(),
            age_of(object, now),
            names,
            images,
            selector::cell(object.pointer("/spec/selector")),
        ]
    },
);

/// The first of these that is so.
fn status(job: &Value) -> &'static str {
    if holds(job, "Complete") {
        "Complete"
    } else if holds(job, "Failed") {
        "Failed"
    } else if is_terminating(job) {
        "Terminating"
    } else if holds(job, "Suspended") {
        "Suspended"
    } else if holds(job, "FailureTarget") {
        "FailureTarget"
    } else {
        "Running"
    }
}

fn completions(job: &Value) -> String {
    let succeeded = integer(job, "/status/succeeded");
    if let Some(completions) = present(job, "/spec/completions") {
        return format!("{succeeded}/{completions}");
    }
    // Without a number of completions, one that ends well completes the Job.
    match integer(job, "/spec/parallelism") {
        parallelism @ 2.. => format!("{succeeded}/1 of {parallelism}"),
        _ => format!("{succeeded}/1"),
    }
}

fn duration(job: &Value, now: Timestamp) -> String {
    let Some(start) = time(job, "/status/startTime") else { return String::new() };
    let end = time(job, "/status/completionTime").unwrap_or(now);
    age(end.unix_seconds().saturating_sub(start.unix_seconds()))
}

pub(super) static CRON_JOB: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Schedule", "When the CronJob starts Jobs, in the notation of cron."),
        Column::text("Timezone", "The time zone in which the schedule is meant."),
        Column::text("Suspend", "Whether the CronJob starts no further Jobs for now.")
            .of_type("boolean"),
        Column::text("Active", "How many Jobs of the CronJob are running at this moment.")
            .of_type("integer"),
        Column::text("Last Schedule", "The time since the CronJob last started a Job."),
        Column::AGE,
        CONTAINERS.wide(),
        IMAGES.wide(),
        SELECTOR,
    ],
    cron_job,
);

fn cron_job(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(object, "/spec/jobTemplate/spec/template/spec");
    vec![
        name(object),
        text(object, "/spec/schedule"),
        optional_or(object, "/spec/timeZone", NONE),
        suspend(object).into(),
        count(object, "/status/active").into(),
        last_schedule(object, now).into(),
        age_of(object, now),
        names,
        images,
        selector::cell(object.pointer("/spec/jobTemplate/spec/selector")),
    ]
}

/// In words, although the column promises a boolean.
fn suspend(cron_job: &Value) -> &'static str {
    match cron_job.pointer("/spec/suspend").and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
}

fn last_schedule(cron_job: &Value, now: Timestamp) -> String {
    match present(cron_job, "/status/lastScheduleTime") {
        Some(_) => since(cron_job, "/status/lastScheduleTime", now),
        None => NONE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn a_job_that_is_over_shows_how_long_it_took() {
        let object = json!({
            "metadata": {"name": "j", "creationTimestamp": "2026-11-30T10:00:00Z"},
            "spec": {
                "completions": 4, "parallelism": 2, "selector": {"matchLabels": {"a": "b"}},
                "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
            },
            "status": {
                "succeeded": 4, "conditions": [{"type": "Complete", "status": "True"}],
                "startTime": "2026-11-30T10:00:00Z", "completionTime": "2026-11-30T10:05:30Z",
            },
        });
        assert_eq!(
            cells(&JOB, &object),
            json!(["j", "Complete", "4/4", "5m30s", "120m", "c", "i", "a=b"])
        );
    }

    #[test]
    fn a_job_that_runs_shows_how_long_it_has() {
        let object = json!({"status": {"startTime": "2026-11-30T11:59:00Z"}});
        assert_eq!(some_cells(&JOB, &object, &["Duration"]), json!(["60s"]));
        assert_eq!(some_cells(&JOB, &json!({}), &["Duration"]), json!([""]));
    }

    #[test]
    fn completions_without_a_number_need_one_pod() {
        for (spec, expected) in [
            (json!({"completions": 0}), "1/0"),
            (json!({"completions": null, "parallelism": 3}), "1/1 of 3"),
            (json!({"parallelism": 1}), "1/1"),
            (json!({}), "1/1"),
        ] {
            let object = json!({"spec": spec, "status": {"succeeded": 1}});
            assert_eq!(some_cells(&JOB, &object, &["Completions"]), json!([expected]));
        }
    }

    #[test]
    fn how_a_job_ended_goes_before_what_it_was_doing() {
        let deletion = json!("2026-11-30T11:00:00Z");
        let none = json!(null);
        for (conditions, deletion, expected) in [
            (&["FailureTarget", "Suspended", "Failed", "Complete"][..], &deletion, "Complete"),
            (&["FailureTarget", "Suspended", "Failed"], &deletion, "Failed"),
            (&["FailureTarget", "Suspended"], &deletion, "Terminating"),
            (&["FailureTarget", "Suspended"], &none, "Suspended"),
            (&["FailureTarget"], &none, "FailureTarget"),
            (&[], &none, "Running"),
        ] {
            let conditions: Vec<_> = conditions
                .iter()
                .map(|condition| json!({"type": condition, "status": "True"}))
                .collect();
            let object = json!({
                "metadata": {"deletionTimestamp": deletion}, "status": {"conditions": conditions},
            });
            assert_eq!(some_cells(&JOB, &object, &["Status"]), json!([expected]));
        }
        let resumed = json!({"status": {"conditions": [{"type": "Suspended", "status": "False"}]}});
        assert_eq!(some_cells(&JOB, &resumed, &["Status"]), json!(["Running"]));
    }

    #[test]
    fn cron_jobs_show_when_they_last_started_a_job() {
        let object = json!({
            "metadata": {"name": "c"},
            "spec": {
                "schedule": "0 * * * *", "timeZone": "Europe/Berlin", "suspend": true,
                "jobTemplate": {"spec": {
                    "selector": {"matchLabels": {"a": "b"}},
                    "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
                }},
            },
            "status": {"active": [{}, {}], "lastScheduleTime": "2026-11-30T11:00:00Z"},
        });
        assert_eq!(
            cells(&CRON_JOB, &object),
            json!([
                "c",
                "0 * * * *",
                "Europe/Berlin",
                "True",
                2,
                "60m",
                "<unknown>",
                "c",
                "i",
                "a=b"
            ])
        );
        assert_eq!(
            some_cells(&CRON_JOB, &json!({}), &["Timezone", "Suspend", "Active", "Last Schedule"]),
            json!(["<none>", "<unset>", 0, "<none>"])
        );
    }
}
