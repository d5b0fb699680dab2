//! Getting and listing (spec: apimachinery 2.6, 3.1 to 3.3).

use api::status::Status;
use storage::Revision;
use storage::cache::{Freshness, List, ReadError};

use super::Call;
use super::continue_token::ContinueToken;
use super::options::{ListOptions, Match};
use super::present::{IncludeObject, ListMeta, Presenter};
use super::{failure, versions};
use crate::codec::accept::{self, Accepted, Transform};
use crate::long_work;
use crate::objects::{Object, ObjectEntry};
use crate::reply::Reply;
use crate::request::query::parse_uint;
use crate::resources::{Resource, field_text, needs_whole};
use validation::text::go_quote;

/// Said when a list cannot go on where it left off.
const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list \
    result. You can start a new list without the continue parameter, or use the continue token in \
    this response to retrieve the remainder of the results. Continuing with the provided token \
    results in an inconsistent list - objects that were created, modified, or deleted between the \
    time the first chunk was returned and now may show up in the list.";

pub(super) async fn get(call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let query = &call.request.query;
    if query.flag("export") == Some(true) {
        return Err(Status::bad_request(
            "the export parameter, deprecated since v1.14, is no longer supported",
        ));
    }
    let freshness = match query.text("resourceVersion") {
        "" => Freshness::Consistent,
        "0" => Freshness::Any,
        text => {
            let revision =
                parse_uint(text).map_err(|why| Status::other(wrong_version(text, &why)))?;
            Freshness::NotOlderThan(Revision(revision))
        }
    };
    let entry = call.entry(freshness).await?;
    call.presenter(accepted)?.object(200, &entry.object)
}

/// The text about a resource version that is none.
pub(super) fn wrong_version(text: &str, why: &str) -> String {
    format!("resourceVersion: Invalid value: {}: {why}", go_quote(text))
}

pub(super) async fn list(call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = ListOptions::read(&call.request.query, false)?;
    call.check_fields(&options)?;
    let presenter = call.presenter(accepted)?;
    let page = call.page(&options).await?;
    // As plain JSON they are only copied.
    let is_long =
        accepted.transform != Transform::None && page.entries.len() >= long_work::LONG_OBJECTS_MIN;
    long_work::run(is_long, || presenter.list(&page.entries, &page.meta))
}

/// A part of a list.
pub(super) struct Page {
    pub(super) entries: Vec<ObjectEntry>,
    pub(super) meta: ListMeta,
}

