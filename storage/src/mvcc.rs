//! The keyspace in memory, with its recent history. Pure: no clock, no lock, no await.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use crate::backend::{
    At, Change, Committed, Error, Event, EventKind, Key, KeyValue, Page, Revision, Snapshot,
};

/// One state of a key; no value means that it was deleted.
#[derive(Debug, Clone)]
struct Version {
    revision: Revision,
    created: Revision,
    value: Option<Bytes>,
}

/// Every key with the versions that are kept, and the order in which they came.
#[derive(Debug)]
pub struct Index {
    keys: BTreeMap<Key, Vec<Version>>,
    /// The changes after `compacted`, oldest first.
    log: VecDeque<(Revision, Key)>,
    revision: Revision,
    compacted: Revision,
    live_keys: usize,
    bytes: u64,
}

impl Default for Index {
    fn default() -> Self {
        Self::restore(Revision::FIRST, [])
    }
}

impl Index {
    /// An index that holds these keys and no history before `revision`.
    pub fn restore(revision: Revision, entries: impl IntoIterator<Item = KeyValue>) -> Self {
        let mut index = Self {
            keys: BTreeMap::new(),
            log: VecDeque::new(),
            revision,
            compacted: revision,
            live_keys: 0,
            bytes: 0,
        };
        for KeyValue { key, value, created, modified } in entries {
            index.live_keys += 1;
            index.bytes += stored_bytes(&key, Some(&value));
            let version = Version { revision: modified, created, value: Some(value) };
            index.keys.insert(key, vec![version]);
        }
        index
    }

    /// The current revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The newest revision whose history is gone.
    #[must_use]
    pub fn compacted(&self) -> Revision {
        self.compacted
    }

