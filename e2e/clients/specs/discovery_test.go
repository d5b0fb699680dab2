package specs

import (
	"encoding/json"
	"strings"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// required are the resources that the discovery specs look for.
var required = []string{
	"v1/namespaces", "v1/pods", "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
	"apiextensions.k8s.io/v1/customresourcedefinitions", "apiregistration.k8s.io/v1/apiservices", "apps/v1/deployments",
	"authentication.k8s.io/v1/tokenreviews", "authorization.k8s.io/v1/selfsubjectaccessreviews",
	"autoscaling/v1/horizontalpodautoscalers", "autoscaling/v2/horizontalpodautoscalers", "batch/v1/jobs",
	"certificates.k8s.io/v1/certificatesigningrequests", "coordination.k8s.io/v1/leases", "discovery.k8s.io/v1/endpointslices",
	"events.k8s.io/v1/events", "networking.k8s.io/v1/ingresses", "node.k8s.io/v1/runtimeclasses",
	"policy/v1/poddisruptionbudgets", "scheduling.k8s.io/v1/priorityclasses", "storage.k8s.io/v1/csinodes",
}

func aggregated(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := shared.get(t, path, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
	must(t, err)
	var list apidiscovery.APIGroupDiscoveryList
	must(t, json.Unmarshal([]byte(text), &list))
	equal(t, "kind", list.Kind, "APIGroupDiscoveryList")
	found := map[string]string{}
	for _, group := range list.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				name := strings.TrimPrefix(group.Name+"/"+version.Version+"/"+resource.Resource, "/")
				found[name] = resource.ResponseKind.Kind
			}
		}
	}
	return found
}

func TestAggregatedDiscoverySupportsRawAcceptHeaders(t *testing.T) {
	found := aggregated(t, "/api")
	for name, kind := range aggregated(t, "/apis") {
		found[name] = kind
	}
	for _, name := range required {
		if found[name] == "" {
			t.Errorf("%s is not there", name)
		}
	}
}

func TestAggregatedDiscoverySupportsRawRequestsForCRDs(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	name := d.Spec.Group + "/v1/widgets"
	eventually(t, "the definition is there", func() bool { return aggregated(t, "/apis")[name] == "Widget" })
}

func TestAggregatedDiscoverySupportsTheInterface(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	client, err := discovery.NewDiscoveryClientForConfig(shared.config)
	must(t, err)
	eventually(t, "the definition is there", func() bool {
		groups, resources, failed, err := client.GroupsAndMaybeResources()
		must(t, err)
		equal(t, "versions that failed", len(failed), 0)
		equal(t, "groups", len(groups.Groups) > 15, true)
		return resources[schema.GroupVersion{Group: d.Spec.Group, Version: "v1"}] != nil
	})
}

func TestDiscoveryValidatesPreferredVersionForEachAPIGroup(t *testing.T) {
	groups, err := shared.typed.Discovery().ServerGroups()
	must(t, err)
	for _, listed := range groups.Groups {
		if listed.Name == "" || strings.HasSuffix(listed.Name, groupSuffix) {
			continue
		}
		text, err := shared.get(t, "/apis/"+listed.Name, "application/json")
		if err != nil {
			t.Fatalf("%s: %v", listed.Name, err)
		}
		var group metav1.APIGroup
		must(t, json.Unmarshal([]byte(text), &group))
		equal(t, "preferred version of "+group.Name, group.PreferredVersion, listed.PreferredVersion)
		found := false
		for _, version := range group.Versions {
			found = found || version == group.PreferredVersion
		}
		equal(t, group.Name+" has its preferred version", found, true)
	}
}

func TestDiscoveryLocatesTheGroupVersionAndAResourceWithinEachAPIGroup(t *testing.T) {
	for _, name := range required {
		end := strings.LastIndex(name, "/")
		list, err := shared.typed.Discovery().ServerResourcesForGroupVersion(name[:end])
		must(t, err)
		equal(t, "group and version", list.GroupVersion, name[:end])
		found := false
		for _, resource := range list.APIResources {
			found = found || resource.Name == name[end+1:]
		}
		equal(t, name+" is there", found, true)
	}
}

func TestDiscoveryAccuratelyDeterminesPresentAndMissingResources(t *testing.T) {
	for resource, want := range map[schema.GroupVersionResource]bool{
		{Group: "apps", Version: "v1", Resource: "deployments"}:       true,
		{Group: "", Version: "v1", Resource: "pods"}:                  true,
		{Group: "apps", Version: "v1", Resource: "missing"}:           false,
		{Group: "apps", Version: "v9999", Resource: "deployments"}:    false,
		{Group: "missing.example", Version: "v1", Resource: "things"}: false,
	} {
		got, err := discovery.IsResourceEnabled(shared.typed.Discovery(), resource)
		must(t, err)
		equal(t, resource.String(), got, want)
	}
}

func TestDiscoveryGivesACustomResourceAStorageVersionHash(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	list, err := shared.typed.Discovery().ServerResourcesForGroupVersion(d.resource().GroupVersion().String())
	must(t, err)
	equal(t, "length of the hash", len(list.APIResources[0].StorageVersionHash), 12)
}

func TestOpenAPIV3RoundTripsForAllBuiltInGroupVersions(t *testing.T) {
	paths, err := shared.typed.Discovery().OpenAPIV3().Paths()
	must(t, err)
	for path, document := range paths {
		if !strings.HasPrefix(path, "api") || strings.Contains(path, groupSuffix) {
			continue
		}
		asJSON, err := document.Schema("application/json")
		must(t, err)
		if !json.Valid(asJSON) {
			t.Errorf("%s is no JSON", path)
		}
		asProtobuf, err := document.Schema("application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		equal(t, path+" has a protobuf form", len(asProtobuf) > 0, true)
	}
}

func TestOpenAPIV3PublishesACustomResourceDefinition(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, specSchema)
	eventually(t, "its document", func() bool {
		paths, err := shared.typed.Discovery().OpenAPIV3().Paths()
		must(t, err)
		document, found := paths["apis/"+d.resource().GroupVersion().String()]
		if !found {
			return false
		}
		text, err := document.Schema("application/json")
		must(t, err)
		return strings.Contains(string(text), "cronSpec")
	})
}

func TestServerRequestTimeouts(t *testing.T) {
	_, err := shared.get(t, "/version?timeout=invalid", "*/*")
	equal(t, "bad request", apierrors.IsBadRequest(err), true)
	for _, timeout := range []string{"3m", "0s"} {
		_, err := shared.get(t, "/version?timeout="+timeout, "*/*")
		must(t, err)
	}
}

func TestServerVersionIsFound(t *testing.T) {
	version, err := shared.typed.Discovery().ServerVersion()
	must(t, err)
	equal(t, "version", version.Major+"."+version.Minor, "1.37")
}
