package specs

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The requests that helm sends to install a small chart and to look at it, in their order.
func TestAChartIsInstalledByTheRequestsThatHelmSends(t *testing.T) {
	namespace := shared.namespace(t)
	secrets := shared.at("v1/secrets", namespace)
	releases := metav1.ListOptions{LabelSelector: "name=web,owner=helm"}
	list, err := secrets.List(t.Context(), releases)
	equal(t, "releases", count(t, list, err), 0)
	create(t, secrets, `
apiVersion: v1
kind: Secret
metadata: {name: sh.helm.release.v1.web.v1, labels: {name: web, owner: helm, status: pending-install, version: "1"}}
type: helm.sh/release.v1
data: {release: SDRzSQ==}`)
	for resource, text := range map[string]string{
		"v1/serviceaccounts":  "{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}, automountServiceAccountToken: true}",
		"v1/services":         "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: ClusterIP, selector: {a: b}, ports: [{port: 80, targetPort: http, name: http}]}}",
		"apps/v1/deployments": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {serviceAccountName: web, containers: [{name: web, image: nginx, ports: [{name: http, containerPort: 80}], livenessProbe: {httpGet: {path: /, port: http}}}]}}}}",
	} {
		_, err := shared.at(resource, namespace).Get(t.Context(), "web", metav1.GetOptions{})
		equal(t, resource+" is not there yet", gone(0, err), true)
		made := object(t, "%s", text)
		made.SetLabels(map[string]string{"app.kubernetes.io/managed-by": "Helm"})
		_, err = shared.at(resource, namespace).Create(t.Context(), made, metav1.CreateOptions{FieldManager: "helm", FieldValidation: "Strict"})
		must(t, err)
	}
	live, err := secrets.Get(t.Context(), "sh.helm.release.v1.web.v1", metav1.GetOptions{})
	must(t, err)
	live.SetLabels(map[string]string{"name": "web", "owner": "helm", "status": "deployed", "version": "1"})
	_, err = secrets.Update(t.Context(), live, metav1.UpdateOptions{})
	must(t, err)
	releases.LabelSelector += ",status=deployed"
	list, err = secrets.List(t.Context(), releases)
	equal(t, "deployed", count(t, list, err), 1)
}
