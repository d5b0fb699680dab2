package specs

import (
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestServiceAccountsGuaranteeKubeRootCAExistsInAnyNamespace(t *testing.T) {
	client := shared.typed.CoreV1().ConfigMaps(shared.namespace(t))
	const name = "kube-root-ca.crt"
	present := func() bool {
		live, err := client.Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && strings.HasPrefix(live.Data["ca.crt"], "-----BEGIN CERTIFICATE-----")
	}
	eventually(t, "it is there", present)
	must(t, client.Delete(t.Context(), name, metav1.DeleteOptions{}))
	eventually(t, "it is there again", present)
	_, err := client.Patch(t.Context(), name, types.MergePatchType, []byte(`{"data":{"ca.crt":""}}`), metav1.PatchOptions{})
	must(t, err)
	eventually(t, "it is mended", present)
}

func TestServiceAccountsCreateATokenAndEnsureASuccessfulTokenReview(t *testing.T) {
	namespace := shared.namespace(t)
	request, err := shared.typed.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token}}
	review, err = shared.typed.AuthenticationV1().TokenReviews().Create(t.Context(), review, metav1.CreateOptions{})
	must(t, err)
	equal(t, "error", review.Status.Error, "")
	equal(t, "authenticated", review.Status.Authenticated, true)
	equal(t, "user", review.Status.User.Username, "system:serviceaccount:"+namespace+":default")
}

func TestServiceAccountsRunThroughTheLifecycle(t *testing.T) {
	client := shared.typed.CoreV1().ServiceAccounts(shared.namespace(t))
	no, yes := false, true
	made, err := client.Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "sa", Labels: map[string]string{"static": "true"}}, AutomountServiceAccountToken: &no}, metav1.CreateOptions{})
	must(t, err)
	made.AutomountServiceAccountToken = &yes
	made, err = client.Update(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "automount", *made.AutomountServiceAccountToken, true)
	_, err = client.Patch(t.Context(), "sa", types.StrategicMergePatchType, []byte(`{"automountServiceAccountToken":false}`), metav1.PatchOptions{})
	must(t, err)
	must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "static=true"}))
	equal(t, "gone", gone(client.Get(t.Context(), "sa", metav1.GetOptions{})), true)
}

func TestServiceAccountsAllowOptingOutOfTokenAutomount(t *testing.T) {
	namespace := shared.namespace(t)
	no, yes := false, true
	for _, name := range []string{"mount", "nomount"} {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "nomount" {
			account.AutomountServiceAccountToken = &no
		}
		_, err := shared.typed.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account, metav1.CreateOptions{})
		must(t, err)
	}
	for i, test := range []struct {
		account string
		pod     *bool
		mounts  bool
	}{{"mount", nil, true}, {"mount", &yes, true}, {"mount", &no, false}, {"nomount", nil, false}, {"nomount", &yes, true}, {"nomount", &no, false}} {
		pod := parse[corev1.Pod](t, plainPod, "pod-"+string(rune('a'+i)))
		pod.Spec.ServiceAccountName, pod.Spec.AutomountServiceAccountToken = test.account, test.pod
		made, err := shared.typed.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		must(t, err)
		mounts := false
		for _, mount := range made.Spec.Containers[0].VolumeMounts {
			mounts = mounts || mount.MountPath == "/var/run/secrets/kubernetes.io/serviceaccount"
		}
		equal(t, made.Name+" has a token", mounts, test.mounts)
	}
}

