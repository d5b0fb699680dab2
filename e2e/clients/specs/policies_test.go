package specs

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
)

const plainDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  replicas: %d
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}`

// policy is one of a kind and its binding, for the deployments of one namespace.
func policy(t *testing.T, kind, namespace, spec, binding string) {
	t.Helper()
	name := "spec-" + rand.String(6)
	group := "admissionregistration.k8s.io/v1"
	plural := strings.ToLower(kind)
	policies := shared.at(group+"/"+strings.TrimSuffix(plural, "y")+"ies", "")
	bindings := shared.at(group+"/"+plural+"bindings", "")
	create(t, policies, "apiVersion: %s\nkind: %s\nmetadata: {name: %s}\nspec:\n%s", group, kind, name, spec)
	create(t, bindings, `
apiVersion: %s
kind: %sBinding
metadata: {name: %s}
spec:
  policyName: %s
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}}
%s`, group, kind, name, name, namespace, binding)
	t.Cleanup(func() {
		must(t, bindings.Delete(context.Background(), name, metav1.DeleteOptions{}))
		must(t, policies.Delete(context.Background(), name, metav1.DeleteOptions{}))
	})
}

const forDeployments = `
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]}`

func TestValidatingAdmissionPolicyValidatesAgainstADeployment(t *testing.T) {
	namespace := shared.namespace(t)
	policy(t, "ValidatingAdmissionPolicy", namespace, forDeployments+`
  variables: [{name: replicas, expression: object.spec.replicas}]
  validations: [{expression: "variables.replicas > 1", messageExpression: "'wants replicas > 1, has ' + string(variables.replicas)"}]`,
		"  validationActions: [Deny]")
	client := shared.at("apps/v1/deployments", namespace)
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	eventually(t, "the policy is in force", func() bool {
		_, err := client.Create(t.Context(), object(t, plainDeployment, "one", 1), dry)
		return err != nil && strings.Contains(err.Error(), "wants replicas > 1, has 1")
	})
	create(t, client, plainDeployment, "two", 2)
}
