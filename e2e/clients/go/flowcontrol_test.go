package clients

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// The steps of Kubernetes' own tests of this group, "[sig-api-machinery] API priority and fairness".

// classified sends GET /version and gives the headers of the answer, whatever its status.
func classified(t *testing.T, config *rest.Config) http.Header {
	t.Helper()
	return get(t, config, "/version").Header
}

func get(t *testing.T, config *rest.Config, path string) *http.Response {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
	must(t, err)
	response, err := client.Do(request)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, response.Body.Close())
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response
}

func TestRequestsAreClassifiedByAddingAFlowSchemaAndALevel(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1()
	level, err := client.PriorityLevelConfigurations().Create(t.Context(),
		limitedLevel("e2e-testing-prioritylevel", 1), metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client.PriorityLevelConfigurations(), level.Name)
	wanted := flowSchema("e2e-testing-flowschema", nil)
	wanted.Spec.MatchingPrecedence = 1000
	wanted.Spec.PriorityLevelConfiguration.Name = level.Name
	wanted.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{userSubject("noxu")}
	schema, err := client.FlowSchemas().Create(t.Context(), wanted, metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client.FlowSchemas(), schema.Name)

	eventually(t, "the schema is not dangling", func() bool {
		live, err := client.FlowSchemas().Get(t.Context(), schema.Name, metav1.GetOptions{})
		must(t, err)
		for _, condition := range live.Status.Conditions {
			if condition.Type == flowcontrolv1.FlowSchemaConditionDangling {
				return condition.Status == flowcontrolv1.ConditionFalse
			}
		}
		return false
	})
	sample := regexp.MustCompile(
		`(?m)^apiserver_flowcontrol_nominal_limit_seats\{priority_level="` + level.Name + `"\} [0-9.]+$`)
	eventually(t, "the level's seats are a metric", func() bool {
		text, err := io.ReadAll(get(t, config(t), "/metrics").Body)
		must(t, err)
		return sample.Match(text)
	})

	header := classified(t, as(config(t), "noxu", "system:authenticated"))
	equal(t, "level of noxu", header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID), string(level.UID))
	equal(t, "schema of noxu", header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID), string(schema.UID))
	header = classified(t, as(config(t), "foo", "system:authenticated"))
	for _, name := range []string{
		flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID,
		flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID,
	} {
		equal(t, name+" of foo is there", header.Get(name) != "", true)
	}
}

// object is what both types of the group are.
type object interface {
	metav1.Object
	runtime.Object
}

