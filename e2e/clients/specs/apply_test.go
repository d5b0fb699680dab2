package specs

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

func apply(t *testing.T, client dynamic.ResourceInterface, manager string, force bool, text string, part ...string) (*unstructured.Unstructured, error) {
	t.Helper()
	wanted := object(t, "%s", text)
	return client.Apply(t.Context(), wanted.GetName(), wanted, metav1.ApplyOptions{FieldManager: manager, Force: force}, part...)
}

func applied(t *testing.T, client dynamic.ResourceInterface, manager string, force bool, text string, part ...string) *unstructured.Unstructured {
	t.Helper()
	done, err := apply(t, client, manager, force, text, part...)
	must(t, err)
	return done
}

const applyDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: deployment, labels: {app: nginx}}
spec:
  replicas: 3
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: "nginx:latest", env: [{name: A, value: a}, {name: B, value: b}]}]}`

const lessDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: deployment, labels: {app: nginx}}
spec:
  replicas: 3
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: "nginx:latest", env: [{name: A, value: a}]}]}`

func deployments(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	return shared.at("apps/v1/deployments", shared.namespace(t))
}

func TestServerSideApplyCreatesAnAppliedObjectIfItDoesNotAlreadyExist(t *testing.T) {
	client := deployments(t)
	applied(t, client, "apply_test", false, applyDeployment)
	live, err := client.Get(t.Context(), "deployment", metav1.GetOptions{})
	must(t, err)
	equal(t, "manager", live.GetManagedFields()[0].Manager, "apply_test")
	equal(t, "operation", live.GetManagedFields()[0].Operation, metav1.ManagedFieldsOperationApply)
}

func TestServerSideApplyWorksForSubresources(t *testing.T) {
	client := shared.at("v1/pods", shared.namespace(t))
	const pod = `
apiVersion: v1
kind: Pod
metadata: {name: test-pod}
spec: {containers: [{name: nginx, image: "nginx:latest"}]}`
	applied(t, client, "apply_test", false, pod)
	const status = "apiVersion: v1\nkind: Pod\nmetadata: {name: test-pod}\nstatus: {conditions: [{type: MyStatus, status: \"True\"}]}"
	done := applied(t, client, "apply_test2", false, status, "status")
	equal(t, "condition", strings.Contains(field(t, done, "status", "conditions"), "MyStatus"), true)
	found := ""
	for _, entry := range done.GetManagedFields() {
		if entry.Manager == "apply_test2" {
			found = entry.Subresource
		}
	}
	equal(t, "part that is managed", found, "status")
}

func TestServerSideApplyRemovesAFieldIfItIsOwnedButRemovedInTheApplyRequest(t *testing.T) {
	client := deployments(t)
	applied(t, client, "apply_test", false, applyDeployment)
	done := applied(t, client, "apply_test", false, lessDeployment)
	equal(t, "B is gone", strings.Contains(field(t, done, "spec", "template"), `"name":"B"`), false)
}

func TestServerSideApplyDoesNotRemoveAFieldIfOtherManagersStillHaveOwnership(t *testing.T) {
	client := deployments(t)
	applied(t, client, "apply_test", false, applyDeployment)
	applied(t, client, "other", false, applyDeployment)
	done := applied(t, client, "apply_test", false, lessDeployment)
	equal(t, "B stays", strings.Contains(field(t, done, "spec", "template"), `"name":"B"`), true)
	done = applied(t, client, "other", false, lessDeployment)
	equal(t, "B is gone", strings.Contains(field(t, done, "spec", "template"), `"name":"B"`), false)
}

func TestServerSideApplyIgnoresConflictErrorsIfForceApplyIsUsed(t *testing.T) {
	client := deployments(t)
	applied(t, client, "apply_test", false, applyDeployment)
	more := strings.Replace(applyDeployment, "replicas: 3", "replicas: 5", 1)
	_, err := apply(t, client, "other", false, more)
	equal(t, "conflict", apierrors.IsConflict(err), true)
	refused(t, err, `conflict with "apply_test"`, ".spec.replicas")
	equal(t, "replicas", field(t, applied(t, client, "other", true, more), "spec", "replicas"), "5")
}

func TestServerSideApplyWorksForCRDs(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, specSchema)
	object := func(rest string) string {
		return "apiVersion: " + d.resource().GroupVersion().String() + "\nkind: Widget\nmetadata: {name: mytest}\nspec:\n" + rest
	}
	applied(t, d.in(""), "apply_test", false, object("  cronSpec: x\n  ports: [{name: x, containerPort: 80}]"))
	_, err := d.in("").Patch(t.Context(), "mytest", types.MergePatchType, []byte(`{"spec":{"foo":"bar"}}`), metav1.PatchOptions{FieldManager: "patcher"})
	must(t, err)
	_, err = apply(t, d.in(""), "apply_test", false, object("  foo: mine\n  ports: [{name: x, containerPort: 80}]"))
	refused(t, err, `conflict with "patcher"`, ".spec.foo")
	done := applied(t, d.in(""), "other", false, object("  ports: [{name: z, containerPort: 8080}]"))
	equal(t, "both ports", field(t, done, "spec", "ports"), `[{"containerPort":80,"name":"x"},{"containerPort":8080,"name":"z"}]`)
	done = applied(t, d.in(""), "apply_test", true, object("  foo: mine"))
	equal(t, "the other's port", field(t, done, "spec", "ports"), `[{"containerPort":8080,"name":"z"}]`)
	equal(t, "what is no longer applied", field(t, done, "spec", "cronSpec"), "")
}

func TestServerSideApplyGivesUpOwnershipOfAFieldIfForcedAppliedByAController(t *testing.T) {
	client := deployments(t)
	applied(t, client, "test_applier", false, applyDeployment)
	const scaled = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: deployment}\nspec: {replicas: 4}"
	done := applied(t, client, "test_controller", true, scaled)
	equal(t, "replicas", field(t, done, "spec", "replicas"), "4")
	for _, entry := range done.GetManagedFields() {
		owns := strings.Contains(string(entry.FieldsV1.GetRawBytes()), "f:replicas")
		equal(t, entry.Manager+" owns replicas", owns, entry.Manager == "test_controller")
	}
	// Whoever no longer asks for it does not take it away from the one that has it.
	without := strings.Replace(applyDeployment, "  replicas: 3\n", "", 1)
	equal(t, "replicas", field(t, applied(t, client, "test_applier", false, without), "spec", "replicas"), "4")
}
