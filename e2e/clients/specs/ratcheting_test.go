package specs

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ratchet has an object that the definition came to refuse, with its spec in YAML.
func ratchet(t *testing.T, before, after, spec string) *definition {
	t.Helper()
	const around = "type: object\nproperties:\n  spec: "
	d := shared.define(t, apiextensionsv1.ClusterScoped, around+before)
	d.create(t, "", "one", "spec: "+spec)
	d.schema(t, around+after)
	probe := d.object(t, "probe", "spec: "+spec)
	eventually(t, "the new schema refuses it", func() bool {
		_, err := d.in("").Create(t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	})
	return d
}

func (d *definition) patched(t *testing.T, patch string) error {
	t.Helper()
	_, err := d.in("").Patch(t.Context(), "one", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

const openSpec = "{type: object, x-kubernetes-preserve-unknown-fields: true}"

func TestRatchetingToleratesAnUpdateOfWhatIsNotChanged(t *testing.T) {
	d := ratchet(t, openSpec, `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, maxLength: 1}}}`, `{a: long}`)
	must(t, d.patched(t, `{"metadata":{"labels":{"a":"b"}}}`))
	must(t, d.patched(t, `{"spec":{"b":"c"}}`))
}

func TestRatchetingToleratesUnchangedCorrelatableFields(t *testing.T) {
	const list = `{type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string%s}}}}}}`
	d := ratchet(t, openSpec, fmt.Sprintf(list, ", maxLength: 1"), `{l: [{k: a, v: long}, {k: b, v: long}]}`)
	must(t, d.patched(t, `{"spec":{"l":[{"k":"b","v":"long"},{"k":"c","v":"x"},{"k":"a","v":"long"}]}}`))
	refused(t, d.patched(t, `{"spec":{"l":[{"k":"d","v":"long"}]}}`), "Too long")
}

func TestRatchetingDoesNotTolerateUnchangedUncorrelatableFields(t *testing.T) {
	d := ratchet(t, openSpec, `{type: object, properties: {l: {type: array, items: {type: object, properties: {v: {type: string, maxLength: 1}}}}}}`, `{l: [{v: long}]}`)
	must(t, d.patched(t, `{"metadata":{"labels":{"a":"b"}}}`))
	refused(t, d.patched(t, `{"spec":{"l":[{"v":"long"},{"v":"x"}]}}`), "Too long")
}

func TestRatchetingDoesNotTolerateChangedFields(t *testing.T) {
	d := ratchet(t, openSpec, `{type: object, properties: {a: {type: string, maxLength: 1}, i: {type: integer, maximum: 3}}}`, `{a: long, i: 9}`)
	refused(t, d.patched(t, `{"spec":{"a":"longer"}}`), "Too long")
	refused(t, d.patched(t, `{"spec":{"i":10}}`), "spec.i")
}

const ruled = `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self.size() < 2"}]}}}`

func TestRatchetingToleratesRulesOfUnchangedFields(t *testing.T) {
	d := ratchet(t, openSpec, ruled, `{a: long}`)
	must(t, d.patched(t, `{"spec":{"b":"c"}}`))
}

func TestRatchetingDoesNotTolerateRulesOfChangedFields(t *testing.T) {
	d := ratchet(t, openSpec, ruled, `{a: long}`)
	refused(t, d.patched(t, `{"spec":{"a":"longer"}}`), "failed rule")
}

func TestRatchetingDoesNotTolerateTransitionRules(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self != oldSelf"}]}}}}`)
	d.create(t, "", "one", "spec: {a: x}")
	refused(t, d.patched(t, `{"spec":{"b":"c"}}`), "failed rule")
	must(t, d.patched(t, `{"spec":{"a":"y"}}`))
}

func TestRatchetingOfOptionalOldSelfRulesRunsThemOnCreation(t *testing.T) {
	d := shared.define(t, apiextensionsv1.ClusterScoped, `
type: object
properties: {spec: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "oldSelf.hasValue() || self == 'first'", optionalOldSelf: true}]}}}}`)
	_, err := d.try(t, "", "one", "spec: {a: second}")
	refused(t, err, "failed rule")
	d.create(t, "", "one", "spec: {a: first}")
	must(t, d.patched(t, `{"spec":{"a":"second"}}`))
}