// kindClient is the part of a typed client that the specs use.
type kindClient[T object, L runtime.Object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	UpdateStatus(context.Context, T, metav1.UpdateOptions) (T, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
}

// operations is what differs between the specs of the two kinds.
type operations[T object, L runtime.Object] struct {
	kind, resource string
	client         kindClient[T, L]
	template       T
	patch          string
	number         func(T) int32
	patched        int32
	setUpdated     func(T) // to what updated says
	updated        int32
	addCondition   func(T)
	conditions     func(T) []string
}

func TestFlowSchemaAPIOperations(t *testing.T) {
	template := flowSchema("", map[string]string{})
	template.GenerateName = "e2e-example-fs-"
	template.Spec.MatchingPrecedence = 10000
	template.Spec.Rules[0].Subjects[0].User.Name = "example-e2e-non-existent-user"
	operations[*flowcontrolv1.FlowSchema, *flowcontrolv1.FlowSchemaList]{
		kind: "FlowSchema", resource: "flowschemas",
		client:     typed(t, config(t)).FlowcontrolV1().FlowSchemas(),
		template:   template,
		patch:      `{"metadata":{"annotations":{"patched":"true"}},"spec":{"matchingPrecedence":9999}}`,
		number:     func(s *flowcontrolv1.FlowSchema) int32 { return s.Spec.MatchingPrecedence },
		patched:    9999,
		setUpdated: func(s *flowcontrolv1.FlowSchema) { s.Spec.MatchingPrecedence = 9000 },
		updated:    9000,
		addCondition: func(s *flowcontrolv1.FlowSchema) {
			s.Status.Conditions = append(s.Status.Conditions, flowcontrolv1.FlowSchemaCondition{
				Type: "StatusUpdateFailed", Status: flowcontrolv1.ConditionFalse, Reason: "E2E", Message: "Set from an e2e test",
			})
		},
		conditions: func(s *flowcontrolv1.FlowSchema) []string {
			var types []string
			for _, condition := range s.Status.Conditions {
				types = append(types, string(condition.Type))
			}
			return types
		},
	}.run(t)
}

func TestPriorityLevelConfigurationAPIOperations(t *testing.T) {
	template := limitedLevel("", 2)
	template.GenerateName = "e2e-example-pl-"
	template.Labels = map[string]string{}
	operations[*flowcontrolv1.PriorityLevelConfiguration, *flowcontrolv1.PriorityLevelConfigurationList]{
		kind: "PriorityLevelConfiguration", resource: "prioritylevelconfigurations",
		client:   typed(t, config(t)).FlowcontrolV1().PriorityLevelConfigurations(),
		template: template,
		patch:    `{"metadata":{"annotations":{"patched":"true"}},"spec":{"limited":{"nominalConcurrencyShares":4}}}`,
		number: func(l *flowcontrolv1.PriorityLevelConfiguration) int32 {
			return *l.Spec.Limited.NominalConcurrencyShares
		},
		patched:    4,
		setUpdated: func(l *flowcontrolv1.PriorityLevelConfiguration) { *l.Spec.Limited.NominalConcurrencyShares = 6 },
		updated:    6,
		addCondition: func(l *flowcontrolv1.PriorityLevelConfiguration) {
			l.Status.Conditions = append(l.Status.Conditions, flowcontrolv1.PriorityLevelConfigurationCondition{
				Type: "StatusUpdateFailed", Status: flowcontrolv1.ConditionFalse, Reason: "E2E", Message: "Set from an e2e test",
			})
		},
		conditions: func(l *flowcontrolv1.PriorityLevelConfiguration) []string {
			var types []string
			for _, condition := range l.Status.Conditions {
				types = append(types, string(condition.Type))
			}
			return types
		},
	}.run(t)
}

func (o operations[T, L]) run(t *testing.T) {
	o.discovered(t)
	label := rand.String(8)
	o.template.GetLabels()["example-e2e-label"] = label
	selected := metav1.ListOptions{LabelSelector: "example-e2e-label=" + label}

	var made T
	for range 3 {
		var err error
		made, err = o.client.Create(t.Context(), o.template.DeepCopyObject().(T), metav1.CreateOptions{})
		must(t, err)
	}
	t.Cleanup(func() { must(t, o.client.DeleteCollection(context.Background(), metav1.DeleteOptions{}, selected)) })
	live, err := o.client.Get(t.Context(), made.GetName(), metav1.GetOptions{})
	must(t, err)
	equal(t, "uid", live.GetUID(), made.GetUID())
	o.version(t, live)

	list, err := o.client.List(t.Context(), selected)
	must(t, err)
	equal(t, "listed", meta.LenList(list), 3)
	listed, err := meta.ListAccessor(list)
	must(t, err)
	fromList := selected
	fromList.ResourceVersion = listed.GetResourceVersion()
	watcher, err := o.client.Watch(t.Context(), fromList)
	must(t, err)
	defer watcher.Stop()

	o.written(t, made)
	o.watched(t, watcher)
	o.statusWritten(t, made)
	o.deleted(t, made.GetName(), selected)
}

func (o operations[T, L]) discovered(t *testing.T) {
	t.Helper()
	client := typed(t, config(t)).Discovery()
	groups, err := client.ServerGroups()
	must(t, err)
	found := false
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			found = found || version.GroupVersion == flowcontrolv1.SchemeGroupVersion.String()
		}
	}
	equal(t, "the group has v1", found, true)
	var group metav1.APIGroup
	must(t, client.RESTClient().Get().AbsPath("/apis/"+flowcontrolv1.GroupName).Do(t.Context()).Into(&group))
	equal(t, "version of the group", group.Versions[0].Version, "v1")
	resources, err := client.ServerResourcesForGroupVersion(flowcontrolv1.SchemeGroupVersion.String())
	must(t, err)
	names := map[string]bool{}
	for _, resource := range resources.APIResources {
		names[resource.Name] = true
	}
	equal(t, "resource", names[o.resource], true)
	equal(t, "its status", names[o.resource+"/status"], true)
}

