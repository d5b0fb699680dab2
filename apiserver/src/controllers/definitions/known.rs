//! The definitions as they were last seen, and what was made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kinds::definition::{self, TakenNames};
use kinds::deletion::CLEANUP;
use serde_json::Value;
use storage::Revision;

use crate::catalog::{Catalog, CustomResource};
use crate::objects::{ObjectEntry, metadata};
use crate::resources::Resource;
use crate::resources::custom::Compiled;

/// A definition.
pub(super) struct Known {
    pub(super) value: Value,
    modified: Revision,
    compiled: Option<(Basis, Option<Arc<Compiled>>)>,
    served: Option<Serving>,
    /// It has changed since what is served of it was looked at.
    changed: bool,
    /// Its objects were taken away, and no further ones can be made.
    pub(super) is_empty: bool,
}

/// What a definition says of its objects: as long as it is the same, so is what was compiled.
#[derive(Debug, Clone, PartialEq)]
struct Basis {
    uid: String,
    spec: Value,
    accepted_names: Value,
}

struct Serving {
    terminating: bool,
    resource: CustomResource,
}

impl Known {
    fn new(value: Value, modified: Revision) -> Self {
        Self { value, modified, compiled: None, served: None, changed: true, is_empty: false }
    }

    pub(super) fn group(&self) -> &str {
        self.value["spec"]["group"].as_str().unwrap_or_default()
    }

    /// Whether it goes as soon as its objects are gone.
    pub(super) fn awaits_cleanup(&self) -> bool {
        metadata::is_being_deleted(&self.value)
            && metadata::finalizers(&self.value).iter().any(|finalizer| finalizer == CLEANUP)
    }

    pub(super) fn compiled(&self) -> Option<&Arc<Compiled>> {
        self.compiled.as_ref().and_then(|(_, compiled)| compiled.as_ref())
    }

    fn basis(&self) -> Basis {
        Basis {
            uid: metadata::text(&self.value, "uid").to_owned(),
            spec: self.value["spec"].clone(),
            accepted_names: definition::accepted_names(&self.value).clone(),
        }
    }

    fn is_compiled(&self) -> bool {
        self.compiled.as_ref().is_some_and(|(basis, _)| {
            basis.uid == metadata::text(&self.value, "uid")
                && basis.spec == self.value["spec"]
                && basis.accepted_names == *definition::accepted_names(&self.value)
        })
    }

    /// Whether its objects are to be served: not any more if nothing but their end holds it.
    fn is_wanted(&self) -> bool {
        let alone = metadata::finalizers(&self.value).len() <= 1;
        definition::is_served(&self.value) && !(self.is_empty && alone)
    }
}

/// All definitions by name.
#[derive(Default)]
pub(super) struct KnownDefinitions {
    all: BTreeMap<String, Known>,
    /// Those whose names are to be looked at, by the revision of their last change.
    unsettled: BTreeSet<(Revision, String)>,
    /// A definition is gone that was served.
    gone: bool,
}

impl KnownDefinitions {
    pub(super) fn get(&self, name: &str) -> Option<&Known> {
        self.all.get(name)
    }

    /// Notes that the objects of a definition were taken away.
    pub(super) fn set_empty(&mut self, name: &str) {
        if let Some(known) = self.all.get_mut(name) {
            known.is_empty = true;
            known.changed = true;
        }
    }

    /// The names of those that are so.
    pub(super) fn names(&self, are: impl Fn(&Known) -> bool) -> Vec<String> {
        let chosen = self.all.iter().filter(|(_, known)| are(known));
        chosen.map(|(name, _)| name.clone()).collect()
    }

