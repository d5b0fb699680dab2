package specs

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

func TestNamespacesPatchANamespace(t *testing.T) {
	name := shared.namespace(t)
	client := shared.typed.CoreV1().Namespaces()
	_, err := client.Patch(t.Context(), name, types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"testLabel":"testValue"}}}`), metav1.PatchOptions{})
	must(t, err)
	live, err := client.Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	equal(t, "label", live.Labels["testLabel"], "testValue")
	equal(t, "name label", live.Labels["kubernetes.io/metadata.name"], name)
}

func TestNamespacesApplyChangesToANamespaceStatus(t *testing.T) {
	name := shared.namespace(t)
	client := shared.typed.CoreV1().Namespaces()
	patch := `{"metadata":{"annotations":{"e2e-patched":"yes"}},"status":{"conditions":[{"type":"StatusPatch","status":"True","reason":"E2E","message":"patched"}]}}`
	patched, err := client.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "reason", patched.Status.Conditions[len(patched.Status.Conditions)-1].Reason, "E2E")

	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		live.Status.Conditions = append(live.Status.Conditions, corev1.NamespaceCondition{
			Type: "StatusUpdate", Status: corev1.ConditionTrue, Reason: "E2E", Message: "Updated by an e2e test"})
		done, err := client.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			equal(t, "type", done.Status.Conditions[len(done.Status.Conditions)-1].Type, corev1.NamespaceConditionType("StatusUpdate"))
		}
		return err
	}))
	// The dynamic client asks for the part itself.
	part, err := shared.at("v1/namespaces", "").Get(t.Context(), name, metav1.GetOptions{}, "status")
	must(t, err)
	equal(t, "phase", field(t, part, "status", "phase"), `"Active"`)
}

func TestNamespacesApplyAnUpdateToANamespace(t *testing.T) {
	name := shared.namespace(t)
	client := shared.typed.CoreV1().Namespaces()
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		live.Labels["spec"] = "updated"
		done, err := client.Update(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			equal(t, "label", done.Labels["spec"], "updated")
		}
		return err
	}))
}

func TestNamespacesApplyAFinalizerToANamespace(t *testing.T) {
	name := shared.namespace(t)
	client := shared.typed.CoreV1().Namespaces()
	const wanted = corev1.FinalizerName("e2e.example.com/fakeFinalizer")
	finalize := func(change func(*corev1.Namespace)) *corev1.Namespace {
		var done *corev1.Namespace
		must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			live, err := client.Get(t.Context(), name, metav1.GetOptions{})
			must(t, err)
			change(live)
			done, err = client.Finalize(t.Context(), live, metav1.UpdateOptions{})
			return err
		}))
		return done
	}
	done := finalize(func(n *corev1.Namespace) { n.Spec.Finalizers = append(n.Spec.Finalizers, wanted) })
	equal(t, "finalizers", fmt.Sprint(done.Spec.Finalizers), "[kubernetes e2e.example.com/fakeFinalizer]")
	done = finalize(func(n *corev1.Namespace) { n.Spec.Finalizers = n.Spec.Finalizers[:1] })
	equal(t, "finalizers", fmt.Sprint(done.Spec.Finalizers), "[kubernetes]")
}

func TestNamespacesEnsureThatAllServicesAreRemovedWhenANamespaceIsDeleted(t *testing.T) {
	name := shared.namespace(t)
	core := shared.typed.CoreV1()
	_, err := core.Services(name).Create(t.Context(), parse[corev1.Service](t,
		`{metadata: {name: test-service}, spec: {selector: {a: b}, ports: [{port: 80, targetPort: 80}]}}`), metav1.CreateOptions{})
	must(t, err)
	must(t, core.Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}))
	eventually(t, "the namespace is gone", func() bool { return gone(core.Namespaces().Get(t.Context(), name, metav1.GetOptions{})) })
	_, err = core.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	must(t, err)
	equal(t, "the service is gone", gone(core.Services(name).Get(t.Context(), "test-service", metav1.GetOptions{})), true)
}

func TestNamespacesAreDeletedFast(t *testing.T) {
	core := shared.typed.CoreV1()
	for i := range 100 {
		wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("nslifetest-%d", i), Labels: map[string]string{"fast": "yes"}}}
		_, err := core.Namespaces().Create(t.Context(), wanted, metav1.CreateOptions{})
		must(t, err)
	}
	for i := range 100 {
		must(t, core.Namespaces().Delete(t.Context(), fmt.Sprintf("nslifetest-%d", i), metav1.DeleteOptions{}))
	}
	eventually(t, "all are gone", func() bool {
		list, err := core.Namespaces().List(t.Context(), metav1.ListOptions{LabelSelector: "fast=yes"})
		return count(t, list, err) == 0
	})
}
