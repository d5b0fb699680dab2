//! The options of verbs, from the query or a body, and what is wrong with them
//! (spec: apimachinery 2.1, 2.12, 3.2; validation 3.5, 3.8).

use api::meta;
use api::status::{GroupResource, Status};
use serde::Deserialize as _;
use serde_json::Value;
use validation::field::{Error, ErrorList, Path};
use validation::object_meta::validate_field_manager;

use crate::codec::body::FieldValidation;
use crate::request::query::Query;
use crate::selector::{FieldSelector, LabelSelector};

const DRY_RUN_ALL: &str = "All";

/// The options of a verb that writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteOptions {
    /// Everything is done but for storing.
    pub dry_run: bool,
    /// Who writes, by its own word; empty if it does not say.
    pub field_manager: String,
    /// What is done about unknown fields.
    pub field_validation: FieldValidation,
    /// An apply takes fields from other managers.
    pub force: bool,
}

/// The verb that the options are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// `POST`
    Create,
    /// `PUT`
    Update,
    /// `PATCH` other than apply.
    Patch,
    /// `PATCH` that applies.
    Apply,
}

impl Write {
    fn kind(self) -> &'static str {
        match self {
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
            Self::Patch | Self::Apply => "PatchOptions",
        }
    }
}

impl WriteOptions {
    /// Reads the options from the query.
    ///
    /// # Errors
    ///
    /// 422 about the options.
    pub(crate) fn read(query: &Query, write: Write) -> Result<Self, Status> {
        let mut errors = ErrorList::default();
        let force = query.flag("force");
        let field_manager = query.text("fieldManager");
        if write == Write::Apply && field_manager.is_empty() {
            let path = Path::new("fieldManager");
            errors.push(Error::required(&path, "is required for apply patch"));
        }
        if write == Write::Patch && force.is_some() {
            let path = Path::new("force");
            errors.push(Error::forbidden(&path, "may not be specified for non-apply patch"));
        }
        errors.extend(validate_field_manager(field_manager, &Path::new("fieldManager")));
        let dry_run: Vec<&str> = query.all("dryRun").collect();
        errors.extend(wrong_dry_run(&dry_run));
        let field_validation = match query.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                errors.push(Error::not_supported(
                    &Path::new("fieldValidation"),
                    other,
                    &["", "Ignore", "Strict", "Warn"],
                ));
                FieldValidation::Warn
            }
        };
        invalid(write.kind(), &errors)?;
        Ok(Self {
            dry_run: !dry_run.is_empty(),
            field_manager: field_manager.to_owned(),
            field_validation,
            force: force.unwrap_or(false),
        })
    }
}

fn wrong_dry_run(values: &[&str]) -> Option<Error> {
    let wrong = values.iter().any(|value| *value != DRY_RUN_ALL);
    wrong.then(|| {
        let shown = validation::field::Shown::json(&values);
        Error::not_supported(&Path::new("dryRun"), shown, &[DRY_RUN_ALL])
    })
}

fn invalid(kind: &'static str, errors: &ErrorList) -> Result<(), Status> {
    match errors.aggregate() {
        None => Ok(()),
        Some(aggregate) => {
            let kind = GroupResource { group: "meta.k8s.io", resource: kind };
            Err(Status::invalid(kind, "", &aggregate, errors.causes()))
        }
    }
}

/// How finalizers change when deletion is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// Dependents go afterwards.
    Background,
    /// Dependents go first.
    Foreground,
    /// Dependents stay.
    Orphan,
}

/// The options of a deletion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DeleteOptions {
    /// Everything is done but for deleting.
    pub dry_run: bool,
    /// The uid that the object must have.
    pub uid: Option<String>,
    /// The resource version that the object must have.
    pub resource_version: Option<String>,
    /// What becomes of dependents, if it was said.
    pub propagation: Option<Propagation>,
    /// How many seconds the object may take to end, if it was said.
    pub grace_period_seconds: Option<i64>,
}

/// The options of a deletion as they stand in the query.
///
/// # Errors
///
/// 400 for numbers that are none.
pub(crate) fn delete_options_of_query(query: &Query) -> Result<meta::DeleteOptions, Status> {
    Ok(meta::DeleteOptions {
        grace_period_seconds: query.number("gracePeriodSeconds").map_err(Status::bad_request)?,
        dry_run: query.all("dryRun").map(str::to_owned).collect(),
        orphan_dependents: query.flag("orphanDependents"),
        propagation_policy: query.first("propagationPolicy").map(str::to_owned),
        ..meta::DeleteOptions::default()
    })
}

