package specs

import (
	"os/exec"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const described = `
type: object
description: Foo CRD for Testing
properties:
  spec:
    type: object
    description: Specification of Foo
    properties:
      bars:
        description: List of Bars and their specs.
        type: array
        items:
          type: object
          required: [name]
          properties:
            name: {description: Name of Bar., type: string}
            age: {description: Age of Bar., type: string}`

// kubectl runs it, with something on its standard input.
func kubectl(t *testing.T, input string, arguments ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl")
	}
	command := exec.CommandContext(t.Context(), "kubectl", append([]string{"--kubeconfig", shared.kubeconfig(), "--cache-dir", t.TempDir()}, arguments...)...)
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	return string(output), err
}

func kubectlDoes(t *testing.T, input string, arguments ...string) string {
	t.Helper()
	output, err := kubectl(t, input, arguments...)
	if err != nil {
		t.Fatalf("kubectl %v: %v\n%s", arguments, err, output)
	}
	return output
}

// published waits until the document says, or no longer says, something of the definition.
func (d *definition) published(t *testing.T, version, text string, wanted bool) {
	t.Helper()
	parts := strings.Split(d.Spec.Group, ".")
	name := "com.example." + parts[0] + "." + version + ".Widget"
	eventually(t, name+" in the document", func() bool {
		// This text form is compressed and cached like the protobuf one that kubectl used to read.
		document, err := d.c.typed.Discovery().OpenAPISchema()
		must(t, err)
		for _, definition := range document.Definitions.AdditionalProperties {
			if definition.Name == name {
				return wanted && strings.Contains(definition.Value.String(), text)
			}
		}
		return !wanted
	})
}

func (d *definition) yaml(name, rest string) string {
	return "apiVersion: " + d.resource().GroupVersion().String() + "\nkind: Widget\nmetadata: {name: " + name + "}\n" + rest
}

func TestPublishOpenAPIWorksForCRDWithValidationSchema(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, described)
	d.published(t, "v1", "List of Bars", true)
	valid := d.yaml("test-foo", "spec: {bars: [{name: test-bar}]}")
	kubectlDoes(t, valid, "create", "-f", "-")
	kubectlDoes(t, valid, "apply", "-f", "-")
	kubectlDoes(t, valid, "delete", "-f", "-")
	output, err := kubectl(t, d.yaml("x", "spec: {foo: true}"), "create", "-f", "-")
	equal(t, "unknown field is refused", err != nil && strings.Contains(output, `unknown field "spec.foo"`), true)
	output, err = kubectl(t, d.yaml("x", `spec: {bars: [{age: "10"}]}`), "create", "-f", "-")
	equal(t, "missing field is refused", err != nil && strings.Contains(output, "spec.bars[0].name: Required value"), true)
	explained := kubectlDoes(t, "", "explain", d.Name)
	equal(t, "description", strings.Contains(explained, "Foo CRD for Testing"), true)
	explained = kubectlDoes(t, "", "explain", d.Name+".spec.bars")
	equal(t, "description of a field", strings.Contains(explained, "List of Bars and their specs."), true)
	explained = kubectlDoes(t, "", "explain", d.Name+".spec", "--recursive")
	equal(t, "fields", strings.Contains(explained, "bars") && strings.Contains(explained, "age"), true)
	_, err = kubectl(t, "", "explain", d.Name+".spec.bars2")
	equal(t, "no such field", err != nil, true)
}

// anything checks that kubectl lets everything through.
func anything(t *testing.T, schema string) {
	t.Helper()
	d := shared.define(t, apiextensionsv1.ClusterScoped, schema)
	d.published(t, "v1", "", true)
	random := d.yaml("test-cr", "spec: {dummy: x, a: {b: [c]}}")
	kubectlDoes(t, random, "create", "-f", "-")
	kubectlDoes(t, random, "apply", "-f", "-")
	kubectlDoes(t, random, "delete", "-f", "-")
	explained := kubectlDoes(t, "", "explain", d.Name)
	equal(t, "kind", strings.Contains(explained, "Widget"), true)
}

func TestPublishOpenAPIWorksForCRDWithoutValidationSchema(t *testing.T) {
	anything(t, "")
}

func TestPublishOpenAPIWorksForCRDPreservingUnknownFieldsAtTheSchemaRoot(t *testing.T) {
	anything(t, "{type: object, description: preserve-unknown-properties at root, x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}")
}