    /// How many keys there are.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.live_keys
    }

    /// How many bytes the kept versions have, keys and deletions included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a change would be made; if so, the revision it would be answered with.
    ///
    /// # Errors
    ///
    /// What keeps it from being made.
    pub fn check(&self, change: &Change) -> Result<Option<KeyValue>, Error> {
        let current = self.latest(change.key());
        match (change, current) {
            (Change::Create { .. }, Some(current)) => Err(Error::KeyExists(Box::new(current))),
            (Change::Create { .. }, None) => Ok(None),
            (Change::Update { .. } | Change::Delete { .. }, None) => Err(Error::KeyNotFound),
            (Change::Update { expected, .. } | Change::Delete { expected, .. }, Some(current)) => {
                if current.modified == *expected {
                    Ok(Some(current))
                } else {
                    Err(Error::Conflict(Box::new(current)))
                }
            }
        }
    }

    /// Makes a change.
    ///
    /// # Errors
    ///
    /// What kept it from being made; the index is as it was.
    pub fn apply(&mut self, change: &Change) -> Result<(Committed, Event), Error> {
        let previous = self.check(change)?;
        let revision = self.revision.next();
        let value = change.value().cloned();
        let key = change.key().clone();
        let created = previous.as_ref().map_or(revision, |previous| previous.created);
        self.revision = revision;
        self.bytes += stored_bytes(&key, value.as_ref());
        match (&previous, &value) {
            (None, Some(_)) => self.live_keys += 1,
            (Some(_), None) => self.live_keys -= 1,
            _ => {}
        }
        let version = Version { revision, created, value: value.clone() };
        self.keys.entry(key.clone()).or_default().push(version);
        self.log.push_back((revision, key.clone()));

        let kind = if value.is_some() { EventKind::Put } else { EventKind::Delete };
        let shown = value.or_else(|| previous.as_ref().map(|previous| previous.value.clone()));
        let current =
            KeyValue { key, value: shown.unwrap_or_default(), created, modified: revision };
        let event = Event { kind, current, previous: previous.clone() };
        Ok((Committed { revision, previous }, event))
    }

    /// Reads one key.
    ///
    /// # Errors
    ///
    /// [`Error::Compacted`], [`Error::FutureRevision`].
    pub fn get(&self, key: &Key, at: At) -> Result<Snapshot<Option<KeyValue>>, Error> {
        let revision = self.resolve(at)?;
        let value = self.keys.get(key).and_then(|versions| live_at(key, versions, revision));
        Ok(Snapshot { revision, value })
    }

    /// Reads the keys that start with `prefix`.
    ///
    /// # Errors
    ///
    /// [`Error::Compacted`], [`Error::FutureRevision`].
    pub fn range(
        &self,
        prefix: &str,
        at: At,
        page: &Page,
    ) -> Result<Snapshot<Vec<KeyValue>>, Error> {
        let revision = self.resolve(at)?;
        let from = page.from.as_deref().filter(|from| *from > prefix).unwrap_or(prefix);
        let value = self
            .keys
            .range::<str, _>((Bound::Included(from), Bound::Unbounded))
            .take_while(|(key, _)| key.as_str().starts_with(prefix))
            .filter_map(|(key, versions)| live_at(key, versions, revision))
            .take(page.limit.unwrap_or(usize::MAX))
            .collect();
        Ok(Snapshot { revision, value })
    }

    /// The changes of keys that start with `prefix` and come after a revision.
    ///
    /// # Errors
    ///
    /// [`Error::Compacted`] if some are no longer kept.
    pub fn events_after(&self, prefix: &str, after: Revision) -> Result<Vec<Arc<Event>>, Error> {
        if after < self.compacted {
            return Err(Error::Compacted { oldest: self.compacted });
        }
        let start = self.log.partition_point(|(revision, _)| *revision <= after);
        let events = self
            .log
            .range(start..)
            .filter(|(_, key)| key.as_str().starts_with(prefix))
            .filter_map(|(revision, key)| self.event_at(key, *revision).map(Arc::new));
        Ok(events.collect())
    }

    /// Forgets what was overwritten or deleted up to a revision; what is current stays.
    ///
    /// # Errors
    ///
    /// [`Error::FutureRevision`]; nothing is forgotten then.
    pub fn compact(&mut self, up_to: Revision) -> Result<(), Error> {
        if up_to > self.revision {
            return Err(Error::FutureRevision { current: self.revision });
        }
        while let Some((revision, key)) = self.log.front() {
            if *revision > up_to {
                break;
            }
            let key = key.clone();
            self.log.pop_front();
            self.forget(&key, up_to);
        }
        self.compacted = self.compacted.max(up_to);
        Ok(())
    }

    /// Drops the versions of a key that nobody can read once `up_to` is compacted.
    fn forget(&mut self, key: &Key, up_to: Revision) {
        let Some(versions) = self.keys.get_mut(key) else { return };
        let readable = versions.partition_point(|version| version.revision <= up_to);
        let deleted = readable > 0 && versions[readable - 1].value.is_none();
        let keep_from = if deleted { readable } else { readable.saturating_sub(1) };
        let dropped = versions.drain(..keep_from);
        self.bytes -= dropped.map(|version| stored_bytes(key, version.value.as_ref())).sum::<u64>();
        if versions.is_empty() {
            self.keys.remove(key);
        }
    }

    fn latest(&self, key: &Key) -> Option<KeyValue> {
        self.keys.get(key).and_then(|versions| live_at(key, versions, self.revision))
    }

    fn resolve(&self, at: At) -> Result<Revision, Error> {
        match at {
            At::Latest => Ok(self.revision),
            At::Exact(revision) if revision > self.revision => {
                Err(Error::FutureRevision { current: self.revision })
            }
            At::Exact(revision) if revision < self.compacted => {
                Err(Error::Compacted { oldest: self.compacted })
            }
            At::Exact(revision) => Ok(revision),
        }
    }

    fn event_at(&self, key: &Key, revision: Revision) -> Option<Event> {
        let versions = self.keys.get(key)?;
        let at = versions.binary_search_by_key(&revision, |version| version.revision).ok()?;
        let version = &versions[at];
        let previous = at.checked_sub(1).and_then(|before| live(key, &versions[before]));
        let kind = if version.value.is_some() { EventKind::Put } else { EventKind::Delete };
        let value = version.value.clone().or_else(|| previous.as_ref().map(|p| p.value.clone()));
        let current = KeyValue {
            key: key.clone(),
            value: value.unwrap_or_default(),
            created: version.created,
            modified: revision,
        };
        Some(Event { kind, current, previous })
    }
}

/// How many bytes a version counts: its key, its value, and about what keeping it costs.
pub(crate) fn stored_bytes(key: &Key, value: Option<&Bytes>) -> u64 {
    const OVERHEAD_BYTES: u64 = 64;
    key.as_str().len() as u64 + value.map_or(0, |value| value.len() as u64) + OVERHEAD_BYTES
}

fn live_at(key: &Key, versions: &[Version], revision: Revision) -> Option<KeyValue> {
    let at = versions.partition_point(|version| version.revision <= revision).checked_sub(1)?;
    live(key, &versions[at])
}

fn live(key: &Key, version: &Version) -> Option<KeyValue> {
    version.value.clone().map(|value| KeyValue {
        key: key.clone(),
        value,
        created: version.created,
        modified: version.revision,
    })
}

#[cfg(test)]
mod tests;