impl DeleteOptions {
    /// The options that stand in a body; `null` stands for none.
    ///
    /// # Errors
    ///
    /// 400 for what are no options, and those of [`Self::check`].
    pub(crate) fn read(value: Value) -> Result<Self, Status> {
        let asked = Option::<meta::DeleteOptions>::deserialize(value)
            .map_err(|error| Status::bad_request(error.to_string()))?;
        Self::check(asked.unwrap_or_default())
    }

    /// The options, if they make sense.
    ///
    /// # Errors
    ///
    /// 422 about the options.
    pub(crate) fn check(asked: meta::DeleteOptions) -> Result<Self, Status> {
        let mut errors = ErrorList::default();
        let path = Path::new("propagationPolicy");
        let policy = asked.propagation_policy.as_deref();
        if let (Some(policy), Some(_)) = (policy, asked.orphan_dependents) {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(Error::invalid(&path, validation::field::Shown::json(&policy), detail));
        }
        let propagation = match policy {
            None => asked
                .orphan_dependents
                .map(|orphan| if orphan { Propagation::Orphan } else { Propagation::Background }),
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(other) => {
                errors.push(Error::not_supported(
                    &path,
                    validation::field::Shown::json(&other),
                    &["Foreground", "Background", "Orphan", "nil"],
                ));
                None
            }
        };
        let dry_run: Vec<&str> = asked.dry_run.iter().map(String::as_str).collect();
        errors.extend(wrong_dry_run(&dry_run));
        invalid("DeleteOptions", &errors)?;
        let preconditions = asked.preconditions.unwrap_or_default();
        Ok(Self {
            dry_run: !asked.dry_run.is_empty(),
            uid: preconditions.uid,
            resource_version: preconditions.resource_version,
            propagation,
            grace_period_seconds: asked.grace_period_seconds,
        })
    }
}

/// Which state of a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Match {
    /// Exactly that revision.
    Exact,
    /// That revision or a later one.
    NotOlderThan,
}

/// The options of lists and watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListOptions {
    /// Which objects, by their labels.
    pub labels: LabelSelector,
    /// Which objects, by their fields.
    pub fields: FieldSelector,
    /// The resource version as it was given.
    pub resource_version: String,
    /// How the resource version is meant.
    pub resource_version_match: Option<Match>,
    /// At most so many objects; `None` for all.
    pub limit: Option<usize>,
    /// Where to go on.
    pub continue_token: String,
    /// How long a watch lasts.
    pub timeout_seconds: Option<u64>,
    /// Whether a watch wants bookmarks.
    pub allow_watch_bookmarks: bool,
    /// Whether a watch begins with the objects as they are.
    pub send_initial_events: Option<bool>,
}

impl ListOptions {
    /// Whether the state that is at hand will do, so that it is given whole: `limit` then does
    /// not count.
    #[must_use]
    pub(crate) fn takes_any_version(&self) -> bool {
        self.resource_version == "0" && self.resource_version_match != Some(Match::Exact)
    }

    /// Reads the options from the query.
    ///
    /// # Errors
    ///
    /// 400 for what cannot be read, 422 for what makes no sense.
    pub(crate) fn read(query: &Query, watch: bool) -> Result<Self, Status> {
        let number = |name: &str| query.number(name).map_err(Status::bad_request);
        let labels =
            LabelSelector::parse(query.text("labelSelector")).map_err(Status::bad_request)?;
        let fields =
            FieldSelector::parse(query.text("fieldSelector")).map_err(Status::bad_request)?;
        let timeout = number("timeoutSeconds")?;
        let limit = number("limit")?;
        let resource_version = query.text("resourceVersion").to_owned();
        let mut matching = query.text("resourceVersionMatch");
        let mut send_initial_events = query.flag("sendInitialEvents");
        let continue_token = query.text("continue").to_owned();
        let from_the_start = resource_version.is_empty() || resource_version == "0";
        if watch && from_the_start && matching.is_empty() && send_initial_events.is_none() {
            // A watch from the start has always begun with the objects as they are.
            matching = "NotOlderThan";
            send_initial_events = Some(true);
        }
        let errors = if watch {
            wrong_watch(matching, send_initial_events, &continue_token)
        } else {
            wrong_list(matching, &resource_version, send_initial_events, &continue_token)
        };
        invalid("ListOptions", &errors)?;
        Ok(Self {
            labels,
            fields,
            resource_version,
            resource_version_match: match matching {
                "Exact" => Some(Match::Exact),
                "NotOlderThan" => Some(Match::NotOlderThan),
                _ => None,
            },
            limit: limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0),
            continue_token,
            timeout_seconds: timeout.and_then(|seconds| u64::try_from(seconds).ok()),
            allow_watch_bookmarks: query.flag("allowWatchBookmarks").unwrap_or(false),
            send_initial_events,
        })
    }
}

