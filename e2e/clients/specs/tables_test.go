package specs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const asTable = "application/json;as=Table;v=%s;g=meta.k8s.io"

func table(t *testing.T, path, version string) *metav1.Table {
	t.Helper()
	text, err := shared.get(t, path, fmt.Sprintf(asTable, version))
	must(t, err)
	made := &metav1.Table{}
	must(t, json.Unmarshal([]byte(text), made))
	equal(t, "version", made.APIVersion, "meta.k8s.io/"+version)
	return made
}

func TestTableTransformationReturnsPodDetails(t *testing.T) {
	namespace := shared.namespace(t)
	_, err := shared.typed.CoreV1().Pods(namespace).Create(t.Context(), parse[corev1.Pod](t, plainPod, "pod-1"), metav1.CreateOptions{})
	must(t, err)
	made := table(t, "/api/v1/namespaces/"+namespace+"/pods/pod-1", "v1beta1")
	equal(t, "first column", made.ColumnDefinitions[0].Name, "Name")
	equal(t, "rows", len(made.Rows), 1)
	equal(t, "cells", len(made.Rows[0].Cells), len(made.ColumnDefinitions))
	equal(t, "name", made.Rows[0].Cells[0], any("pod-1"))
	equal(t, "metadata", strings.Contains(string(made.Rows[0].Object.Raw), `"kind":"PartialObjectMetadata"`), true)
}

func TestTableTransformationReturnsChunksOfTableResultsForListCalls(t *testing.T) {
	namespace := shared.namespace(t)
	for i := range 20 {
		_, err := shared.typed.CoreV1().PodTemplates(namespace).Create(t.Context(), parse[corev1.PodTemplate](t, `
metadata: {name: template-%04d}
template: {spec: {containers: [{name: test, image: test2}]}}`, i), metav1.CreateOptions{})
		must(t, err)
	}
	path := "/api/v1/namespaces/" + namespace + "/podtemplates?limit=2"
	first := table(t, path, "v1beta1")
	equal(t, "rows", len(first.Rows), 2)
	second := table(t, path+"&continue="+first.Continue, "v1beta1")
	equal(t, "rows", len(second.Rows), 2)
	equal(t, "name", second.Rows[0].Cells[0], any("template-0002"))
	equal(t, "revision", second.ResourceVersion, first.ResourceVersion)
}

func TestTableTransformationReturnsGenericMetadataDetailsForNodes(t *testing.T) {
	create(t, shared.at("v1/nodes", ""), "{apiVersion: v1, kind: Node, metadata: {name: tabular}}")
	deleteAfter(t, shared.typed.CoreV1().Nodes(), "tabular")
	made := table(t, "/api/v1/nodes", "v1")
	equal(t, "rows", len(made.Rows) >= 1, true)
	equal(t, "first column", made.ColumnDefinitions[0].Name, "Name")
}

func TestTableTransformationReturnsA406ForABackendWhichDoesNotImplementMetadata(t *testing.T) {
	err := shared.extensions.RESTClient().Post().RequestURI("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").
		SetHeader("Accept", fmt.Sprintf(asTable, "v1")).SetHeader("Content-Type", "application/json").
		Body([]byte(`{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","namespace":"default","resource":"pods"}}}`)).
		Do(t.Context()).Error()
	equal(t, "reason", apierrors.ReasonForError(err), metav1.StatusReasonNotAcceptable)
	equal(t, "code", int(err.(apierrors.APIStatus).Status().Code), http.StatusNotAcceptable)
}
