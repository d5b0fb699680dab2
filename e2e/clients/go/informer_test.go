package clients

import (
	"fmt"
	"sync"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// mirror is what an informer's handlers were told, kept up as they were told it.
type mirror struct {
	lock   sync.Mutex
	known  map[string]string
	wrong  []string
	events int
}

func (m *mirror) note(name string, change func(version string, known bool) string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	version, known := m.known[name]
	m.events++
	if why := change(version, known); why != "" {
		m.wrong = append(m.wrong, name+" "+why)
	}
}

func (m *mirror) OnAdd(object any, _ bool) {
	schema := object.(*flowcontrolv1.FlowSchema)
	m.note(schema.Name, func(_ string, known bool) string {
		m.known[schema.Name] = schema.ResourceVersion
		if known {
			return "was added twice"
		}
		return ""
	})
}

func (m *mirror) OnUpdate(old, object any) {
	schema := object.(*flowcontrolv1.FlowSchema)
	m.note(schema.Name, func(version string, _ bool) string {
		m.known[schema.Name] = schema.ResourceVersion
		if before := old.(*flowcontrolv1.FlowSchema).ResourceVersion; before != version {
			return fmt.Sprintf("was updated from %s, known was %q", before, version)
		}
		return ""
	})
}

func (m *mirror) OnDelete(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	schema := object.(*flowcontrolv1.FlowSchema)
	m.note(schema.Name, func(_ string, known bool) string {
		delete(m.known, schema.Name)
		if !known {
			return "was deleted but not known"
		}
		return ""
	})
}

// agrees says whether the handlers know exactly what a list holds.
func (m *mirror) agrees(list *flowcontrolv1.FlowSchemaList) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	if len(m.known) != len(list.Items) {
		return false
	}
	for _, item := range list.Items {
		if m.known[item.Name] != item.ResourceVersion {
			return false
		}
	}
	return true
}

// inform runs an informer until the test ends, and waits until it has synced.
func inform(t *testing.T, config *rest.Config) (cache.SharedIndexInformer, *mirror) {
	t.Helper()
	factory := informers.NewSharedInformerFactory(typed(t, config), 0)
	informer := factory.Flowcontrol().V1().FlowSchemas().Informer()
	seen := &mirror{known: map[string]string{}}
	_, err := informer.AddEventHandler(seen)
	must(t, err)
	factory.Start(t.Context().Done())
	// The informer must have ended before features are set back.
	t.Cleanup(factory.Shutdown)
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("the informer has not synced")
	}
	return informer, seen
}

func followed(t *testing.T, client flowcontrolclient.FlowSchemaInterface, seen *mirror) {
	t.Helper()
	eventually(t, "the informer knows what the server has", func() bool {
		list, err := client.List(t.Context(), metav1.ListOptions{})
		must(t, err)
		return seen.agrees(list)
	})
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if len(seen.wrong) > 0 {
		t.Fatalf("the handlers were told wrong: %v", seen.wrong)
	}
}

// changes creates, updates and deletes some objects.
func changes(t *testing.T, client flowcontrolclient.FlowSchemaInterface, prefix string) {
	t.Helper()
	for i := range 30 {
		made, err := client.Create(t.Context(), flowSchema(fmt.Sprintf("%s-%d", prefix, i), nil), metav1.CreateOptions{})
		must(t, err)
		if i%3 == 0 {
			must(t, client.Delete(t.Context(), made.Name, metav1.DeleteOptions{}))
			continue
		}
		made.Spec.MatchingPrecedence = 8000
		made.ResourceVersion = ""
		_, err = client.Update(t.Context(), made, metav1.UpdateOptions{})
		must(t, err)
	}
}

func clear(t *testing.T, client flowcontrolclient.FlowSchemaInterface, prefix string) {
	t.Helper()
	for i := range 30 {
		if i%3 != 0 {
			must(t, client.Delete(t.Context(), fmt.Sprintf("%s-%d", prefix, i), metav1.DeleteOptions{}))
		}
	}
}

func TestAnInformerFollowsByStreamingLists(t *testing.T) {
	informerFollows(t, true)
}

func TestAnInformerFollowsByListAndWatch(t *testing.T) {
	informerFollows(t, false)
}

func informerFollows(t *testing.T, streaming bool) {
	featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	prefix := fmt.Sprintf("informed-%t", streaming)
	_, err := client.Create(t.Context(), flowSchema(prefix, nil), metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client, prefix)

	seenConfig, requests := recording(config(t))
	informer, seen := inform(t, seenConfig)
	_, known, err := informer.GetStore().GetByKey(prefix)
	must(t, err)
	equal(t, "what was there is known at once", known, true)
	equal(t, "it streams", requests.with("sendInitialEvents=true") > 0, streaming)
	equal(t, "it lists", requests.with("watch=true") < requests.with("/flowschemas"), !streaming)

	changes(t, client, prefix)
	followed(t, client, seen)
	clear(t, client, prefix)
	followed(t, client, seen)
}

func TestAnInformerMissesNothingWhenTheServerIsStoppedAndStarted(t *testing.T) {
	for _, streaming := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming=%t", streaming), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			server := startServer(t)
			client := func() flowcontrolclient.FlowSchemaInterface {
				return typed(t, configFrom(t, server.kubeconfig())).FlowcontrolV1().FlowSchemas()
			}
			_, seen := inform(t, configFrom(t, server.kubeconfig()))
			changes(t, client(), "before")
			followed(t, client(), seen)

			for round := range 2 {
				server.stop(t)
				server.start(t)
				// Before the informer is back.
				fresh := client()
				if round == 0 {
					clear(t, fresh, "before")
				}
				changes(t, fresh, fmt.Sprintf("after-%d", round))
				followed(t, fresh, seen)
			}
		})
	}
}

func TestAnInformerWithASelectorSeesObjectsComeAndGo(t *testing.T) {
	config := config(t)
	client := typed(t, config).FlowcontrolV1().FlowSchemas()
	_, err := client.Create(t.Context(), flowSchema("selected", map[string]string{"in": "no"}), metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client, "selected")
	lister := selected(t, typed(t, config))
	for _, value := range []string{"yes", "no", "yes"} {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"in":%q}}}`, value)
		_, err := client.Patch(t.Context(), "selected", types.MergePatchType, patch, metav1.PatchOptions{})
		must(t, err)
		eventually(t, "in="+value, func() bool { return lister() == (value == "yes") })
	}
}

// selected runs an informer that selects by label, and gives whether it knows an object.
func selected(t *testing.T, client kubernetes.Interface) func() bool {
	t.Helper()
	selects := informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "in=yes" })
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, selects)
	schemas := factory.Flowcontrol().V1().FlowSchemas()
	schemas.Informer()
	factory.Start(t.Context().Done())
	t.Cleanup(factory.Shutdown)
	factory.WaitForCacheSync(t.Context().Done())
	return func() bool {
		known, err := schemas.Lister().List(labels.Everything())
		must(t, err)
		return len(known) == 1
	}
}