func TestLimitRangeCreatesPodsWithDefaults(t *testing.T) {
	namespace := shared.namespace(t)
	_, err := shared.typed.CoreV1().LimitRanges(namespace).Create(t.Context(), parse[corev1.LimitRange](t, `
metadata: {name: limits}
spec:
  limits:
  - type: Container
    min: {cpu: 50m, memory: 100Mi}
    max: {cpu: 500m, memory: 500Mi}
    default: {cpu: 400m, memory: 300Mi}
    defaultRequest: {cpu: 100m, memory: 200Mi}`), metav1.CreateOptions{})
	must(t, err)
	pods := shared.typed.CoreV1().Pods(namespace)
	made, err := pods.Create(t.Context(), parse[corev1.Pod](t, plainPod, "plain"), metav1.CreateOptions{})
	must(t, err)
	resources := made.Spec.Containers[0].Resources
	equal(t, "requests", resources.Requests.Cpu().String()+" "+resources.Requests.Memory().String(), "100m 200Mi")
	equal(t, "limits", resources.Limits.Cpu().String()+" "+resources.Limits.Memory().String(), "400m 300Mi")
	_, err = pods.Create(t.Context(), parse[corev1.Pod](t, `
metadata: {name: small}
spec: {containers: [{name: c, image: pause, resources: {requests: {cpu: 10m}, limits: {cpu: 20m}}}]}`), metav1.CreateOptions{})
	equal(t, "too little is forbidden", apierrors.IsForbidden(err), true)
	_, err = pods.Create(t.Context(), parse[corev1.Pod](t, `
metadata: {name: large}
spec: {containers: [{name: c, image: pause, resources: {requests: {cpu: 600m}, limits: {cpu: 600m}}}]}`), metav1.CreateOptions{})
	equal(t, "too much is forbidden", apierrors.IsForbidden(err), true)
}

func TestSecretsAndConfigMapsAreImmutableIfImmutableFieldIsSet(t *testing.T) {
	namespace := shared.namespace(t)
	for _, resource := range []string{"v1/configmaps", "v1/secrets"} {
		kind := map[string]string{"v1/configmaps": "ConfigMap", "v1/secrets": "Secret"}[resource]
		client := shared.at(resource, namespace)
		create(t, client, "{apiVersion: v1, kind: %s, metadata: {name: fixed}, data: {a: Yg==}}", kind)
		mergePatch(t, client, "fixed", `{"data":{"a":"Yw=="}}`)
		mergePatch(t, client, "fixed", `{"immutable":true}`)
		for _, patch := range []string{`{"data":{"a":"ZA=="}}`, `{"immutable":false}`} {
			_, err := client.Patch(t.Context(), "fixed", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			equal(t, patch+" is invalid", apierrors.IsInvalid(err), true)
		}
		mergePatch(t, client, "fixed", `{"metadata":{"labels":{"a":"b"}}}`)
		must(t, client.Delete(t.Context(), "fixed", metav1.DeleteOptions{}))
	}
}

func TestSecretsAndConfigMapsWithAnEmptyKeyAreRefused(t *testing.T) {
	namespace := shared.namespace(t)
	for resource, kind := range map[string]string{"v1/configmaps": "ConfigMap", "v1/secrets": "Secret"} {
		_, err := shared.at(resource, namespace).Create(t.Context(), object(t, `{apiVersion: v1, kind: %s, metadata: {name: e}, data: {"": Yg==}}`, kind), metav1.CreateOptions{})
		equal(t, kind+" is invalid", apierrors.IsInvalid(err), true)
	}
}

func TestPodsSetQOSClass(t *testing.T) {
	made, err := shared.typed.CoreV1().Pods(shared.namespace(t)).Create(t.Context(), parse[corev1.Pod](t, `
metadata: {name: qos}
spec: {containers: [{name: c, image: pause, resources: {requests: {cpu: 100m, memory: 1Mi}, limits: {cpu: 100m, memory: 1Mi}}}]}`), metav1.CreateOptions{})
	must(t, err)
	equal(t, "class", made.Status.QOSClass, corev1.PodQOSGuaranteed)
}

func TestPodsWithInvalidSysctlsAreRefused(t *testing.T) {
	_, err := shared.typed.CoreV1().Pods(shared.namespace(t)).Create(t.Context(), parse[corev1.Pod](t, `
metadata: {name: sysctl}
spec:
  securityContext: {sysctls: [{name: foo-, value: bar}, {name: kernel.shmmax, value: "1"}, {name: safe-and-unsafe, value: "1"}, {name: bar.., value: "42"}]}
  containers: [{name: c, image: pause}]`), metav1.CreateOptions{})
	refused(t, err, `Invalid value: "foo-"`, `Invalid value: "bar.."`)
}

func TestRuntimeClassRejectsAPodThatRequestsANonExistentOrDeletedOne(t *testing.T) {
	namespace := shared.namespace(t)
	pod := parse[corev1.Pod](t, plainPod, "classy")
	class := "spec-class"
	pod.Spec.RuntimeClassName = &class
	_, err := shared.typed.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	equal(t, "forbidden", apierrors.IsForbidden(err), true)
	create(t, shared.at("node.k8s.io/v1/runtimeclasses", ""), "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: spec-class}, handler: h, overhead: {podFixed: {cpu: 10m}}}")
	made, err := shared.typed.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	must(t, err)
	equal(t, "overhead", made.Spec.Overhead.Cpu().String(), "10m")
	must(t, shared.typed.NodeV1().RuntimeClasses().Delete(t.Context(), class, metav1.DeleteOptions{}))
	pod.Name = "late"
	_, err = shared.typed.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	equal(t, "forbidden again", apierrors.IsForbidden(err), true)
}

func TestServicesAreFoundFromListingAllNamespacesAndDeletedAsACollection(t *testing.T) {
	namespace := shared.namespace(t)
	services := shared.typed.CoreV1().Services(namespace)
	for _, name := range []string{"a", "b", "c"} {
		_, err := services.Create(t.Context(), parse[corev1.Service](t, `{metadata: {name: %s, labels: {which: "%s"}}, spec: {ports: [{port: 80}]}}`, name, map[bool]string{true: "keep", false: "go"}[name == "c"]), metav1.CreateOptions{})
		must(t, err)
	}
	must(t, shared.at("v1/services", namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "which=go"}))
	list, err := services.List(t.Context(), metav1.ListOptions{})
	equal(t, "left", count(t, list, err), 1)
	all, err := shared.typed.CoreV1().Services("").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=kubernetes"})
	equal(t, "the server's own service", count(t, all, err), 1)
	equal(t, "secure port", all.Items[0].Spec.Ports[0].Name, "https")
}

