// Package envtest tests controllers the way their authors do: controller-runtime starts the server
// from KUBEBUILDER_ASSETS, and managers, caches and clients run against it.
package envtest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// config leads to the server that all tests share.
var config *rest.Config

// environment is that server.
var environment *envtest.Environment

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true), zap.WriteTo(os.Stderr)))
	environment = &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{widgets()}}
	begin := time.Now()
	started, err := environment.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting:", err)
		return 1
	}
	fmt.Printf("envtest: started with a custom resource after %v\n", time.Since(begin).Round(time.Millisecond))
	config = started
	code := m.Run()
	if err := environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping:", err)
		return 1
	}
	return code
}

// within gives tests a minute: more than any needs, less than CI has.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() (bool, error)) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		ok, err := condition()
		if ok {
			return
		}
		last = err
	}
	t.Fatalf("never happened: %s (%v)", what, last)
}

// widgets is a custom resource with a status, a scale and a default.
func widgets() *apiextensionsv1.CustomResourceDefinition {
	one := float64(1)
	integer := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int32"}
	size := integer
	size.Minimum = &one
	size.Default = &apiextensionsv1.JSON{Raw: []byte("3")}
	spec := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": size, "color": {Type: "string"}},
		XValidations: apiextensionsv1.ValidationRules{{
			Rule: "!has(self.color) || self.color != 'beige'", Message: "no beige",
		}},
	}
	status := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"ready": integer},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type:       "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status},
				}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
					Scale: &apiextensionsv1.CustomResourceSubresourceScale{
						SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.ready",
					},
				},
			}},
		},
	}
}
