package clients

import (
	"encoding/json"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/restmapper"
)

var flowSchemas = schema.GroupVersionResource{
	Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas",
}

// anySchema is a FlowSchema as programs see it that do not know the type.
func anySchema(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flowcontrol.apiserver.k8s.io/v1",
		"kind":       "FlowSchema",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{
			"matchingPrecedence":         int64(9000),
			"priorityLevelConfiguration": map[string]any{"name": "global-default"},
		},
	}}
}

func dynamicSchemas(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(config(t))
	must(t, err)
	return client.Resource(flowSchemas)
}

func TestTheDynamicClientDoesAllThatTheTypedOneDoes(t *testing.T) {
	client := dynamicSchemas(t)
	made, err := client.Create(t.Context(), anySchema("dynamic"), metav1.CreateOptions{})
	must(t, err)
	watcher, err := client.Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "metadata.name=dynamic", ResourceVersion: made.GetResourceVersion(),
	})
	must(t, err)
	defer watcher.Stop()

	must(t, unstructured.SetNestedField(made.Object, int64(8000), "spec", "matchingPrecedence"))
	made.SetResourceVersion("") // whatever the controller wrote meanwhile
	_, err = client.Update(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	applied := anySchema("dynamic")
	applied.SetLabels(map[string]string{"applied": "yes"})
	_, err = client.Apply(t.Context(), "dynamic", applied, metav1.ApplyOptions{FieldManager: "dynamic", Force: true})
	must(t, err)
	status, err := client.Get(t.Context(), "dynamic", metav1.GetOptions{}, "status")
	must(t, err)
	equal(t, "kind of the status", status.GetKind(), "FlowSchema")
	must(t, client.Delete(t.Context(), "dynamic", metav1.DeleteOptions{}))

	var last string
	for event := range watcher.ResultChan() {
		if event.Type == watch.Deleted {
			equal(t, "the last version before it went", last, "yes")
			break
		}
		equal(t, "event", event.Type, watch.Modified)
		last = event.Object.(*unstructured.Unstructured).GetLabels()["applied"]
	}
	_, err = client.Get(t.Context(), "dynamic", metav1.GetOptions{})
	equal(t, "it is gone", apierrors.IsNotFound(err), true)
}

func TestUnknownFieldsAreWarnedOfOrRefused(t *testing.T) {
	client := dynamicSchemas(t)
	wrong := anySchema("dynamic-unknown")
	must(t, unstructured.SetNestedField(wrong.Object, "x", "spec", "noSuchField"))
	_, err := client.Create(t.Context(), wrong, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	equal(t, "refused", apierrors.IsBadRequest(err), true)
	options := metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore, DryRun: []string{metav1.DryRunAll}}
	made, err := client.Create(t.Context(), wrong, options)
	must(t, err)
	_, found, err := unstructured.NestedFieldNoCopy(made.Object, "spec", "noSuchField")
	must(t, err)
	equal(t, "kept", found, false)
	_, err = client.Get(t.Context(), "dynamic-unknown", metav1.GetOptions{})
	equal(t, "a dry run keeps nothing", apierrors.IsNotFound(err), true)
}

func TestTheMetadataClientSeesMetadataAlone(t *testing.T) {
	client, err := metadata.NewForConfig(metadata.ConfigFor(config(t)))
	must(t, err)
	list, err := client.Resource(flowSchemas).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	equal(t, "there are some", len(list.Items) > 5, true)
	one, err := client.Resource(flowSchemas).Get(t.Context(), "global-default", metav1.GetOptions{})
	must(t, err)
	equal(t, "annotation", one.Annotations["apf.kubernetes.io/autoupdate-spec"], "true")
}

