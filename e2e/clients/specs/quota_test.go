package specs

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// quota makes one that limits something and waits until it is counted.
func quota(t *testing.T, namespace, name, spec string) {
	t.Helper()
	_, err := shared.typed.CoreV1().ResourceQuotas(namespace).Create(t.Context(),
		parse[corev1.ResourceQuota](t, "metadata: {name: %s}\nspec: %s", name, spec), metav1.CreateOptions{})
	must(t, err)
	eventually(t, "the status is calculated", func() bool {
		live, err := shared.typed.CoreV1().ResourceQuotas(namespace).Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		return len(live.Status.Hard) > 0 && len(live.Status.Used) == len(live.Status.Hard)
	})
}

// used waits until so much of something is used.
func used(t *testing.T, namespace, name string, what corev1.ResourceName, amount string) {
	t.Helper()
	eventually(t, string(what)+" used", func() bool {
		live, err := shared.typed.CoreV1().ResourceQuotas(namespace).Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		got := live.Status.Used[what]
		return got.Cmp(resource.MustParse(amount)) == 0
	})
}

func TestResourceQuotaCapturesTheLifeOfEachKind(t *testing.T) {
	for _, test := range []struct{ resource, counted, object string }{
		{"v1/services", "services", "{apiVersion: v1, kind: Service, metadata: {name: one}, spec: {ports: [{port: 80}]}}"},
		{"v1/secrets", "secrets", "{apiVersion: v1, kind: Secret, metadata: {name: one}}"},
		{"v1/configmaps", "count/configmaps", "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}"},
		{"v1/replicationcontrollers", "replicationcontrollers", "{apiVersion: v1, kind: ReplicationController, metadata: {name: one}, spec: {replicas: 0, selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}"},
		{"apps/v1/replicasets", "count/replicasets.apps", "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: one}, spec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}"},
	} {
		t.Run(test.counted, func(t *testing.T) {
			namespace := shared.namespace(t)
			limit, base := "1", "0"
			if test.counted == "count/configmaps" {
				// The authority's certificate is one, and may come late.
				limit, base = "2", "1"
			}
			quota(t, namespace, "q", "{hard: {"+test.counted+": \""+limit+"\"}}")
			what := corev1.ResourceName(test.counted)
			used(t, namespace, "q", what, base)
			create(t, shared.at(test.resource, namespace), "%s", test.object)
			used(t, namespace, "q", what, limit)
			more := object(t, "%s", test.object)
			more.SetName("more")
			_, err := shared.at(test.resource, namespace).Create(t.Context(), more, metav1.CreateOptions{})
			equal(t, "forbidden", apierrors.IsForbidden(err), true)
			refused(t, err, "exceeded quota: q")
			must(t, shared.at(test.resource, namespace).Delete(t.Context(), "one", metav1.DeleteOptions{}))
			used(t, namespace, "q", what, base)
		})
	}
}

func TestResourceQuotaCapturesTheLifeOfAPod(t *testing.T) {
	namespace := shared.namespace(t)
	quota(t, namespace, "q", `{hard: {pods: "2", requests.cpu: "1", requests.memory: 500Mi}}`)
	pods := shared.typed.CoreV1().Pods(namespace)
	const sized = `
metadata: {name: %s}
spec: {containers: [{name: c, image: pause, resources: {requests: {cpu: %s, memory: 252Mi}}}]}`
	_, err := pods.Create(t.Context(), parse[corev1.Pod](t, sized, "one", "500m"), metav1.CreateOptions{})
	must(t, err)
	used(t, namespace, "q", "requests.cpu", "500m")
	_, err = pods.Create(t.Context(), parse[corev1.Pod](t, sized, "two", "600m"), metav1.CreateOptions{})
	refused(t, err, "exceeded quota: q", "requests.cpu=600m")
	_, err = pods.Create(t.Context(), parse[corev1.Pod](t, plainPod, "none"), metav1.CreateOptions{})
	refused(t, err, "failed quota: q: must specify requests.cpu for: c; requests.memory for: c")
	_, err = pods.Patch(t.Context(), "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, pods.Delete(t.Context(), "one", metav1.DeleteOptions{}))
	used(t, namespace, "q", "requests.cpu", "0")
}

func TestResourceQuotaVerifiesScopes(t *testing.T) {
	namespace := shared.namespace(t)
	for _, scope := range []string{"BestEffort", "NotBestEffort", "Terminating", "NotTerminating"} {
		name := map[string]string{"BestEffort": "best", "NotBestEffort": "not-best", "Terminating": "ends", "NotTerminating": "stays"}[scope]
		quota(t, namespace, name, `{hard: {pods: "5"}, scopes: [`+scope+`]}`)
	}
	_, err := shared.typed.CoreV1().Pods(namespace).Create(t.Context(), parse[corev1.Pod](t, plainPod, "plain"), metav1.CreateOptions{})
	must(t, err)
	for name, amount := range map[string]string{"best": "1", "not-best": "0", "ends": "0", "stays": "1"} {
		used(t, namespace, name, "pods", amount)
	}
}

func TestResourceQuotaManagesTheLifecycleAndStatus(t *testing.T) {
	namespace := shared.namespace(t)
	client := shared.typed.CoreV1().ResourceQuotas(namespace)
	quota(t, namespace, "q", `{hard: {pods: "5"}}`)
	_, err := client.Patch(t.Context(), "q", types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"q":"spec"}},"spec":{"hard":{"pods":"10"}}}`), metav1.PatchOptions{})
	must(t, err)
	eventually(t, "the status follows", func() bool {
		live, err := client.Get(t.Context(), "q", metav1.GetOptions{})
		must(t, err)
		return live.Status.Hard.Pods().String() == "10"
	})
	patched, err := client.Patch(t.Context(), "q", types.MergePatchType, []byte(`{"status":{"used":{"pods":"7"}}}`), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "patched status", patched.Status.Used.Pods().String(), "7")
	// The next change of what is limited has it counted anew; without one, so does the resync in minutes.
	_, err = client.Patch(t.Context(), "q", types.MergePatchType, []byte(`{"spec":{"hard":{"pods":"11"}}}`), metav1.PatchOptions{})
	must(t, err)
	used(t, namespace, "q", "pods", "0")
	must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "q=spec"}))
	equal(t, "gone", gone(client.Get(t.Context(), "q", metav1.GetOptions{})), true)
}
