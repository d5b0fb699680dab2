package specs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

func streamed() metav1.ListOptions {
	yes := true
	return metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
}

// initial reads the events up to the bookmark that ends the list.
func initial(t *testing.T, w watch.Interface) (names []string) {
	t.Helper()
	for {
		event := nextEvent(t, w)
		object := event.Object.(metav1.Object)
		if event.Type == watch.Bookmark {
			equal(t, "annotation", object.GetAnnotations()[metav1.InitialEventsAnnotationKey], "true")
			return names
		}
		equal(t, "type", event.Type, watch.Added)
		names = append(names, object.GetName())
	}
}

func fiveSecrets(t *testing.T) string {
	t.Helper()
	namespace := shared.namespace(t)
	for i := range 5 {
		_, err := shared.typed.CoreV1().Secrets(namespace).Create(t.Context(), parse[corev1.Secret](t, "{metadata: {name: secret-%d}}", i), metav1.CreateOptions{})
		must(t, err)
	}
	return namespace
}

const fiveNames = "[secret-0 secret-1 secret-2 secret-3 secret-4]"

func TestWatchListTypedClient(t *testing.T) {
	w, err := shared.typed.CoreV1().Secrets(fiveSecrets(t)).Watch(t.Context(), streamed())
	must(t, err)
	defer w.Stop()
	equal(t, "names", fmt.Sprint(initial(t, w)), fiveNames)
}

func TestWatchListDynamicClient(t *testing.T) {
	namespace := fiveSecrets(t)
	w, err := shared.at("v1/secrets", namespace).Watch(t.Context(), streamed())
	must(t, err)
	defer w.Stop()
	equal(t, "names", fmt.Sprint(initial(t, w)), fiveNames)
	create(t, shared.at("v1/secrets", namespace), "{apiVersion: v1, kind: Secret, metadata: {name: later}}")
	equal(t, "it goes on", nextEvent(t, w).Type, watch.Added)
}

func TestWatchListMetadataClient(t *testing.T) {
	client, err := metadata.NewForConfig(shared.config)
	must(t, err)
	w, err := client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(fiveSecrets(t)).Watch(t.Context(), streamed())
	must(t, err)
	defer w.Stop()
	equal(t, "names", fmt.Sprint(initial(t, w)), fiveNames)
}

func TestWatchListOfCustomResources(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	d.create(t, "", "one", "")
	w, err := d.in("").Watch(t.Context(), streamed())
	must(t, err)
	defer w.Stop()
	equal(t, "names", fmt.Sprint(initial(t, w)), "[one]")
}

func TestWatchListInformer(t *testing.T) {
	namespace := fiveSecrets(t)
	factory := informers.NewSharedInformerFactoryWithOptions(shared.typed, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Secrets().Informer()
	factory.Start(t.Context().Done())
	equal(t, "synced", cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced), true)
	equal(t, "objects", len(informer.GetStore().List()), 5)
}

func TestWatchListOfTables(t *testing.T) {
	path := "/api/v1/namespaces/" + fiveSecrets(t) + "/secrets?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	body, err := shared.extensions.RESTClient().Get().RequestURI(path).SetHeader("Accept", fmt.Sprintf(asTable, "v1")).Stream(t.Context())
	must(t, err)
	defer body.Close()
	lines := bufio.NewScanner(body)
	rows := 0
	for lines.Scan() {
		var event struct {
			Type   string
			Object metav1.Table
		}
		must(t, json.Unmarshal(lines.Bytes(), &event))
		equal(t, "kind", event.Object.Kind, "Table")
		if event.Type == "BOOKMARK" {
			break
		}
		equal(t, "only the first has columns", len(event.Object.ColumnDefinitions) > 0, rows == 0)
		rows += len(event.Object.Rows)
	}
	equal(t, "rows", rows, 5)
}