func TestAggregatedDiscoveryKnowsAllGroupsInTwoRequests(t *testing.T) {
	seenConfig, seen := recording(config(t))
	client, err := discovery.NewDiscoveryClientForConfig(seenConfig)
	must(t, err)
	groups, resources, err := client.ServerGroupsAndResources()
	must(t, err)
	equal(t, "requests", seen.with("/api"), 2)
	equal(t, "there are many groups", len(groups) > 15, true)
	for _, list := range resources {
		if list.GroupVersion != flowSchemas.GroupVersion().String() {
			continue
		}
		at := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == "flowschemas" })
		verbs := list.APIResources[at].Verbs
		for _, verb := range []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"} {
			equal(t, verb, slices.Contains(verbs, verb), true)
		}
		return
	}
	t.Fatal("flowcontrol is not there")
}

func TestLegacyDiscoveryAndVersionAgree(t *testing.T) {
	client, err := discovery.NewDiscoveryClientForConfig(config(t))
	must(t, err)
	client.UseLegacyDiscovery = true
	_, old, err := client.ServerGroupsAndResources()
	must(t, err)
	client.UseLegacyDiscovery = false
	_, aggregated, err := client.ServerGroupsAndResources()
	must(t, err)
	names := func(lists []*metav1.APIResourceList) map[string]bool {
		all := map[string]bool{}
		for _, list := range lists {
			for _, resource := range list.APIResources {
				all[list.GroupVersion+" "+resource.Name+" "+resource.Kind] = true
			}
		}
		return all
	}
	for name := range names(old) {
		equal(t, name, names(aggregated)[name], true)
	}
	equal(t, "resources", len(names(aggregated)), len(names(old)))
	version, err := client.ServerVersion()
	must(t, err)
	equal(t, "minor", version.Minor, "37")
}

func TestARestMapperFindsKindsByShortAndPluralNames(t *testing.T) {
	client, err := discovery.NewDiscoveryClientForConfig(config(t))
	must(t, err)
	mapper := restmapper.NewShortcutExpander(
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client)), memory.NewMemCacheClient(client), nil)
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: flowSchemas.Group, Kind: "FlowSchema"})
	must(t, err)
	equal(t, "resource", mapping.Resource, flowSchemas)
	equal(t, "scope", mapping.Scope.Name(), meta.RESTScopeNameRoot)
	deployments, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	must(t, err)
	equal(t, "deploy", deployments.GroupResource().String(), "deployments.apps")
}

func TestPatchesOfEveryTypeDoWhatTheirTypeSays(t *testing.T) {
	client := typed(t, config(t))
	maps := client.CoreV1().ConfigMaps(namespace(t, client))
	made, err := maps.Patch(t.Context(), "patched", types.ApplyPatchType,
		[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patched"},"data":{"a":"1","b":"2"}}`),
		metav1.PatchOptions{FieldManager: "patcher"})
	must(t, err)
	equal(t, "data", string(mustJSON(t, made.Data)), `{"a":"1","b":"2"}`)
	for _, step := range []struct {
		kind  types.PatchType
		patch string
		want  string
	}{
		{types.JSONPatchType, `[{"op":"test","path":"/data/a","value":"1"},{"op":"move","from":"/data/a","path":"/data/c"}]`, `{"b":"2","c":"1"}`},
		{types.MergePatchType, `{"data":{"b":null,"d":"3"}}`, `{"c":"1","d":"3"}`},
		{types.StrategicMergePatchType, `{"data":{"$patch":"replace","e":"4"}}`, `{"e":"4"}`},
	} {
		made, err := maps.Patch(t.Context(), "patched", step.kind, []byte(step.patch), metav1.PatchOptions{})
		must(t, err)
		equal(t, string(step.kind), string(mustJSON(t, made.Data)), step.want)
	}
	_, err = maps.Patch(t.Context(), "patched", types.JSONPatchType,
		[]byte(`[{"op":"test","path":"/data/e","value":"5"}]`), metav1.PatchOptions{})
	equal(t, "a test that fails", apierrors.IsInvalid(err), true)
	_, err = maps.Patch(t.Context(), "no-such", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	equal(t, "nothing there", apierrors.IsNotFound(err), true)
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return text
}
