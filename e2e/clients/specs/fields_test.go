package specs

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const strict = "?fieldValidation=Strict&fieldManager=spec"

const specSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      cronSpec: {type: string}
      foo: {type: string}
      ports:
        type: array
        x-kubernetes-list-map-keys: [containerPort]
        x-kubernetes-list-type: map
        items: {type: object, required: [containerPort], properties: {containerPort: {type: integer}, name: {type: string}}}`

// json is one of the definition's objects; parts are JSON members with commas before them.
func (d *definition) json(name, inMetadata, members string) string {
	return `{"apiVersion":"` + d.resource().GroupVersion().String() + `","kind":"Widget","metadata":{"name":"` + name + `"` +
		inMetadata + `}` + members + `}`
}

// attempts sends an object by each way of writing one that checks fields.
func attempts(t *testing.T, path, name, body string) map[string]error {
	t.Helper()
	return map[string]error{
		"create": shared.raw(t, "POST", path+strict, "application/json", body).Error(),
		"apply":  shared.raw(t, "PATCH", path+"/"+name+strict, "application/apply-patch+yaml", body).Error(),
	}
}

func deployment(inMetadata, inSpec string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"my-dep","labels":{"app":"nginx"}` + inMetadata + `},` +
		`"spec":{"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},` +
		`"spec":{"containers":[{"name":"nginx","image":"nginx:latest"}]}}` + inSpec + `}}`
}

func TestFieldValidationDetectsUnknownAndDuplicateFieldsOfATypedObject(t *testing.T) {
	path := "/apis/apps/v1/namespaces/" + shared.namespace(t) + "/deployments"
	err := shared.raw(t, "POST", path+strict, "application/json", deployment("", `,"unknownField":1,"replicas":1,"replicas":2`)).Error()
	refused(t, err, `strict decoding error: unknown field "spec.unknownField", duplicate field "spec.replicas"`)
	err = shared.raw(t, "POST", path+strict, "application/yaml", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-dep}
spec: {unknown: x, paused: true, paused: false}`).Error()
	refused(t, err, `strict decoding error: yaml: unmarshal errors:`, `key "paused" already set in map`, `unknown field "spec.unknown"`)
}

func TestFieldValidationDetectsUnknownMetadataFieldsOfATypedObject(t *testing.T) {
	path := "/apis/apps/v1/namespaces/" + shared.namespace(t) + "/deployments"
	body := deployment(`,"unknownMeta":"unknown"`, "")
	refused(t, shared.raw(t, "POST", path+strict, "application/json", body).Error(), `unknown field "metadata.unknownMeta"`)
}

func TestFieldValidationCreatesAndAppliesAValidCRWithValidationSchema(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, specSchema)
	spec := `,"spec":{"cronSpec":"* * * * */5","ports":[{"name":"x","containerPort":80}]}`
	must(t, shared.raw(t, "PATCH", d.path("")+"/mytest"+strict, "application/apply-patch+yaml", d.json("mytest", "", spec)).Error())
	must(t, shared.raw(t, "POST", d.path("")+strict, "application/json", d.json("other", "", spec)).Error())
}

func TestFieldValidationCreatesAndAppliesACRWithUnknownFieldsForCRDWithNoValidationSchema(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	spec := `,"spec":{"cronSpec":"* * * * */5","unknown":{"any":[1]}}`
	must(t, shared.raw(t, "PATCH", d.path("")+"/mytest"+strict, "application/apply-patch+yaml", d.json("mytest", "", spec)).Error())
	must(t, shared.raw(t, "POST", d.path("")+strict, "application/json", d.json("other", "", spec)).Error())
}

func TestFieldValidationRefusesAnInvalidCRWithExtraPropertiesForCRDWithValidationSchema(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, specSchema)
	body := d.json("mytest", "", `,"spec":{"extraProperty":"x","ports":[{"name":"x","containerPort":80}]}`)
	attempted := attempts(t, d.path(""), "mytest", body)
	refused(t, attempted["create"], `strict decoding error: unknown field "spec.extraProperty"`)
	refused(t, attempted["apply"], `failed to create typed patch object`, `.spec.extraProperty: field not declared in schema`)
}

func TestFieldValidationDetectsUnknownMetadataFieldsInRootAndEmbeddedObjectOfACR(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties:
  spec:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties:
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`)
	body := d.json("mytest", `,"unknownMeta":"a"`, `,"spec":{"template":{"apiVersion":"foo/v1","kind":"Sub","metadata":{"unknownSubMeta":"b","name":"sub"}}}`)
	for how, err := range attempts(t, d.path(""), "mytest", body) {
		if err == nil {
			t.Fatalf("%s is not refused", how)
		}
		refused(t, err, "metadata.unknownSubMeta", "metadata.unknownMeta")
	}
}

func TestFieldValidationDetectsDuplicatesInACRWhenPreservingUnknownFields(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, "")
	body := d.json("mytest", "", `,"spec":{"unknown":"u1","unknown":"u2","foo":"a","foo":"b"}`)
	err := shared.raw(t, "POST", d.path("")+strict, "application/json", body).Error()
	refused(t, err, `duplicate field "spec.unknown"`, `duplicate field "spec.foo"`)
	yaml := strings.ReplaceAll("apiVersion: GROUP\nkind: Widget\nmetadata: {name: mytest}\nspec:\n  unknown: u1\n  unknown: u2\n", "GROUP", d.resource().GroupVersion().String())
	err = shared.raw(t, "POST", d.path("")+strict, "application/yaml", yaml).Error()
	refused(t, err, `key "unknown" already set in map`)
}