func TestPublishOpenAPIWorksForCRDPreservingUnknownFieldsInAnEmbeddedObject(t *testing.T) {
	anything(t, "{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {dummy: {type: string}}}}}")
}

func TestPublishOpenAPIWorksForMultipleCRDsOfDifferentGroups(t *testing.T) {
	one := shared.define(t, apiextensionsv1.NamespaceScoped, described)
	two := shared.define(t, apiextensionsv1.NamespaceScoped, described)
	one.published(t, "v1", "List of Bars", true)
	two.published(t, "v1", "List of Bars", true)
}

// withVersion adds a version that is served.
func (d *definition) withVersion(name string) *definition {
	version := d.Spec.Versions[0].DeepCopy()
	version.Name, version.Storage = name, false
	d.Spec.Versions = append(d.Spec.Versions, *version)
	return d
}

func TestPublishOpenAPIWorksForMultipleCRDsOfSameGroupButDifferentVersions(t *testing.T) {
	d := shared.draft(t, apiextensionsv1.ClusterScoped, described).withVersion("v2").serve(t)
	d.published(t, "v1", "List of Bars", true)
	d.published(t, "v2", "List of Bars", true)
}

func TestPublishOpenAPIWorksForMultipleCRDsOfSameGroupAndVersionButDifferentKinds(t *testing.T) {
	one := shared.define(t, apiextensionsv1.ClusterScoped, described)
	two := shared.draft(t, apiextensionsv1.ClusterScoped, described)
	two.Name, two.Spec.Group = "gadgets."+one.Spec.Group, one.Spec.Group
	two.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Singular: "gadget", Kind: "Gadget", ListKind: "GadgetList"}
	two.serve(t)
	one.published(t, "v1", "List of Bars", true)
	eventually(t, "the other is explained", func() bool {
		text, err := kubectl(t, "", "explain", two.Name+".spec")
		return err == nil && strings.Contains(text, "List of Bars")
	})
}

func TestPublishOpenAPIUpdatesThePublishedSpecWhenOneVersionGetsRenamed(t *testing.T) {
	d := shared.draft(t, apiextensionsv1.ClusterScoped, described).withVersion("v2").serve(t)
	d.published(t, "v2", "", true)
	d.change(t, func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { spec.Versions[1].Name = "v4" })
	d.published(t, "v4", "List of Bars", true)
	d.published(t, "v2", "", false)
	d.published(t, "v1", "List of Bars", true)
}

func TestPublishOpenAPIRemovesDefinitionFromSpecWhenOneVersionGetsChangedToNotBeServed(t *testing.T) {
	d := shared.draft(t, apiextensionsv1.ClusterScoped, described).withVersion("v2").serve(t)
	d.published(t, "v2", "", true)
	d.change(t, func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { spec.Versions[1].Served = false })
	d.published(t, "v2", "", false)
	d.published(t, "v1", "List of Bars", true)
}

func TestKubectlDoesWhatItDoesOnARealCluster(t *testing.T) {
	namespace := shared.namespace(t)
	kubectlDoes(t, "", "-n", namespace, "create", "deployment", "web", "--image=nginx", "--replicas=2")
	kubectlDoes(t, "", "-n", namespace, "create", "configmap", "settings", "--from-literal=a=b")
	kubectlDoes(t, "", "-n", namespace, "create", "secret", "generic", "hidden", "--from-literal=a=b")
	token := kubectlDoes(t, "", "-n", namespace, "create", "token", "default")
	equal(t, "parts of the token", strings.Count(token, "."), 2)
	kubectlDoes(t, "", "-n", namespace, "scale", "deployment", "web", "--replicas=3")
	kubectlDoes(t, "", "-n", namespace, "set", "image", "deployment/web", "nginx=nginx:1")
	kubectlDoes(t, "", "-n", namespace, "expose", "deployment", "web", "--port=80")
	kubectlDoes(t, "", "-n", namespace, "run", "e2e-test-pod", "--restart=Never", "--image=httpd")
	output := kubectlDoes(t, "", "-n", namespace, "get", "deployment", "web", "-o", "jsonpath={.spec.replicas}{.spec.template.spec.containers[0].image}")
	equal(t, "edited", output, "3nginx:1")
	rules := kubectlDoes(t, "", "auth", "can-i", "--list")
	equal(t, "rules", strings.Contains(rules, "*.*"), true)
	kubectlDoes(t, "", "create", "namespace", namespace+"-more")
	kubectlDoes(t, "", "delete", "namespace", namespace+"-more", "--timeout=50s")
}
