//! Objects are created, read, patched, applied and deleted.

use k8s_openapi::api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::core::Status;
use kube::{Api, Error, ResourceExt as _};
use kube_rs_client::{client, delete, flow_schema, flow_schemas, precedence};
use serde_json::json;

/// The Status that a request was refused with.
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Status {
    match result {
        Err(Error::Api(status)) => *status,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_flow_schema_is_created_replaced_and_deleted() {
    let api = flow_schemas().await;
    let made = api.create(&PostParams::default(), &flow_schema("rs-crud", "crud")).await.unwrap();
    assert_eq!(made.metadata.generation, Some(1));
    let again = api.create(&PostParams::default(), &flow_schema("rs-crud", "crud")).await;
    assert_eq!(refusal(again).reason, "AlreadyExists");

    let mut changed = made.clone();
    changed.spec.matching_precedence = Some(8000);
    changed.metadata.resource_version = None;
    let changed = api.replace("rs-crud", &PostParams::default(), &changed).await.unwrap();
    assert_eq!((precedence(&changed), changed.metadata.generation), (Some(8000), Some(2)));
    let stale = refusal(api.replace("rs-crud", &PostParams::default(), &made).await);
    assert_eq!((stale.code, stale.reason.as_str()), (409, "Conflict"));

    let other = Preconditions { uid: Some("other".to_owned()), resource_version: None };
    let refused = api.delete("rs-crud", &DeleteParams::default().preconditions(other)).await;
    assert_eq!(refusal(refused).code, 409);
    delete(&api, "rs-crud").await;
    assert!(api.get_opt("rs-crud").await.unwrap().is_none());
}

#[tokio::test]
async fn applies_conflict_until_they_are_forced() {
    let api = flow_schemas().await;
    let applied = |precedence: i32| {
        json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
            "metadata": { "name": "rs-applied" },
            "spec": {
                "matchingPrecedence": precedence,
                "priorityLevelConfiguration": { "name": "global-default" },
            },
        })
    };
    let apply = async |manager: &str, precedence: i32, force: bool| {
        let mut params = PatchParams::apply(manager);
        params.force = force;
        api.patch("rs-applied", &params, &Patch::Apply(applied(precedence))).await
    };
    assert_eq!(precedence(&apply("one", 9000, false).await.unwrap()), Some(9000));
    let conflict = refusal(apply("two", 8000, false).await);
    assert_eq!((conflict.code, conflict.reason.as_str()), (409, "Conflict"));
    assert!(conflict.message.contains(".spec.matchingPrecedence"), "{}", conflict.message);
    let forced = apply("two", 8000, true).await.unwrap();
    assert_eq!(precedence(&forced), Some(8000));
    let managers: Vec<_> = forced.managed_fields().iter().map(|e| e.manager.clone()).collect();
    assert!(managers.contains(&Some("two".to_owned())), "{managers:?}");
    delete(&api, "rs-applied").await;
}

#[tokio::test]
async fn patches_of_every_type_do_what_their_type_says() {
    let api = flow_schemas().await;
    api.create(&PostParams::default(), &flow_schema("rs-patched", "patched")).await.unwrap();
    let params = PatchParams::default();
    let merge = Patch::Merge(json!({ "metadata": { "labels": { "test": null, "a": "1" } } }));
    let merged = api.patch("rs-patched", &params, &merge).await.unwrap();
    assert_eq!(merged.labels().clone(), [("a".to_owned(), "1".to_owned())].into());
    let strategic = Patch::Strategic(json!({ "spec": { "matchingPrecedence": 8000 } }));
    let changed = api.patch("rs-patched", &params, &strategic).await.unwrap();
    assert_eq!(precedence(&changed), Some(8000));
    let steps = json!([
        { "op": "test", "path": "/spec/matchingPrecedence", "value": 8000 },
        { "op": "replace", "path": "/spec/matchingPrecedence", "value": 7000 },
    ]);
    let steps: json_patch::Patch = serde_json::from_value(steps).unwrap();
    let changed = api.patch("rs-patched", &params, &Patch::Json::<()>(steps.clone())).await;
    assert_eq!(precedence(&changed.unwrap()), Some(7000));
    let refused = refusal(api.patch("rs-patched", &params, &Patch::Json::<()>(steps)).await);
    assert_eq!(refused.code, 422);
    delete(&api, "rs-patched").await;
}

#[tokio::test]
async fn a_status_is_patched_and_read_by_itself() {
    let api: Api<FlowSchema> = flow_schemas().await;
    api.create(&PostParams::default(), &flow_schema("rs-status", "status")).await.unwrap();
    let patch = json!({ "status": { "conditions": [{ "type": "Mine", "status": "True" }] } });
    api.patch_status("rs-status", &PatchParams::default(), &Patch::Strategic(patch)).await.unwrap();
    let status = api.get_status("rs-status").await.unwrap().status.unwrap();
    let types: Vec<_> = status.conditions.unwrap().into_iter().map(|c| c.type_).collect();
    assert!(types.contains(&"Mine".to_owned()), "{types:?}");
    delete(&api, "rs-status").await;
}

#[tokio::test]
async fn a_level_that_breaks_rules_is_invalid() {
    let api: Api<PriorityLevelConfiguration> = Api::all(client().await);
    let level = serde_json::from_value(json!({
        "metadata": { "name": "rs-wrong" },
        "spec": { "type": "Limited", "limited": { "lendablePercent": 101 } },
    }));
    let refused = refusal(api.create(&PostParams::default(), &level.unwrap()).await);
    assert_eq!((refused.code, refused.reason.as_str()), (422, "Invalid"));
    let causes: Vec<_> = refused.details.unwrap().causes.into_iter().map(|c| c.field).collect();
    assert!(causes.contains(&"spec.limited.lendablePercent".to_owned()), "{causes:?}");
}

#[tokio::test]
async fn pages_make_up_a_list_and_a_collection_is_deleted() {
    let api = flow_schemas().await;
    for number in 0..12 {
        let schema = flow_schema(&format!("rs-page-{number:02}"), "pages");
        api.create(&PostParams::default(), &schema).await.unwrap();
    }
    let selected = ListParams::default().labels("test=pages");
    let (mut names, mut page) = (Vec::new(), selected.clone().limit(5));
    loop {
        let list = api.list(&page).await.unwrap();
        names.extend(list.items.iter().map(|item| item.name_any()));
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => break,
        }
    }
    let expected: Vec<_> = (0..12).map(|number| format!("rs-page-{number:02}")).collect();
    assert_eq!(names, expected);
    let metadata = api.list_metadata(&selected).await.unwrap();
    assert_eq!(metadata.items.len(), 12);
    api.delete_collection(&DeleteParams::default(), &selected).await.unwrap();
    assert!(api.list(&selected).await.unwrap().items.is_empty());
}
