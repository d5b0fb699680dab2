package clients

import (
	"strings"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	flowcontrolconfig "k8s.io/client-go/applyconfigurations/flowcontrol/v1"
)

func schemaConfig(name string) *flowcontrolconfig.FlowSchemaApplyConfiguration {
	level := flowcontrolconfig.PriorityLevelConfigurationReference().WithName("global-default")
	spec := flowcontrolconfig.FlowSchemaSpec().WithPriorityLevelConfiguration(level).WithMatchingPrecedence(9000)
	return flowcontrolconfig.FlowSchema(name).WithSpec(spec)
}

func owned(t *testing.T, object metav1.Object, manager string) string {
	t.Helper()
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			return string(entry.FieldsV1.Raw)
		}
	}
	return ""
}

func TestAppliesConflictUntilTheyAreForced(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	deleteAfter(t, client, "applied")
	one, err := client.Apply(t.Context(), schemaConfig("applied").WithLabels(map[string]string{"one": "1"}),
		metav1.ApplyOptions{FieldManager: "one"})
	must(t, err)
	equal(t, "one owns the precedence", strings.Contains(owned(t, one, "one"), "f:matchingPrecedence"), true)

	theirs := schemaConfig("applied")
	theirs.Spec.WithMatchingPrecedence(8000)
	_, err = client.Apply(t.Context(), theirs, metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) {
		t.Fatalf("no conflict: %v", err)
	}
	causes := err.(apierrors.APIStatus).Status().Details.Causes
	equal(t, "causes", len(causes), 1)
	equal(t, "cause", causes[0].Type, metav1.CauseTypeFieldManagerConflict)
	equal(t, "field", causes[0].Field, ".spec.matchingPrecedence")

	two, err := client.Apply(t.Context(), theirs, metav1.ApplyOptions{FieldManager: "two", Force: true})
	must(t, err)
	equal(t, "precedence", two.Spec.MatchingPrecedence, 8000)
	equal(t, "one still owns it", strings.Contains(owned(t, two, "one"), "f:matchingPrecedence"), false)

	// What a manager no longer applies and nobody else owns goes.
	bare, err := client.Apply(t.Context(), flowcontrolconfig.FlowSchema("applied"), metav1.ApplyOptions{FieldManager: "one"})
	must(t, err)
	equal(t, "labels", len(bare.Labels), 0)
	equal(t, "precedence", bare.Spec.MatchingPrecedence, 8000)
}

func TestAnApplyThatChangesNothingWritesNothing(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	deleteAfter(t, client, "applied-twice")
	options := metav1.ApplyOptions{FieldManager: "one"}
	_, err := client.Apply(t.Context(), schemaConfig("applied-twice"), options)
	must(t, err)
	// The controller writes the status once.
	eventually(t, "its status is kept", func() bool {
		live, err := client.Get(t.Context(), "applied-twice", metav1.GetOptions{})
		return err == nil && len(live.Status.Conditions) > 0
	})
	before, err := client.Apply(t.Context(), schemaConfig("applied-twice"), options)
	must(t, err)
	after, err := client.Apply(t.Context(), schemaConfig("applied-twice"), options)
	must(t, err)
	equal(t, "version", after.ResourceVersion, before.ResourceVersion)
}

func TestWhatAManagerOwnsIsExtractedChangedAndAppliedAgain(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	deleteAfter(t, client, "extracted")
	options := metav1.ApplyOptions{FieldManager: "one"}
	first, err := client.Apply(t.Context(), schemaConfig("extracted"), options)
	must(t, err)
	mine, err := flowcontrolconfig.ExtractFlowSchema(first, "one")
	must(t, err)
	equal(t, "precedence", *mine.Spec.MatchingPrecedence, 9000)
	mine.Spec.WithMatchingPrecedence(7000)
	second, err := client.Apply(t.Context(), mine, options)
	must(t, err)
	equal(t, "precedence", second.Spec.MatchingPrecedence, 7000)
}

func TestAStatusIsAppliedByItsOwnManager(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	_, err := client.Create(t.Context(), flowSchema("applied-status", nil), metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client, "applied-status")
	condition := flowcontrolconfig.FlowSchemaCondition().WithType("Mine").WithStatus(flowcontrolv1.ConditionTrue)
	status := flowcontrolconfig.FlowSchemaStatus().WithConditions(condition)
	_, err = client.ApplyStatus(t.Context(), flowcontrolconfig.FlowSchema("applied-status").WithStatus(status),
		metav1.ApplyOptions{FieldManager: "judge"})
	must(t, err)
	// The server's own controller adds its condition and leaves ours.
	eventually(t, "both conditions are there", func() bool {
		live, err := client.Get(t.Context(), "applied-status", metav1.GetOptions{})
		must(t, err)
		types := map[string]bool{}
		for _, condition := range live.Status.Conditions {
			types[string(condition.Type)] = true
		}
		return types["Mine"] && types["Dangling"]
	})
}

func TestListsAreMergedByTheirKeys(t *testing.T) {
	client := typed(t, config(t))
	pods := client.CoreV1().Pods(namespace(t, client))
	container := func(name string) *coreconfig.ContainerApplyConfiguration {
		return coreconfig.Container().WithName(name).WithImage(name + ":1")
	}
	pod := func(containers ...*coreconfig.ContainerApplyConfiguration) *coreconfig.PodApplyConfiguration {
		return coreconfig.Pod("merged", "").WithSpec(coreconfig.PodSpec().WithContainers(containers...))
	}
	first := pod(container("main"), container("side"))
	first.Namespace = nil
	_, err := pods.Apply(t.Context(), first, metav1.ApplyOptions{FieldManager: "one"})
	must(t, err)
	second := pod(coreconfig.Container().WithName("main").WithImage("main:2"))
	second.Namespace = nil
	live, err := pods.Apply(t.Context(), second, metav1.ApplyOptions{FieldManager: "two", Force: true})
	must(t, err)
	equal(t, "containers", len(live.Spec.Containers), 2)
	equal(t, "image", live.Spec.Containers[0].Image, "main:2")
}
