// Prints how Kubernetes' own types write each field, which OpenAPI does not tell: type name ->
// [[field, presence], ...] in the order of encoding. `compact_reference` takes the output.
//
//	go mod init presence && go mod tidy && go run . > presence.json
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storage "k8s.io/api/storage/v1"
	storagemigration "k8s.io/api/storagemigration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type table map[string][][2]string

// name is the type's name in OpenAPI documents.
func name(t reflect.Type) string {
	host, rest, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// opaque types write themselves: times, quantities, raw JSON.
func opaque(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

func (types table) walk(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		types.walk(t.Elem())
	case reflect.Struct:
		if _, known := types[name(t)]; known {
			return
		}
		if opaque(t) && !strings.HasPrefix(t.Name(), "JSONSchemaProps") {
			return
		}
		types[name(t)] = nil
		types[name(t)] = types.fields(t)
	}
}

func (types table) fields(t reflect.Type) (fields [][2]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && tag == "" {
			if field.Type.Name() == "TypeMeta" {
				fields = append(fields, [2]string{"kind", "omitZero"}, [2]string{"apiVersion", "omitZero"})
			} else {
				fields = append(fields, types.fields(field.Type)...)
			}
			continue
		}
		if tag == "-" || !field.IsExported() {
			continue
		}
		fields = append(fields, [2]string{tag, presence(field.Type, options)})
		types.walk(field.Type)
	}
	return fields
}

func presence(t reflect.Type, options string) string {
	omits := strings.Contains(options, "omitempty")
	if strings.Contains(options, "omitzero") {
		return "omitZero"
	}
	switch t.Kind() {
	case reflect.Pointer:
		if omits {
			return "optional"
		}
		return "nullable"
	case reflect.Slice, reflect.Map:
		if omits {
			return "omitZero"
		}
		return "nullable"
	case reflect.Struct:
		// The zero value is written even with omitempty, by most opaque types as null.
		written, _ := json.Marshal(reflect.Zero(t).Interface())
		if opaque(t) && string(written) == "null" {
			return "nullable"
		}
		return "always"
	}
	if omits {
		return "omitZero"
	}
	return "always"
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistration.AddToScheme, apps.AddToScheme, authentication.AddToScheme,
		authorization.AddToScheme, autoscaling.AddToScheme, autoscalingv2.AddToScheme, batch.AddToScheme,
		certificates.AddToScheme, coordination.AddToScheme, core.AddToScheme, discovery.AddToScheme,
		events.AddToScheme, flowcontrol.AddToScheme, networking.AddToScheme, node.AddToScheme,
		policy.AddToScheme, rbac.AddToScheme, resource.AddToScheme, scheduling.AddToScheme,
		schedulingv1alpha3.AddToScheme, storage.AddToScheme, storagemigration.AddToScheme,
		apiextensions.AddToScheme, apiregistration.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	types := table{}
	for _, t := range scheme.AllKnownTypes() {
		types.walk(t)
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(types); err != nil {
		panic(err)
	}
}
