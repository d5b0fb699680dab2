package specs

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// groupSuffix ends the groups of definitions, which may go at any time.
const groupSuffix = ".example.com"

// definition is one kind with one version, v1, and a group of its own.
type definition struct {
	*apiextensionsv1.CustomResourceDefinition
	c *cluster
}

// draft is a definition that was not created yet. The schema is YAML; without one, anything goes.
func (c *cluster) draft(t *testing.T, scope apiextensionsv1.ResourceScope, text string) *definition {
	t.Helper()
	group := "g" + rand.String(6) + groupSuffix
	if text == "" {
		text = "{type: object, x-kubernetes-preserve-unknown-fields: true}"
	}
	properties := &apiextensionsv1.JSONSchemaProps{}
	must(t, yaml.UnmarshalStrict([]byte(text), properties))
	return &definition{c: c, CustomResourceDefinition: &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Scope: scope,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: properties},
			}},
		},
	}}
}

// define makes a definition that is served, until the test ends.
func (c *cluster) define(t *testing.T, scope apiextensionsv1.ResourceScope, text string) *definition {
	t.Helper()
	return c.draft(t, scope, text).serve(t)
}

func (d *definition) serve(t *testing.T) *definition {
	t.Helper()
	client := d.c.extensions.ApiextensionsV1().CustomResourceDefinitions()
	_, err := client.Create(t.Context(), d.CustomResourceDefinition, metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client, d.Name)
	eventually(t, "established", func() bool { return d.reload(t).established() })
	eventually(t, "served", func() bool {
		_, err := d.c.dynamic.Resource(d.resource()).List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
	return d
}

func (d *definition) reload(t *testing.T) *definition {
	t.Helper()
	live, err := d.c.extensions.ApiextensionsV1().CustomResourceDefinitions().Get(t.Context(), d.Name, metav1.GetOptions{})
	must(t, err)
	d.CustomResourceDefinition = live
	return d
}

func (d *definition) established() bool {
	for _, condition := range d.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}

func (d *definition) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.Spec.Group, Version: d.Spec.Versions[0].Name, Resource: d.Spec.Names.Plural}
}

// change updates the definition as it is now.
func (d *definition) change(t *testing.T, change func(*apiextensionsv1.CustomResourceDefinitionSpec)) {
	t.Helper()
	eventually(t, "updated", func() bool {
		d.reload(t)
		change(&d.Spec)
		done, err := d.c.extensions.ApiextensionsV1().CustomResourceDefinitions().Update(
			t.Context(), d.CustomResourceDefinition, metav1.UpdateOptions{})
		if err == nil {
			d.CustomResourceDefinition = done
		} else if !strings.Contains(err.Error(), "modified") {
			must(t, err)
		}
		return err == nil
	})
}

// schema is that of the first version.
func (d *definition) schema(t *testing.T, text string) {
	t.Helper()
	properties := &apiextensionsv1.JSONSchemaProps{}
	must(t, yaml.UnmarshalStrict([]byte(text), properties))
	d.change(t, func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Versions[0].Schema.OpenAPIV3Schema = properties
	})
}

// in is the client of its objects.
func (d *definition) in(namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return d.c.dynamic.Resource(d.resource())
	}
	return d.c.dynamic.Resource(d.resource()).Namespace(namespace)
}

// object is one of its objects; the rest of it is YAML.
func (d *definition) object(t *testing.T, name, rest string) *unstructured.Unstructured {
	t.Helper()
	return object(t, "apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n%s",
		d.resource().GroupVersion(), d.Spec.Names.Kind, name, rest)
}

// create makes one of its objects.
func (d *definition) create(t *testing.T, namespace, name, rest string) *unstructured.Unstructured {
	t.Helper()
	made, err := d.try(t, namespace, name, rest)
	must(t, err)
	return made
}

// try tries to make one of its objects.
func (d *definition) try(t *testing.T, namespace, name, rest string) (*unstructured.Unstructured, error) {
	t.Helper()
	return d.in(namespace).Create(t.Context(), d.object(t, name, rest), metav1.CreateOptions{})
}

// path is where its objects are.
func (d *definition) path(namespace string) string {
	base := "/apis/" + d.Spec.Group + "/" + d.Spec.Versions[0].Name
	if namespace != "" {
		base += "/namespaces/" + namespace
	}
	return base + "/" + d.Spec.Names.Plural
}