fn wrong_list(
    matching: &str,
    resource_version: &str,
    send_initial_events: Option<bool>,
    continue_token: &str,
) -> ErrorList {
    let mut errors = ErrorList::default();
    let path = Path::new("resourceVersionMatch");
    if !matching.is_empty() {
        if resource_version.is_empty() {
            let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            errors.push(Error::forbidden(&path, detail));
        }
        if !continue_token.is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(Error::forbidden(&path, detail));
        }
        if !["Exact", "NotOlderThan"].contains(&matching) {
            let shown = validation::field::Shown::json(&matching);
            errors.push(Error::not_supported(&path, shown, &["Exact", "NotOlderThan", ""]));
        }
        if matching == "Exact" && resource_version == "0" {
            let detail = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            errors.push(Error::forbidden(&path, detail));
        }
    }
    if send_initial_events.is_some() {
        let path = Path::new("sendInitialEvents");
        errors.push(Error::forbidden(&path, "sendInitialEvents is forbidden for list"));
    }
    errors
}

fn wrong_watch(
    matching: &str,
    send_initial_events: Option<bool>,
    continue_token: &str,
) -> ErrorList {
    let mut errors = ErrorList::default();
    let path = Path::new("resourceVersionMatch");
    if send_initial_events.is_some() && matching != "NotOlderThan" {
        let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        errors.push(Error::forbidden(&path, detail));
    }
    if !matching.is_empty() {
        if send_initial_events.is_none() {
            let detail =
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            errors.push(Error::forbidden(&path, detail));
        }
        if matching != "NotOlderThan" {
            let shown = validation::field::Shown::json(&matching);
            errors.push(Error::not_supported(&path, shown, &["NotOlderThan"]));
        }
        if !continue_token.is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(Error::forbidden(&path, detail));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> String {
        ListOptions::read(&Query::parse(query), false).map_or_else(|s| s.message, |_| String::new())
    }

    fn watch(query: &str) -> String {
        ListOptions::read(&Query::parse(query), true).map_or_else(|s| s.message, |_| String::new())
    }

    #[test]
    fn lists_refuse_matches_that_make_no_sense() {
        assert_eq!(
            list("resourceVersionMatch=Bogus"),
            "ListOptions.meta.k8s.io \"\" is invalid: [resourceVersionMatch: Forbidden: \
             resourceVersionMatch is forbidden unless resourceVersion is provided, \
             resourceVersionMatch: Unsupported value: \"Bogus\": supported values: \"Exact\", \
             \"NotOlderThan\", \"\"]"
        );
        assert_eq!(list("resourceVersionMatch=NotOlderThan&resourceVersion=0"), "");
    }

    #[test]
    fn a_watch_from_the_start_is_one_with_initial_events() {
        let options = ListOptions::read(&Query::parse("watch=1"), true).unwrap();
        assert_eq!(options.send_initial_events, Some(true));
        assert_eq!(
            watch("continue=abc"),
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: \
             resourceVersionMatch is forbidden when continue is provided"
        );
    }

    #[test]
    fn both_ways_to_say_what_becomes_of_dependents_exclude_each_other() {
        let body: meta::DeleteOptions =
            serde_json::from_str(r#"{"orphanDependents":true,"propagationPolicy":"Background"}"#)
                .unwrap();
        assert_eq!(
            DeleteOptions::check(body).unwrap_err().message,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: \
             \"Background\": orphanDependents and deletionPropagation cannot be both set"
        );
    }

    #[test]
    fn dry_run_knows_one_value() {
        let error = WriteOptions::read(&Query::parse("dryRun=Some"), Write::Create).unwrap_err();
        assert_eq!(
            error.message,
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: \
             supported values: \"All\""
        );
    }
}