    /// Takes in what is stored.
    pub(super) fn refresh(&mut self, stored: &[ObjectEntry], resource: &Resource) {
        let mut freed = BTreeSet::new();
        let names: BTreeSet<&str> =
            stored.iter().map(|entry| entry.object.metadata.name.as_str()).collect();
        self.all.retain(|name, known| {
            let stays = names.contains(name.as_str());
            if !stays {
                freed.insert(known.group().to_owned());
                self.gone |= known.served.is_some();
            }
            stays
        });
        for entry in stored {
            let name = &entry.object.metadata.name;
            if self.all.get(name).is_some_and(|known| known.modified == entry.modified) {
                continue;
            }
            let value = entry.object.value(resource);
            self.unsettled.insert((entry.modified, name.clone()));
            match self.all.get_mut(name) {
                Some(known) => {
                    known.modified = entry.modified;
                    self.replace(name, value);
                }
                None => drop(self.all.insert(name.clone(), Known::new(value, entry.modified))),
            }
        }
        freed.iter().for_each(|group| self.unsettle(group));
    }

    /// Takes in what became of a definition. Who waits for a name of its group gets another chance.
    pub(super) fn replace(&mut self, name: &str, value: Value) {
        let Some(known) = self.all.get_mut(name) else { return };
        let before = std::mem::replace(&mut known.value, value);
        known.changed = true;
        let same_object = metadata::uid(&before) == metadata::uid(&known.value);
        known.is_empty &= same_object;
        let changed =
            definition::accepted_names(&before) != definition::accepted_names(&known.value);
        if changed || !same_object {
            let group = known.group().to_owned();
            self.unsettle(&group);
        }
    }

    /// Looks again at those of a group that did not get their names.
    fn unsettle(&mut self, group: &str) {
        let waiting = self.all.iter().filter(|(_, known)| {
            known.group() == group && !definition::is_true(&known.value, "NamesAccepted")
        });
        self.unsettled.extend(waiting.map(|(name, known)| (known.modified, name.clone())));
    }

    /// The next one whose names are to be looked at.
    pub(super) fn next_unsettled(&mut self) -> Option<String> {
        loop {
            let (_, name) = self.unsettled.pop_first()?;
            let goes = |known: &Known| metadata::is_being_deleted(&known.value);
            if self.all.get(&name).is_some_and(|known| !goes(known)) {
                return Some(name);
            }
        }
    }

    /// The names that are accepted in a group.
    pub(super) fn taken_names(&self, group: &str) -> TakenNames {
        let members = self.all.values().filter(|known| known.group() == group);
        TakenNames::of(members.map(|known| &known.value))
    }

    /// Brings what is served up to date; whether it has changed.
    pub(super) async fn compile(&mut self, catalog: &Catalog) -> bool {
        let mut changed = std::mem::take(&mut self.gone);
        // Looking at each of many definitions for each change would cost more than all else.
        for (name, known) in self.all.iter_mut().filter(|(_, known)| known.changed) {
            known.changed = false;
            if !known.is_wanted() {
                changed |= known.served.take().is_some();
                continue;
            }
            if !known.is_compiled() {
                let compiled = compile(name, &known.value, catalog).await;
                known.compiled = Some((known.basis(), compiled));
                changed |= known.served.take().is_some();
            }
            let terminating = definition::is_terminating(&known.value);
            let Some(compiled) = known.compiled() else { continue };
            if known.served.as_ref().is_none_or(|served| served.terminating != terminating) {
                let resource = compiled.serve(terminating);
                known.served = Some(Serving { terminating, resource });
                changed = true;
            }
        }
        changed
    }

    /// What is to be served.
    pub(super) fn served(&self) -> Vec<CustomResource> {
        let served = self.all.values().filter_map(|known| known.served.as_ref());
        served.map(|served| served.resource.clone()).collect()
    }

    /// What could not be served is tried again.
    pub(super) fn forget_served(&mut self) {
        for known in self.all.values_mut() {
            known.served = None;
            known.changed = true;
        }
        self.gone = true;
    }
}

