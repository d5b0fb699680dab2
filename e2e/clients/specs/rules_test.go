package specs

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const ruledSchema = `
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations: [{rule: "self.a + self.b > 0"}, {rule: "self.extra.size() < 100"}]
    properties: {a: {type: integer}, b: {type: integer}, extra: {type: string, default: ""}}
  status: {type: object, x-kubernetes-validations: [{rule: "self.z < 100"}], properties: {z: {type: integer}}}`

// refusedDefinition tries to make a definition.
func refusedDefinition(t *testing.T, schema string) error {
	t.Helper()
	d := shared.draft(t, apiextensionsv1.NamespaceScoped, schema)
	_, err := shared.extensions.ApiextensionsV1().CustomResourceDefinitions().Create(t.Context(), d.CustomResourceDefinition, metav1.CreateOptions{})
	return err
}

func TestValidationRulesDoNotRefuseWhatSatisfiesThem(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, ruledSchema)
	d.create(t, "", "name1", "spec: {a: 1, b: 0}")
}

func TestValidationRulesRefuseWhatDoesNotSatisfyThem(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, ruledSchema)
	_, err := d.try(t, "", "name1", "spec: {a: 0, b: 0}")
	refused(t, err, "failed rule: self.a + self.b > 0")
}

func TestValidationRulesRefuseADefinitionWithAReferenceToAPropertyThatDoesNotExist(t *testing.T) {
	err := refusedDefinition(t, `
type: object
properties:
  spec: {type: object, properties: {x: {type: integer}}, x-kubernetes-validations: [{rule: "self.z < 100"}]}`)
	refused(t, err, "undefined field 'z'")
}

func TestValidationRulesRefuseADefinitionThatContainsASyntaxError(t *testing.T) {
	err := refusedDefinition(t, `
type: object
properties:
  spec: {type: object, properties: {x: {type: integer}}, x-kubernetes-validations: [{rule: "self = 42"}]}`)
	refused(t, err, "Syntax error")
}

func TestValidationRulesRefuseADefinitionThatExceedsTheEstimatedCostLimit(t *testing.T) {
	err := refusedDefinition(t, `
type: object
properties:
  spec:
    type: object
    properties:
      x:
        type: array
        items:
          type: array
          items: {type: string}
          x-kubernetes-validations: [{rule: "self.all(s, s == \"string constant\")"}]`)
	refused(t, err, "exceeds budget")
}

func TestValidationRulesRefuseWhatExceedsTheRuntimeCostLimit(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties:
  spec:
    type: object
    properties:
      list:
        type: array
        maxItems: 725
        items: {type: integer}
        x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x >= 0 || y >= 0 || x == y || x != y))"}]`)
	long := "spec: {list: ["
	for range 725 {
		long += "-1,"
	}
	_, err := d.try(t, "", "name1", long+"]}")
	refused(t, err, "cost")
}

func TestValidationRulesRefuseAnUpdateThatDoesNotSatisfyATransitionRule(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties:
  spec:
    type: object
    properties: {num: {type: integer, x-kubernetes-validations: [{rule: "self >= oldSelf", message: "must not decrease"}]}}`)
	live := d.create(t, "", "name1", "spec: {num: 10}")
	live.Object["spec"] = map[string]any{"num": int64(9)}
	_, err := d.in("").Update(t.Context(), live, metav1.UpdateOptions{})
	refused(t, err, "must not decrease")
	live.Object["spec"] = map[string]any{"num": int64(11)}
	_, err = d.in("").Update(t.Context(), live, metav1.UpdateOptions{})
	must(t, err)
}