impl Call<'_> {
    /// The object that the request names.
    pub(super) async fn entry(&self, freshness: Freshness) -> Result<ObjectEntry, Status> {
        let key = self.resource.key(&self.namespace, &self.name);
        let found = self.store.cache.get(&key, freshness).await;
        let found = found.map_err(|error| failure::read(&error))?;
        let found = self.as_served(found.into_iter().collect()).await?.pop();
        found.ok_or_else(|| Status::not_found(self.resource.group_resource(), &self.name))
    }

    async fn as_served(&self, entries: Vec<ObjectEntry>) -> Result<Vec<ObjectEntry>, Status> {
        versions::as_served(self.server, &self.resource, entries).await
    }

    pub(super) fn presenter(&self, accepted: Accepted) -> Result<Presenter<'_>, Status> {
        let include_object = match accepted.transform {
            Transform::Table(_) => IncludeObject::parse(self.request.query.text("includeObject"))?,
            _ => IncludeObject::Metadata,
        };
        let now = self.server.clock.timestamp();
        Ok(Presenter { resource: &self.resource, accepted, include_object, now })
    }

    /// Field selectors name only fields that the kind can be selected by.
    pub(super) fn check_fields(&self, options: &ListOptions) -> Result<(), Status> {
        options
            .fields
            .fields()
            .try_for_each(|field| self.resource.fields.check(field).map_err(Status::bad_request))
    }

    /// The part of the list that the options ask for.
    pub(super) async fn page(&self, options: &ListOptions) -> Result<Page, Status> {
        let (list, start, consistent) = self.snapshot(options).await?;
        let prefix = self.prefix();
        let from = prefix.clone() + start.as_deref().unwrap_or_default();
        let below = list.below(&prefix);
        let begin = below.partition_point(|entry| entry.key.as_str() < from.as_str());
        let mut candidates = below[begin..].to_vec();
        let by_fields = needs_whole(options.fields.fields());
        if by_fields {
            candidates = self.as_served(candidates).await?;
        }
        let limit = options.limit.filter(|_| !options.takes_any_version());
        let limit = limit.unwrap_or(usize::MAX);
        let mut entries = Vec::new();
        let mut looked_at = 0;
        for entry in &candidates {
            looked_at += 1;
            if selects(options, &self.resource, &entry.object) {
                entries.push(ObjectEntry::clone(entry));
            }
            if entries.len() >= limit {
                break;
            }
        }
        let rest = candidates.len() - looked_at;
        let mut meta = ListMeta { resource_version: list.revision.0, ..ListMeta::default() };
        if rest > 0
            && let Some(last) = candidates.get(looked_at - 1)
        {
            let key = last.key.as_str().strip_prefix(&prefix).unwrap_or_default();
            let revision = consistent.then_some(list.revision.0);
            meta.continue_token = ContinueToken::after(key, revision).encode();
            let unfiltered = options.labels.is_empty() && options.fields.is_empty();
            meta.remaining_items = unfiltered.then_some(rest);
        }
        if !by_fields {
            entries = self.as_served(entries).await?;
        }
        Ok(Page { entries, meta })
    }

    /// The prefix of the keys that are asked for.
    fn prefix(&self) -> String {
        let prefix = self.resource.key_prefix();
        if self.namespace.is_empty() {
            prefix.to_owned()
        } else {
            format!("{prefix}{}/", self.namespace)
        }
    }

    /// The state to list, where to start in it, and whether further pages can be of the same state.
    async fn snapshot(
        &self,
        options: &ListOptions,
    ) -> Result<(List<Object>, Option<String>, bool), Status> {
        let cache = &self.store.cache;
        let version = options.resource_version.as_str();
        if !options.continue_token.is_empty() {
            if !version.is_empty() && version != "0" {
                return Err(Status::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            return self.continued(&options.continue_token).await;
        }
        let revision = match version {
            "" | "0" => None,
            text => Some(Revision(parse_uint(text).map_err(|why| {
                let why = wrong_version(text, &why);
                Status::bad_request(format!("invalid resource version: {why}"))
            })?)),
        };
        let exactly = match options.resource_version_match {
            Some(Match::Exact) => true,
            Some(Match::NotOlderThan) => false,
            None => options.limit.is_some(),
        };
        let list = match revision {
            Some(revision) if exactly => cache.list_exact(revision).await,
            Some(revision) => cache.list(Freshness::NotOlderThan(revision)).await,
            None if version.is_empty() => cache.list(Freshness::Consistent).await,
            None => cache.list(Freshness::Any).await,
        };
        Ok((list.map_err(|error| failure::read(&error))?, None, true))
    }

    async fn continued(&self, token: &str) -> Result<(List<Object>, Option<String>, bool), Status> {
        let token = ContinueToken::decode(token)?;
        let cache = &self.store.cache;
        let list = match token.revision {
            None => cache.list(Freshness::Consistent).await,
            Some(revision) => cache.list_exact(Revision(revision)).await,
        };
        match list {
            Ok(list) => Ok((list, Some(token.start), true)),
            Err(ReadError::TooOld { .. }) => {
                let inconsistent = ContinueToken { revision: None, start: token.start };
                let mut status = Status::expired(EXPIRED);
                status.metadata.continue_token = inconsistent.encode();
                Err(status)
            }
            Err(error) => Err(failure::read(&error)),
        }
    }
}

/// Whether the options' selectors take an object.
pub(super) fn selects(options: &ListOptions, resource: &Resource, object: &Object) -> bool {
    if !options.labels.matches(&object.metadata.labels) {
        return false;
    }
    let whole = needs_whole(options.fields.fields()).then(|| object.value(resource));
    options.fields.matches(|field| field_text(object, whole.as_ref(), field))
}