/// Compiles a definition, which may take a while; `None` if its objects cannot be served.
async fn compile(name: &str, value: &Value, catalog: &Catalog) -> Option<Arc<Compiled>> {
    let value = value.clone();
    let compiled = tokio::task::spawn_blocking(move || Compiled::new(&value)).await;
    let compiled = match compiled {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(error)) => {
            tracing::error!(%error, name, "a definition cannot be served");
            return None;
        }
        Err(error) => {
            tracing::error!(%error, name, "a definition could not be compiled");
            return None;
        }
    };
    if catalog.is_built_in(compiled.stored()) {
        tracing::warn!(name, "a definition of a built-in kind is not served");
        return None;
    }
    Some(Arc::new(compiled))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use storage::Backend;
    use storage::memory::Memory;

    use super::*;
    use crate::nonresource::AboutServer;
    use crate::options::RuntimeConfig;
    use crate::resources::Resources;
    use crate::resources::custom::testing::definition;

    async fn catalog() -> Catalog {
        let backend: Arc<dyn Backend> = Arc::new(Memory::new());
        let built_in = Resources::built_in(&RuntimeConfig::default());
        Catalog::open(&backend, built_in, AboutServer::default()).await.unwrap()
    }

    /// Definitions as they are known when they were just read.
    fn known(definitions: &[Value]) -> KnownDefinitions {
        let mut known = KnownDefinitions::default();
        for (revision, value) in (1..).zip(definitions) {
            let name = metadata::text(value, "name").to_owned();
            known.unsettled.insert((Revision(revision), name.clone()));
            known.all.insert(name, Known::new(value.clone(), Revision(revision)));
        }
        known
    }

    const NAME: &str = "widgets.example.com";

    #[tokio::test]
    async fn what_says_the_same_of_its_objects_is_not_compiled_again() {
        let catalog = catalog().await;
        let mut known = known(&[definition()]);
        assert!(known.compile(&catalog).await);
        let first = known.served();
        assert!(!known.compile(&catalog).await, "nothing has changed");

        let mut going = definition();
        let condition = json!({ "type": "Terminating", "status": "True" });
        going["status"]["conditions"].as_array_mut().unwrap().push(condition);
        known.replace(NAME, going);
        assert!(known.compile(&catalog).await);
        assert!(Arc::ptr_eq(&known.served()[0].stored, &first[0].stored));

        let mut other = definition();
        other["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = json!("New.");
        known.replace(NAME, other);
        assert!(known.compile(&catalog).await);
        assert!(!Arc::ptr_eq(&known.served()[0].stored, &first[0].stored));
    }

    #[tokio::test]
    async fn what_waits_only_for_the_end_of_its_objects_is_served_no_more_when_they_are_gone() {
        let catalog = catalog().await;
        let mut going = definition();
        going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        going["metadata"]["finalizers"] = json!([CLEANUP, "example.com/mine"]);
        let mut known = known(&[going.clone()]);
        known.compile(&catalog).await;
        known.set_empty(NAME);
        assert!(!known.compile(&catalog).await, "somebody else holds it");
        going["metadata"]["finalizers"] = json!([CLEANUP]);
        known.replace(NAME, going);
        assert!(known.get(NAME).unwrap().awaits_cleanup());
        assert!(known.compile(&catalog).await);
        assert_eq!(known.served().len(), 0);
    }

    #[tokio::test]
    async fn a_definition_of_a_built_in_kind_takes_nothing_over() {
        let catalog = catalog().await;
        let mut definition = definition();
        definition["spec"]["group"] = json!("events.k8s.io");
        definition["spec"]["names"]["plural"] = json!("events");
        let mut known = known(&[definition]);
        known.compile(&catalog).await;
        assert_eq!(known.served().len(), 0);
    }

    #[test]
    fn who_waits_for_a_name_gets_another_chance_when_one_is_freed() {
        let mut waiting = definition();
        waiting["metadata"]["name"] = json!("gadgets.example.com");
        waiting["status"] = json!({ "acceptedNames": { "plural": "", "kind": "" } });
        let mut known = known(&[definition(), waiting]);
        assert_eq!(known.next_unsettled().as_deref(), Some(NAME));
        assert_eq!(known.next_unsettled().as_deref(), Some("gadgets.example.com"));
        assert_eq!(known.next_unsettled(), None);
        let mut renamed = definition();
        renamed["status"]["acceptedNames"]["kind"] = json!("Thing");
        known.replace(NAME, renamed);
        assert_eq!(known.next_unsettled().as_deref(), Some("gadgets.example.com"));
        assert_eq!(known.next_unsettled(), None);
    }
}
