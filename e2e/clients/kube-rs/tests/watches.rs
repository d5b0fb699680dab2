//! Watches, and what is built on them.

use std::collections::BTreeMap;
use std::pin::pin;

use futures::{Stream, StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::flowcontrol::v1::FlowSchema;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::watcher::{self, Event, InitialListStrategy};
use kube::runtime::{PredicateConfig, WatchStreamExt as _, predicates, watcher as watch};
use kube::{Api, Error, ResourceExt as _};
use kube_rs_client::{PATIENCE, delete, flow_schema, flow_schemas};
use serde_json::json;
use tokio::time::timeout;

async fn next<T>(stream: &mut (impl Stream<Item = T> + Unpin)) -> T {
    timeout(PATIENCE, stream.next()).await.expect("nothing comes").expect("the stream has ended")
}

/// Creates, changes and deletes two objects of a test.
async fn change(api: &Api<FlowSchema>, test: &str) {
    for number in 0..2 {
        let name = format!("rs-{test}-{number}");
        api.create(&PostParams::default(), &flow_schema(&name, test)).await.unwrap();
        let patch = Patch::Merge(json!({ "spec": { "matchingPrecedence": 100 + number } }));
        api.patch(&name, &PatchParams::default(), &patch).await.unwrap();
    }
    delete(api, &format!("rs-{test}-0")).await;
}

#[tokio::test]
async fn a_watch_goes_on_from_any_version_that_was_seen() {
    let api = flow_schemas().await;
    let selected = WatchParams::default().labels("test=resumed").timeout(30);
    let list = api.list(&ListParams::default().labels("test=resumed")).await.unwrap();
    let mut version = list.metadata.resource_version.unwrap();
    change(&api, "resumed").await;
    // A new watch for each event: none comes twice, none is missing.
    let mut seen = Vec::new();
    while seen.last() != Some(&"deleted rs-resumed-0".to_owned()) {
        let mut events = pin!(api.watch(&selected, &version).await.unwrap());
        let (what, object) = match next(&mut events).await.unwrap() {
            WatchEvent::Added(object) => ("added", object),
            WatchEvent::Modified(object) => ("modified", object),
            WatchEvent::Deleted(object) => ("deleted", object),
            WatchEvent::Bookmark(mark) => {
                version = mark.metadata.resource_version;
                continue;
            }
            WatchEvent::Error(status) => panic!("{status:?}"),
        };
        let later = object.resource_version().unwrap();
        assert!(later.parse::<u64>().unwrap() > version.parse().unwrap());
        version = later;
        seen.push(format!("{what} {}", object.name_any()));
    }
    let count = |text: &str| seen.iter().filter(|line| *line == text).count();
    assert_eq!((count("added rs-resumed-0"), count("added rs-resumed-1")), (1, 1));
    assert!(count("modified rs-resumed-0") >= 1 && count("modified rs-resumed-1") >= 1);
    delete(&api, "rs-resumed-1").await;
}

#[tokio::test]
async fn a_version_that_was_never_is_an_expired_one() {
    let api = flow_schemas().await;
    let mut events = pin!(api.watch(&WatchParams::default(), "1").await.unwrap());
    let code = match next(&mut events).await {
        Ok(WatchEvent::Error(status)) => status.code,
        Err(Error::Api(status)) => status.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code, 410);
}

async fn reflects(config: watcher::Config, test: &str) {
    let api = flow_schemas().await;
    let before = format!("rs-{test}-before");
    api.create(&PostParams::default(), &flow_schema(&before, test)).await.unwrap();
    let (store, writer) = reflector::store();
    let stream = watch(api.clone(), config.labels(&format!("test={test}")));
    let task = tokio::spawn(
        reflector::reflector(writer, stream)
            .default_backoff()
            .touched_objects()
            .try_for_each(async |_| Ok(())),
    );
    timeout(PATIENCE, store.wait_until_ready()).await.expect("not ready").unwrap();
    assert!(store.get(&ObjectRef::new(&before)).is_some());
    change(&api, test).await;
    delete(&api, &before).await;
    let agree = async || {
        let list = api.list(&ListParams::default().labels(&format!("test={test}"))).await.unwrap();
        let versions = |objects: &mut dyn Iterator<Item = &FlowSchema>| {
            objects.map(|o| (o.name_any(), o.resource_version())).collect::<BTreeMap<_, _>>()
        };
        let state = store.state();
        versions(&mut state.iter().map(|object| &**object)) == versions(&mut list.items.iter())
    };
    let agreed = timeout(PATIENCE, async {
        while !agree().await {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    });
    assert!(agreed.await.is_ok(), "{:?}", store.state());
    assert_eq!(store.state().len(), 1);
    task.abort();
    delete(&api, &format!("rs-{test}-1")).await;
}

#[tokio::test]
async fn a_reflector_follows_by_list_and_watch() {
    let config = watcher::Config {
        initial_list_strategy: InitialListStrategy::ListWatch,
        ..watcher::Config::default()
    };
    reflects(config.page_size(1), "reflected").await;
}

#[tokio::test]
async fn a_reflector_follows_by_a_streaming_list() {
    reflects(watcher::Config::default().streaming_lists(), "streamed").await;
}

#[tokio::test]
async fn a_streaming_list_is_complete_before_changes_come() {
    let api = flow_schemas().await;
    let mut events = pin!(watch(api.clone(), watcher::Config::default().streaming_lists()));
    assert!(matches!(next(&mut events).await.unwrap(), Event::Init));
    let mut names = Vec::new();
    loop {
        match next(&mut events).await.unwrap() {
            Event::InitApply(object) => names.push(object.name_any()),
            Event::InitDone => break,
            other => panic!("{other}"),
        }
    }
    for name in ["exempt", "catch-all", "global-default", "system-nodes"] {
        assert!(names.contains(&name.to_owned()), "{name} is not in {names:?}");
    }
}

#[tokio::test]
async fn a_predicate_lets_only_new_generations_through() {
    let api = flow_schemas().await;
    let config = watcher::Config::default().labels("test=generations").streaming_lists();
    let stream = watch(api.clone(), config)
        .default_backoff()
        .applied_objects()
        .predicate_filter(predicates::generation, PredicateConfig::default());
    let mut stream = pin!(stream);
    let name = "rs-generations";
    let written = async {
        api.create(&PostParams::default(), &flow_schema(name, "generations")).await.unwrap();
        let params = PatchParams::default();
        let label = Patch::Merge(json!({ "metadata": { "labels": { "more": "1" } } }));
        api.patch(name, &params, &label).await.unwrap();
        let spec = Patch::Merge(json!({ "spec": { "matchingPrecedence": 5 } }));
        api.patch(name, &params, &spec).await.unwrap();
    };
    let seen = async {
        let mut generations = Vec::new();
        while generations.last() != Some(&Some(2)) {
            generations.push(next(&mut stream).await.unwrap().metadata.generation);
        }
        generations
    };
    let (generations, ()) = futures::join!(seen, written);
    assert!(generations == [Some(1), Some(2)] || generations == [Some(2)], "{generations:?}");
    delete(&api, name).await;
}
