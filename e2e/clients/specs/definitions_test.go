package specs

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func TestCustomResourceDefinitionWatchOnCustomResourceDefinitionObjects(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	w, err := d.in("").Watch(t.Context(), metav1.ListOptions{LabelSelector: "watch=yes"})
	must(t, err)
	defer w.Stop()
	for _, name := range []string{"name1", "name2"} {
		made := d.object(t, name, "num: {num1: 1}")
		made.SetLabels(map[string]string{"watch": "yes"})
		_, err := d.in("").Create(t.Context(), made, metav1.CreateOptions{})
		must(t, err)
		equal(t, "event", nextEvent(t, w).Type, watch.Added)
		mergePatch(t, d.in(""), name, `{"num":{"num2":2}}`)
		equal(t, "event", nextEvent(t, w).Type, watch.Modified)
	}
	for range 2 {
		must(t, d.in("").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "watch=yes", Limit: 1}))
	}
	equal(t, "event", nextEvent(t, w).Type, watch.Deleted)
	equal(t, "event", nextEvent(t, w).Type, watch.Deleted)
}

func TestCustomResourceDefinitionResourcesCreatingAndDeletingWorks(t *testing.T) {
	d := shared.define(t, apiextensionsv1.NamespaceScoped, "")
	client := shared.extensions.ApiextensionsV1().CustomResourceDefinitions()
	must(t, client.Delete(t.Context(), d.Name, metav1.DeleteOptions{}))
	eventually(t, "it is gone", func() bool { return gone(client.Get(t.Context(), d.Name, metav1.GetOptions{})) })
	eventually(t, "its objects are not found", func() bool { return gone(d.in("").List(t.Context(), metav1.ListOptions{})) })
}

func TestCustomResourceDefinitionResourcesListingWorks(t *testing.T) {
	client := shared.extensions.ApiextensionsV1().CustomResourceDefinitions()
	for range 3 {
		d := shared.draft(t, apiextensionsv1.ClusterScoped, "")
		d.Labels = map[string]string{"e2e-list-test": "listing"}
		d.serve(t)
	}
	options := metav1.ListOptions{LabelSelector: "e2e-list-test=listing"}
	list, err := client.List(t.Context(), options)
	equal(t, "definitions", count(t, list, err), 3)
	must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, options))
	eventually(t, "all are gone", func() bool {
		list, err := client.List(t.Context(), options)
		return count(t, list, err) == 0
	})
}

func TestCustomResourceDefinitionResourcesGettingUpdatingPatchingStatusWorks(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	part, err := shared.at("apiextensions.k8s.io/v1/customresourcedefinitions", "").Get(t.Context(), d.Name, metav1.GetOptions{}, "status")
	must(t, err)
	equal(t, "name", part.GetName(), d.Name)
	equal(t, "kind", part.GetKind(), "CustomResourceDefinition")
	client := shared.extensions.ApiextensionsV1().CustomResourceDefinitions()
	d.reload(t)
	d.Status.Conditions = append(d.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{
		Type: "StatusUpdate", Status: apiextensionsv1.ConditionTrue, Reason: "E2E", Message: "Set from an e2e test"})
	updated, err := client.UpdateStatus(t.Context(), d.CustomResourceDefinition, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "conditions", len(updated.Status.Conditions), len(d.Status.Conditions))
	patch := `[{"op":"add","path":"/status/conditions/-","value":{"type":"StatusPatched","status":"True","reason":"E2E","message":"by patch"}}]`
	patched, err := client.Patch(t.Context(), d.Name, types.JSONPatchType, []byte(patch), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "the last condition", patched.Status.Conditions[len(d.Status.Conditions)].Type, "StatusPatched")
}

func TestCustomResourceDefinitionResourcesAreInDiscoveryDocuments(t *testing.T) {
	discovery := shared.typed.Discovery()
	groups, err := discovery.ServerGroups()
	must(t, err)
	found := false
	for _, group := range groups.Groups {
		if group.Name == apiextensionsv1.GroupName {
			for _, version := range group.Versions {
				found = found || version.GroupVersion == "apiextensions.k8s.io/v1"
			}
		}
	}
	equal(t, "group and version", found, true)
	resources, err := discovery.ServerResourcesForGroupVersion("apiextensions.k8s.io/v1")
	must(t, err)
	found = false
	for _, resource := range resources.APIResources {
		found = found || resource.Name == "customresourcedefinitions"
	}
	equal(t, "resource", found, true)
}

func TestCustomResourceDefinitionResourcesDefaultingForRequestsAndFromStorageWorks(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties: {a: {type: string, default: A}, b: {type: string}}`)
	made := d.create(t, "", "one", "")
	equal(t, "default of a request", field(t, made, "a"), `"A"`)
	equal(t, "no default", field(t, made, "b"), "")
	d.schema(t, `
type: object
properties: {a: {type: string, default: A}, b: {type: string, default: B}}`)
	eventually(t, "the new default is in what is stored", func() bool {
		live, err := d.in("").Get(t.Context(), "one", metav1.GetOptions{})
		must(t, err)
		return field(t, live, "a") == `"A"` && field(t, live, "b") == `"B"`
	})
	d.schema(t, `
type: object
properties: {a: {type: string, default: A}, b: {type: string, default: B}, c: {type: string, default: C}}`)
	eventually(t, "and in what patches see", func() bool {
		patched, err := d.in("").Patch(t.Context(), "one", types.JSONPatchType,
			[]byte(`[{"op":"test","path":"/c","value":"C"},{"op":"add","path":"/a","value":"AA"}]`), metav1.PatchOptions{})
		return err == nil && field(t, patched, "a") == `"AA"` && field(t, patched, "c") == `"C"`
	})
}