func TestServicesCompleteAStatusLifecycle(t *testing.T) {
	services := shared.typed.CoreV1().Services(shared.namespace(t))
	_, err := services.Create(t.Context(), parse[corev1.Service](t, `{metadata: {name: s}, spec: {type: LoadBalancer, ports: [{port: 80}]}}`), metav1.CreateOptions{})
	must(t, err)
	patched, err := services.Patch(t.Context(), "s", types.MergePatchType, []byte(`{"metadata":{"annotations":{"patched":"true"}},"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.1"}]}}}`), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "ingress", patched.Status.LoadBalancer.Ingress[0].IP, "203.0.113.1")
	patched.Status.Conditions = append(patched.Status.Conditions, metav1.Condition{Type: "StatusUpdate", Status: "True", Reason: "E2E", Message: "m", LastTransitionTime: metav1.Now()})
	updated, err := services.UpdateStatus(t.Context(), patched, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "condition", updated.Status.Conditions[0].Type, "StatusUpdate")
}

func TestAPIServerEndpointsAndEndpointSlicesPointToTheServer(t *testing.T) {
	endpoints, err := shared.typed.CoreV1().Endpoints("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
	must(t, err)
	slices, err := shared.typed.DiscoveryV1().EndpointSlices("default").List(t.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kubernetes"})
	equal(t, "slices", count(t, slices, err), 1)
	equal(t, "address", slices.Items[0].Endpoints[0].Addresses[0], endpoints.Subsets[0].Addresses[0].IP)
}
