package specs

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// battery are kinds whose specs do with them what can be done with any.
var battery = []struct {
	resource   string
	namespaced bool
	// rest is the object without its metadata, in YAML.
	rest string
}{
	{"events.k8s.io/v1/events", true, `kind: Event
eventTime: "2026-01-01T00:00:00.000000Z"
reportingController: test.example.com/controller
reportingInstance: one
action: Do
reason: Test
type: Normal
regarding: {namespace: NAMESPACE, kind: Pod, name: p}`},
	{"coordination.k8s.io/v1/leases", true, "kind: Lease\nspec: {holderIdentity: me, leaseDurationSeconds: 30}"},
	{"certificates.k8s.io/v1/certificatesigningrequests", false, "kind: CertificateSigningRequest\nspec: {signerName: example.com/test, usages: [client auth], request: " + signingRequest + "}"},
	{"policy/v1/poddisruptionbudgets", true, "kind: PodDisruptionBudget\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}"},
	{"discovery.k8s.io/v1/endpointslices", true, "kind: EndpointSlice\naddressType: IPv4\nendpoints: [{addresses: [10.1.2.3]}]"},
	{"networking.k8s.io/v1/ingressclasses", false, "kind: IngressClass\nspec: {controller: example.com/c}"},
	{"networking.k8s.io/v1/ingresses", true, "kind: Ingress\nspec: {defaultBackend: {service: {name: s, port: {number: 80}}}}"},
	{"node.k8s.io/v1/runtimeclasses", false, "kind: RuntimeClass\nhandler: h"},
	{"scheduling.k8s.io/v1/priorityclasses", false, "kind: PriorityClass\nvalue: 7"},
	{"batch/v1/cronjobs", true, `kind: CronJob
spec: {schedule: "*/1 * * * *", suspend: true, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}`},
	{"storage.k8s.io/v1/storageclasses", false, "kind: StorageClass\nprovisioner: example.com/p"},
	{"storage.k8s.io/v1/csidrivers", false, "kind: CSIDriver\nspec: {attachRequired: false}"},
	{"storage.k8s.io/v1/csistoragecapacities", true, "kind: CSIStorageCapacity\nstorageClassName: c"},
	{"storagemigration.k8s.io/v1/storageversionmigrations", false, "kind: StorageVersionMigration\nspec: {resource: {group: apps, resource: deployments}}"},
	{"v1/podtemplates", true, "kind: PodTemplate\ntemplate: {spec: {containers: [{name: c, image: i}]}}"},
}

func TestEachKindSupportsItsAPIOperations(t *testing.T) {
	for _, kind := range battery {
		t.Run(kind.resource, func(t *testing.T) {
			namespace := ""
			if kind.namespaced {
				namespace = shared.namespace(t)
			}
			version := kind.resource[:strings.LastIndex(kind.resource, "/")]
			rest := strings.ReplaceAll(kind.rest, "NAMESPACE", namespace)
			text := func(name string) string {
				return fmt.Sprintf("apiVersion: %s\nmetadata: {name: %s, labels: {battery: \"yes\"}}\n%s", version, name, rest)
			}
			client := shared.at(kind.resource, namespace)
			options := metav1.ListOptions{LabelSelector: "battery=yes"}
			list, err := client.List(t.Context(), options)
			equal(t, "none yet", count(t, list, err), 0)
			options.ResourceVersion = list.GetResourceVersion()
			w, err := client.Watch(t.Context(), options)
			must(t, err)
			defer w.Stop()
			made := create(t, client, "%s", text("battery-1"))
			equal(t, "event", nextEvent(t, w).Type, watch.Added)
			live, err := client.Get(t.Context(), "battery-1", metav1.GetOptions{})
			must(t, err)
			equal(t, "uid", live.GetUID(), made.GetUID())
			patched := mergePatch(t, client, "battery-1", `{"metadata":{"annotations":{"patched":"true"}}}`)
			equal(t, "event", nextEvent(t, w).Type, watch.Modified)
			patched.SetAnnotations(map[string]string{"updated": "true"})
			updated, err := client.Update(t.Context(), patched, metav1.UpdateOptions{})
			must(t, err)
			equal(t, "annotations", fmt.Sprint(updated.GetAnnotations()), "map[updated:true]")
			_, err = client.Patch(t.Context(), "battery-1", types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/labels/json","value":"yes"}]`), metav1.PatchOptions{})
			must(t, err)
			applied(t, client, "battery", true, text("battery-2"))
			all, err := shared.at(kind.resource, "").List(t.Context(), metav1.ListOptions{LabelSelector: "battery=yes"})
			equal(t, "everywhere", count(t, all, err), 2)
			must(t, client.Delete(t.Context(), "battery-1", metav1.DeleteOptions{}))
			must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "battery=yes"}))
			eventually(t, "all are gone", func() bool {
				list, err := client.List(t.Context(), metav1.ListOptions{LabelSelector: "battery=yes"})
				return count(t, list, err) == 0
			})
		})
	}
}

// signingRequest is a request for a certificate of some client's, as the API has it.
var signingRequest = request()

// request asks for a certificate for a key of its own.
func request() string {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "battery"}}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		panic(err)
	}
	block := &pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(block))
}
