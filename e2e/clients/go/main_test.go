// Package clients uses the server through client-go, the way controllers do.
//
// $KUBECONFIG names the server that most tests share. Each test keeps to a namespace or to names of
// its own. Tests that stop a server start their own, from the program that $APISERVER_BINARY names.
package clients

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// patience is how long anything may take on a busy machine.
const patience = 60 * time.Second

// config is the administrator's way to the shared server.
func config(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("KUBECONFIG")
	if path == "" {
		t.Fatal("KUBECONFIG does not name a server: use e2e/clients/run")
	}
	return configFrom(t, path)
}

func configFrom(t *testing.T, path string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", path)
	must(t, err)
	// Tests wait for what they need; the client must not slow them down.
	config.QPS = -1
	return config
}

// typed is a typed clientset that speaks protobuf only.
func typed(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	must(t, err)
	return client
}

// as acts as somebody else.
func as(config *rest.Config, user string, groups ...string) *rest.Config {
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return config
}

// namespace makes a namespace that goes with the test.
func namespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "clients-"}}
	made, err := client.CoreV1().Namespaces().Create(t.Context(), wanted, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		err := client.CoreV1().Namespaces().Delete(context.Background(), made.Name, metav1.DeleteOptions{})
		must(t, err)
	})
	return made.Name
}

// deleter is any typed client.
type deleter interface {
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// deleteAfter deletes an object when the test is over.
func deleteAfter(t *testing.T, client deleter, name string) {
	t.Cleanup(func() { must(t, client.Delete(context.Background(), name, metav1.DeleteOptions{})) })
}

// flowSchema is one that matches nobody, with a name of the test's own.
func flowSchema(name string, labels map[string]string) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         9000,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "global-default"},
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects:         []flowcontrolv1.Subject{userSubject("nobody-at-all")},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}},
			}},
		},
	}
}

func userSubject(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{
		Kind: flowcontrolv1.SubjectKindUser,
		User: &flowcontrolv1.UserSubject{Name: name},
	}
}

// limitedLevel rejects what it has no seat for.
func limitedLevel(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

// requests notes the query of each request that a client sends, and the status of each answer.
type requests struct {
	next     http.RoundTripper
	lock     sync.Mutex
	urls     []string
	statuses []int
}

// recording makes clients of this config note what they send.
func recording(config *rest.Config) (*rest.Config, *requests) {
	seen := &requests{}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		seen.next = next
		return seen
	})
	return config, seen
}

func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	r.lock.Lock()
	defer r.lock.Unlock()
	r.urls = append(r.urls, request.URL.String())
	if response != nil {
		r.statuses = append(r.statuses, response.StatusCode)
	}
	return response, err
}

// with counts the requests whose URL contains some text.
func (r *requests) with(text string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(slices.DeleteFunc(slices.Clone(r.urls), func(url string) bool { return !strings.Contains(url, text) }))
}

// answered counts the answers with some status.
func (r *requests) answered(status int) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(slices.DeleteFunc(slices.Clone(r.statuses), func(s int) bool { return s != status }))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal fails where two values that should be the same are not.
func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after %v: %s", patience, what)
		}
	}
}
