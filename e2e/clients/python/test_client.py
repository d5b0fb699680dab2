"""Uses the server through the Python client, the way scripts do.

$KUBECONFIG names the server. Each test keeps to objects whose label `test` has a value of its own.
"""

import threading
import unittest

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

PATIENCE_SECONDS = 60


def flow_schema(name, test, precedence=9000):
    """A FlowSchema that matches nobody."""
    return client.V1FlowSchema(
        metadata=client.V1ObjectMeta(name=name, labels={"test": test}),
        spec=client.V1FlowSchemaSpec(
            matching_precedence=precedence,
            priority_level_configuration=client.V1PriorityLevelConfigurationReference(name="global-default"),
        ),
    )


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        config.load_kube_config()
        cls.flow = client.FlowcontrolApiserverV1Api()
        cls.core = client.CoreV1Api()

    def make(self, name, test):
        made = self.flow.create_flow_schema(flow_schema(name, test))
        self.addCleanup(self.gone, name)
        return made

    def gone(self, name):
        try:
            self.flow.delete_flow_schema(name)
        except ApiException as error:
            self.assertEqual(error.status, 404)

    def refused(self, status, reason, call, *args, **kwargs):
        """What the server says of a call that it refuses."""
        with self.assertRaises(ApiException) as caught:
            call(*args, **kwargs)
        self.assertEqual(caught.exception.status, status)
        told = self.core.api_client.deserialize(caught.exception.body, "V1Status", "application/json")
        self.assertEqual(told.reason, reason)
        return told

    def test_an_object_is_created_read_replaced_and_deleted(self):
        made = self.make("py-crud", "crud")
        self.assertEqual(made.metadata.generation, 1)
        live = self.flow.read_flow_schema("py-crud")
        live.spec.matching_precedence = 8000
        live.metadata.resource_version = None
        live = self.flow.replace_flow_schema("py-crud", live)
        self.assertEqual((live.spec.matching_precedence, live.metadata.generation), (8000, 2))
        deleted = self.flow.delete_flow_schema("py-crud")
        self.assertEqual((deleted["kind"], deleted["status"]), ("Status", "Success"))
        self.refused(404, "NotFound", self.flow.read_flow_schema, "py-crud")

    def test_refusals_are_exceptions_with_a_status(self):
        made = self.make("py-refused", "refused")
        self.refused(409, "AlreadyExists", self.flow.create_flow_schema, flow_schema("py-refused", "refused"))
        self.refused(404, "NotFound", self.flow.read_flow_schema, "py-none")
        self.flow.patch_flow_schema(
            "py-refused", {"spec": {"matchingPrecedence": 10}}, _content_type="application/merge-patch+json"
        )
        told = self.refused(409, "Conflict", self.flow.replace_flow_schema, "py-refused", made)
        self.assertEqual(told.details.name, "py-refused")
        told = self.refused(422, "Invalid", self.flow.create_flow_schema, flow_schema("py-wrong", "refused", 10001))
        self.assertEqual([cause.field for cause in told.details.causes], ["spec.matchingPrecedence"])
        options = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="other"))
        self.refused(409, "Conflict", self.flow.delete_flow_schema, "py-refused", body=options)

    def test_lists_come_whole_and_in_pages(self):
        for number in range(7):
            self.make(f"py-page-{number}", "pages")
        selected = {"label_selector": "test=pages"}
        whole = [item.metadata.name for item in self.flow.list_flow_schema(**selected).items]
        names, token = [], None
        while token != "":
            page = self.flow.list_flow_schema(limit=3, _continue=token, **selected)
            names += [item.metadata.name for item in page.items]
            token = page.metadata._continue or ""
        self.assertEqual(names, [f"py-page-{number}" for number in range(7)])
        self.assertEqual(whole, names)
        self.flow.delete_collection_flow_schema(**selected)
        self.assertEqual(self.flow.list_flow_schema(**selected).items, [])

    def test_a_watch_follows_a_list(self):
        selected = {"label_selector": "test=watched"}
        before = self.flow.list_flow_schema(**selected).metadata.resource_version

        def write():
            self.flow.create_flow_schema(flow_schema("py-watched", "watched"))
            self.flow.patch_flow_schema(
                "py-watched", {"spec": {"matchingPrecedence": 8000}}, _content_type="application/merge-patch+json"
            )
            self.flow.delete_flow_schema("py-watched")

        writer = threading.Thread(target=write)
        writer.start()
        watcher, seen, versions = watch.Watch(), [], [int(before)]
        events = watcher.stream(
            self.flow.list_flow_schema, resource_version=before, timeout_seconds=PATIENCE_SECONDS, **selected
        )
        for event in events:
            seen.append(event["type"])
            versions.append(int(event["object"].metadata.resource_version))
            if event["type"] == "DELETED":
                watcher.stop()
        writer.join()
        # The server's own controller may have written the status in between.
        self.assertEqual((seen[0], seen[-1]), ("ADDED", "DELETED"))
        self.assertIn("MODIFIED", seen)
        self.assertEqual(set(seen[1:-1]), {"MODIFIED"})
        self.assertEqual(versions, sorted(set(versions)))

    def test_a_watch_without_a_version_begins_with_what_is_there(self):
        self.make("py-there", "there")
        watcher = watch.Watch()
        events = watcher.stream(
            self.flow.list_flow_schema, label_selector="test=there", timeout_seconds=PATIENCE_SECONDS
        )
        first = next(iter(events))
        watcher.stop()
        self.assertEqual((first["type"], first["object"].metadata.name), ("ADDED", "py-there"))

    def test_a_watch_ends_when_its_time_is_over(self):
        selected = {"label_selector": "test=nothing", "timeout_seconds": 1}
        self.assertEqual(list(watch.Watch().stream(self.flow.list_flow_schema, **selected)), [])

    def test_a_watch_of_an_expired_version_is_an_exception(self):
        with self.assertRaises(ApiException) as caught:
            for _ in watch.Watch().stream(self.flow.list_flow_schema, resource_version="1", timeout_seconds=5):
                pass
        self.assertEqual(caught.exception.status, 410)

    def test_patches_of_every_type_do_what_their_type_says(self):
        self.make("py-patched", "patched")
        # A list is a JSON patch and a mapping a merge patch, unless the call says otherwise.
        steps = [
            {"op": "test", "path": "/spec/matchingPrecedence", "value": 9000},
            {"op": "replace", "path": "/spec/matchingPrecedence", "value": 10},
        ]
        self.assertEqual(self.flow.patch_flow_schema("py-patched", steps).spec.matching_precedence, 10)
        self.refused(422, "Invalid", self.flow.patch_flow_schema, "py-patched", steps)
        merged = self.flow.patch_flow_schema("py-patched", {"metadata": {"annotations": {"a": "b"}}})
        self.assertEqual(merged.metadata.annotations, {"a": "b"})
        for precedence, kind in [(20, "merge-patch+json"), (30, "strategic-merge-patch+json")]:
            patch = {"spec": {"matchingPrecedence": precedence}}
            live = self.flow.patch_flow_schema("py-patched", patch, _content_type=f"application/{kind}")
            self.assertEqual(live.spec.matching_precedence, precedence)

    def test_applies_conflict_until_they_are_forced(self):
        def apply(manager, precedence, force=None):
            body = client.ApiClient().sanitize_for_serialization(flow_schema("py-applied", "applied", precedence))
            body |= {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema"}
            return self.flow.patch_flow_schema(
                "py-applied", body, field_manager=manager, force=force, _content_type="application/apply-patch+yaml"
            )

        self.addCleanup(self.gone, "py-applied")
        self.assertEqual(apply("one", 9000).spec.matching_precedence, 9000)
        told = self.refused(409, "Conflict", apply, "two", 8000)
        self.assertEqual([cause.field for cause in told.details.causes], [".spec.matchingPrecedence"])
        self.assertEqual(apply("two", 8000, force=True).spec.matching_precedence, 8000)

    def test_a_status_is_patched_by_itself(self):
        self.make("py-status", "status")
        patch = {"status": {"conditions": [{"type": "Mine", "status": "True"}]}}
        self.flow.patch_flow_schema_status(
            "py-status", patch, _content_type="application/strategic-merge-patch+json"
        )
        conditions = self.flow.read_flow_schema_status("py-status").status.conditions
        self.assertIn("Mine", [condition.type for condition in conditions])

    def test_levels_are_created_and_deleted(self):
        limited = client.V1LimitedPriorityLevelConfiguration(
            nominal_concurrency_shares=5, limit_response=client.V1LimitResponse(type="Reject")
        )
        level = client.V1PriorityLevelConfiguration(
            metadata=client.V1ObjectMeta(name="py-level"),
            spec=client.V1PriorityLevelConfigurationSpec(type="Limited", limited=limited),
        )
        made = self.flow.create_priority_level_configuration(level)
        self.assertEqual(made.spec.limited.lendable_percent, 0)
        self.flow.delete_priority_level_configuration("py-level")

    def test_other_kinds_work_in_a_namespace(self):
        space = client.V1Namespace(metadata=client.V1ObjectMeta(generate_name="py-"))
        space = self.core.create_namespace(space).metadata.name
        self.addCleanup(self.core.delete_namespace, space)
        made = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"a": "1"})
        self.core.create_namespaced_config_map(space, made)
        self.core.patch_namespaced_config_map(
            "settings", space, {"data": {"b": "2"}}, _content_type="application/merge-patch+json"
        )
        self.assertEqual(self.core.read_namespaced_config_map("settings", space).data, {"a": "1", "b": "2"})

    def test_the_dynamic_client_finds_the_kind_by_discovery(self):
        found = dynamic.DynamicClient(client.ApiClient()).resources.get(
            api_version="flowcontrol.apiserver.k8s.io/v1", kind="FlowSchema"
        )
        body = client.ApiClient().sanitize_for_serialization(flow_schema("py-dynamic", "dynamic"))
        body |= {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema"}
        self.addCleanup(self.gone, "py-dynamic")
        found.create(body=body)
        body["spec"]["matchingPrecedence"] = 8000
        applied = found.server_side_apply(body=body, name="py-dynamic", field_manager="py", force_conflicts=True)
        self.assertEqual(applied.spec.matchingPrecedence, 8000)

    def test_who_is_asked_and_which_version_it_is(self):
        self.assertEqual(client.VersionApi().get_code().minor, "37")
        groups = [group.name for group in client.ApisApi().get_api_versions().groups]
        self.assertIn("flowcontrol.apiserver.k8s.io", groups)
        review = client.AuthenticationV1Api().create_self_subject_review(client.V1SelfSubjectReview())
        self.assertIn("system:masters", review.status.user_info.groups)


if __name__ == "__main__":
    unittest.main()