// version is an object's version, a positive number in its shortest form.
func (o operations[T, L]) version(t *testing.T, object T) uint64 {
	t.Helper()
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	must(t, err)
	equal(t, "version", strconv.FormatUint(version, 10), object.GetResourceVersion())
	equal(t, "version is positive", version > 0, true)
	return version
}

func (o operations[T, L]) written(t *testing.T, made T) {
	t.Helper()
	patched, err := o.client.Patch(t.Context(), made.GetName(), types.MergePatchType, []byte(o.patch), metav1.PatchOptions{})
	must(t, err)
	equal(t, "annotation", patched.GetAnnotations()["patched"], "true")
	equal(t, "number", o.number(patched), o.patched)
	equal(t, "versions go up", o.version(t, made) < o.version(t, patched), true)
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := o.client.Get(t.Context(), made.GetName(), metav1.GetOptions{})
		must(t, err)
		live.GetAnnotations()["updated"] = "true"
		o.setUpdated(live)
		live, err = o.client.Update(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			equal(t, "annotation", live.GetAnnotations()["updated"], "true")
			equal(t, "number", o.number(live), o.updated)
		}
		return err
	}))
}

// watched reads on until the patch is seen; nothing but changes may come before it.
func (o operations[T, L]) watched(t *testing.T, watcher watch.Interface) {
	t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		select {
		case event, open := <-watcher.ResultChan():
			equal(t, "the watch is open", open, true)
			equal(t, "event", event.Type, watch.Modified)
			if event.Object.(T).GetAnnotations()["patched"] == "true" {
				return
			}
		case <-deadline:
			t.Fatal("the patch was not seen")
		}
	}
}

func (o operations[T, L]) statusWritten(t *testing.T, made T) {
	t.Helper()
	client, err := dynamic.NewForConfig(config(t))
	must(t, err)
	resource := flowcontrolv1.SchemeGroupVersion.WithResource(o.resource)
	status, err := client.Resource(resource).Get(t.Context(), made.GetName(), metav1.GetOptions{}, "status")
	must(t, err)
	equal(t, "kind", status.GroupVersionKind(), flowcontrolv1.SchemeGroupVersion.WithKind(o.kind))
	equal(t, "uid", status.GetUID(), made.GetUID())

	patch := `{"status":{"conditions":[{"type":"PatchStatusFailed","status":"False","reason":"e2e"}]}}`
	patched, err := client.Resource(resource).Patch(t.Context(), made.GetName(), types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}, "status")
	must(t, err)
	conditions, _, err := unstructured.NestedSlice(patched.Object, "status", "conditions")
	must(t, err)
	equal(t, "conditions", len(conditions), 1)
	equal(t, "condition", fmt.Sprint(conditions[0].(map[string]any)["type"]), "PatchStatusFailed")

	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := o.client.Get(t.Context(), made.GetName(), metav1.GetOptions{})
		must(t, err)
		o.addCondition(live)
		live, err = o.client.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			conditions := o.conditions(live)
			equal(t, "last condition", conditions[len(conditions)-1], "StatusUpdateFailed")
		}
		return err
	}))
}

func (o operations[T, L]) deleted(t *testing.T, name string, selected metav1.ListOptions) {
	t.Helper()
	must(t, o.client.Delete(t.Context(), name, metav1.DeleteOptions{}))
	_, err := o.client.Get(t.Context(), name, metav1.GetOptions{})
	equal(t, "it is gone", apierrors.IsNotFound(err), true)
	left := func() int {
		list, err := o.client.List(t.Context(), selected)
		must(t, err)
		return meta.LenList(list)
	}
	equal(t, "left", left(), 2)
	must(t, o.client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, selected))
	equal(t, "left", left(), 0)
}
