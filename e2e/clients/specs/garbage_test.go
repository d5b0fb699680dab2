package specs

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

const plainPod = `{metadata: {name: %s}, spec: {containers: [{name: c, image: pause}]}}`

func propagate(how metav1.DeletionPropagation) metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: &how}
}

func TestGarbageCollectorIsNotBlockedByACircle(t *testing.T) {
	namespace := shared.namespace(t)
	pods := shared.typed.CoreV1().Pods(namespace)
	names := []string{"pod1", "pod2", "pod3"}
	uids := map[string]types.UID{}
	for _, name := range names {
		made, err := pods.Create(t.Context(), parse[corev1.Pod](t, plainPod, name), metav1.CreateOptions{})
		must(t, err)
		uids[name] = made.UID
	}
	yes := true
	for i, name := range names {
		owner := names[(i+2)%3]
		must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			pod, err := pods.Get(t.Context(), name, metav1.GetOptions{})
			must(t, err)
			pod.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Pod", Name: owner, UID: uids[owner], Controller: &yes, BlockOwnerDeletion: &yes,
			}}
			_, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{})
			return err
		}))
	}
	options := propagate(metav1.DeletePropagationForeground)
	uid := uids["pod1"]
	options.Preconditions = &metav1.Preconditions{UID: &uid}
	must(t, pods.Delete(t.Context(), "pod1", options))
	eventually(t, "no pods", func() bool {
		list, err := pods.List(t.Context(), metav1.ListOptions{})
		return count(t, list, err) == 0
	})
}

// ownedPods makes a replication controller and pods of it, as its controller would.
func ownedPods(t *testing.T, namespace string) (rc *corev1.ReplicationController) {
	t.Helper()
	core := shared.typed.CoreV1()
	rc, err := core.ReplicationControllers(namespace).Create(t.Context(), parse[corev1.ReplicationController](t, `
metadata: {name: simple}
spec:
  replicas: 2
  selector: {name: foo}
  template: {metadata: {labels: {name: foo}}, spec: {containers: [{name: nginx, image: nginx}]}}`), metav1.CreateOptions{})
	must(t, err)
	for _, name := range []string{"one", "two"} {
		pod := parse[corev1.Pod](t, plainPod, name)
		pod.Labels = rc.Spec.Template.Labels
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(rc, corev1.SchemeGroupVersion.WithKind("ReplicationController"))}
		_, err := core.Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		must(t, err)
	}
	return rc
}

func TestGarbageCollectorDeletesPodsCreatedByARcWhenNotOrphaning(t *testing.T) {
	for _, how := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		namespace := shared.namespace(t)
		rc := ownedPods(t, namespace)
		core := shared.typed.CoreV1()
		must(t, core.ReplicationControllers(namespace).Delete(t.Context(), rc.Name, propagate(how)))
		eventually(t, "no pods and no controller", func() bool {
			pods, err := core.Pods(namespace).List(t.Context(), metav1.ListOptions{})
			return count(t, pods, err) == 0 && gone(core.ReplicationControllers(namespace).Get(t.Context(), rc.Name, metav1.GetOptions{}))
		})
	}
}

func TestGarbageCollectorOrphansPodsCreatedByARcIfDeleteOptionsSaySo(t *testing.T) {
	namespace := shared.namespace(t)
	rc := ownedPods(t, namespace)
	core := shared.typed.CoreV1()
	yes := true
	options := metav1.DeleteOptions{OrphanDependents: &yes}
	must(t, core.ReplicationControllers(namespace).Delete(t.Context(), rc.Name, options))
	eventually(t, "the controller is gone", func() bool {
		return gone(core.ReplicationControllers(namespace).Get(t.Context(), rc.Name, metav1.GetOptions{}))
	})
	always(t, "two pods without owners", func() bool {
		pods, err := core.Pods(namespace).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		return len(pods.Items) == 2 && len(pods.Items[0].OwnerReferences) == 0 && len(pods.Items[1].OwnerReferences) == 0
	})
}

func TestGarbageCollectorDoesNotDeleteDependentsThatHaveAValidOwnerToo(t *testing.T) {
	namespace := shared.namespace(t)
	rc := ownedPods(t, namespace)
	core := shared.typed.CoreV1()
	other := rc.DeepCopy()
	other.ObjectMeta = metav1.ObjectMeta{Name: "stays"}
	other, err := core.ReplicationControllers(namespace).Create(t.Context(), other, metav1.CreateOptions{})
	must(t, err)
	patch := `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ReplicationController","name":"stays","uid":"` + string(other.UID) + `"}]}}`
	_, err = core.Pods(namespace).Patch(t.Context(), "one", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	must(t, err)
	must(t, core.ReplicationControllers(namespace).Delete(t.Context(), rc.Name, propagate(metav1.DeletePropagationForeground)))
	eventually(t, "the first owner is gone", func() bool {
		return gone(core.ReplicationControllers(namespace).Get(t.Context(), rc.Name, metav1.GetOptions{}))
	})
	pods, err := core.Pods(namespace).List(t.Context(), metav1.ListOptions{})
	equal(t, "pods", count(t, pods, err), 1)
	equal(t, "which", pods.Items[0].Name, "one")
	equal(t, "owners left", len(pods.Items[0].OwnerReferences), 1)
}

// family makes an owner and one that it owns, of a custom kind.
func family(t *testing.T) (*definition, *unstructured.Unstructured) {
	t.Helper()
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	owner := d.create(t, "", "owner", "")
	dependent := d.object(t, "dependent", "")
	dependent.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: "owner", UID: owner.GetUID(),
	}})
	_, err := d.in("").Create(t.Context(), dependent, metav1.CreateOptions{})
	must(t, err)
	return d, owner
}

func TestGarbageCollectorSupportsCascadingDeletionOfCustomResources(t *testing.T) {
	d, _ := family(t)
	must(t, d.in("").Delete(t.Context(), "owner", propagate(metav1.DeletePropagationBackground)))
	eventually(t, "both are gone", func() bool {
		return gone(d.in("").Get(t.Context(), "dependent", metav1.GetOptions{})) &&
			gone(d.in("").Get(t.Context(), "owner", metav1.GetOptions{}))
	})
}

func TestGarbageCollectorSupportsOrphanDeletionOfCustomResources(t *testing.T) {
	d, _ := family(t)
	must(t, d.in("").Delete(t.Context(), "owner", propagate(metav1.DeletePropagationOrphan)))
	eventually(t, "the owner is gone", func() bool { return gone(d.in("").Get(t.Context(), "owner", metav1.GetOptions{})) })
	always(t, "the dependent stays", func() bool {
		_, err := d.in("").Get(t.Context(), "dependent", metav1.GetOptions{})
		return err == nil
	})
}
