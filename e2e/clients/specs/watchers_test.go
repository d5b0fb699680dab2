package specs

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

func configMaps(t *testing.T) typedcorev1.ConfigMapInterface {
	t.Helper()
	return shared.typed.CoreV1().ConfigMaps(shared.namespace(t))
}

func labelled(t *testing.T, client typedcorev1.ConfigMapInterface, name, label string) *corev1.ConfigMap {
	t.Helper()
	wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"watch-this-configmap": label}}}
	made, err := client.Create(t.Context(), wanted, metav1.CreateOptions{})
	must(t, err)
	return made
}

func mutate(t *testing.T, client typedcorev1.ConfigMapInterface, name, patch string) *corev1.ConfigMap {
	t.Helper()
	done, err := client.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	must(t, err)
	return done
}

// watches is any typed client.
type watches interface {
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

func watching(t *testing.T, client watches, revision, selector string) watch.Interface {
	t.Helper()
	w, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: revision, LabelSelector: selector})
	must(t, err)
	t.Cleanup(w.Stop)
	return w
}

// next is an event as its type, name and the value of "mutation".
func next(t *testing.T, w watch.Interface) string {
	t.Helper()
	event := nextEvent(t, w)
	live, ok := event.Object.(*corev1.ConfigMap)
	if !ok {
		t.Fatalf("no configmap: %+v", event)
	}
	return fmt.Sprintf("%s %s %s", event.Type, live.Name, live.Data["mutation"])
}

func nextEvent(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	select {
	case event, open := <-w.ResultChan():
		if !open {
			t.Fatal("the watch has ended")
		}
		return event
	case <-time.After(patience):
		t.Fatal("no event")
		panic("unreachable")
	}
}

func nothing(t *testing.T, w watch.Interface) {
	t.Helper()
	select {
	case event := <-w.ResultChan():
		t.Fatalf("unexpected: %+v", event)
	case <-time.After(calm):
	}
}

func TestWatchersObserveAddUpdateAndDeleteOnConfigmaps(t *testing.T) {
	client := configMaps(t)
	a := watching(t, client, "", "watch-this-configmap=A")
	b := watching(t, client, "", "watch-this-configmap=B")
	both := watching(t, client, "", "watch-this-configmap in (A,B)")
	expect := func(what string, watchers ...watch.Interface) {
		t.Helper()
		for _, w := range watchers {
			equal(t, "event", next(t, w), what)
		}
	}
	labelled(t, client, "one", "A")
	expect("ADDED one ", a, both)
	mutate(t, client, "one", `{"data":{"mutation":"1"}}`)
	expect("MODIFIED one 1", a, both)
	mutate(t, client, "one", `{"data":{"mutation":"2"}}`)
	expect("MODIFIED one 2", a, both)
	must(t, client.Delete(t.Context(), "one", metav1.DeleteOptions{}))
	expect("DELETED one 2", a, both)
	labelled(t, client, "two", "B")
	expect("ADDED two ", b, both)
	must(t, client.Delete(t.Context(), "two", metav1.DeleteOptions{}))
	expect("DELETED two ", b, both)
	nothing(t, a)
}

func TestWatchersStartFromASpecificResourceVersion(t *testing.T) {
	client := configMaps(t)
	labelled(t, client, "one", "A")
	first := mutate(t, client, "one", `{"data":{"mutation":"1"}}`)
	mutate(t, client, "one", `{"data":{"mutation":"2"}}`)
	must(t, client.Delete(t.Context(), "one", metav1.DeleteOptions{}))
	w := watching(t, client, first.ResourceVersion, "watch-this-configmap=A")
	equal(t, "event", next(t, w), "MODIFIED one 2")
	equal(t, "event", next(t, w), "DELETED one 2")
}

func TestWatchersRestartFromTheLastResourceVersion(t *testing.T) {
	client := configMaps(t)
	w := watching(t, client, "", "watch-this-configmap=A")
	labelled(t, client, "one", "A")
	equal(t, "event", next(t, w), "ADDED one ")
	mutate(t, client, "one", `{"data":{"mutation":"1"}}`)
	last := nextEvent(t, w).Object.(*corev1.ConfigMap).ResourceVersion
	w.Stop()
	mutate(t, client, "one", `{"data":{"mutation":"2"}}`)
	w = watching(t, client, last, "watch-this-configmap=A")
	equal(t, "event", next(t, w), "MODIFIED one 2")
	must(t, client.Delete(t.Context(), "one", metav1.DeleteOptions{}))
	equal(t, "event", next(t, w), "DELETED one 2")
}

func TestWatchersObserveADeletionIfTheObjectStopsMeetingTheSelector(t *testing.T) {
	client := configMaps(t)
	w := watching(t, client, "", "watch-this-configmap=A")
	labelled(t, client, "one", "A")
	equal(t, "event", next(t, w), "ADDED one ")
	mutate(t, client, "one", `{"data":{"mutation":"1"}}`)
	equal(t, "event", next(t, w), "MODIFIED one 1")
	changed := mutate(t, client, "one", `{"metadata":{"labels":{"watch-this-configmap":"other"}}}`)
	event := nextEvent(t, w)
	equal(t, "type", event.Type, watch.Deleted)
	equal(t, "revision", event.Object.(*corev1.ConfigMap).ResourceVersion, changed.ResourceVersion)
	mutate(t, client, "one", `{"data":{"mutation":"2"}}`)
	nothing(t, w)
	mutate(t, client, "one", `{"metadata":{"labels":{"watch-this-configmap":"A"}}}`)
	equal(t, "event", next(t, w), "ADDED one 2")
	mutate(t, client, "one", `{"data":{"mutation":"3"}}`)
	equal(t, "event", next(t, w), "MODIFIED one 3")
	must(t, client.Delete(t.Context(), "one", metav1.DeleteOptions{}))
	equal(t, "event", next(t, w), "DELETED one 3")
}

func TestWatchersReceiveEventsOnConcurrentWatchesInSameOrder(t *testing.T) {
	client := configMaps(t)
	start := labelled(t, client, "start", "A")
	go func() {
		for i := 0; t.Context().Err() == nil; i++ {
			name := fmt.Sprintf("cm-%d", i)
			wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
			if _, err := client.Create(t.Context(), wanted, metav1.CreateOptions{}); err != nil {
				return
			}
			if i%3 == 0 && client.Delete(t.Context(), name, metav1.DeleteOptions{}) != nil {
				return
			}
		}
	}()
	first := watching(t, client, start.ResourceVersion, "")
	revision := start.ResourceVersion
	for range 30 {
		// One more starts from each event of the first and must go on as that one does.
		other := watching(t, client, revision, "")
		revision = nextEvent(t, first).Object.(*corev1.ConfigMap).ResourceVersion
		equal(t, "revision", nextEvent(t, other).Object.(*corev1.ConfigMap).ResourceVersion, revision)
		other.Stop()
	}
}
