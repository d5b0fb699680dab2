// Package specs walks through what Kubernetes' end-to-end specs ask of an API server that has no
// nodes: one test for each, named after it.
//
// All share one server, which runs the program that $APISERVER_BINARY names, with every controller.
package specs

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// patience is how long anything may take on a busy machine.
const patience = 60 * time.Second

// calm is how long nothing must happen where the specs check that nothing does.
const calm = 2 * time.Second

// shared is the server of all tests but those that need flags of their own.
var shared *cluster

// cluster is the administrator's clients of one server.
type cluster struct {
	*server
	config     *rest.Config
	typed      *kubernetes.Clientset
	extensions *apiextensions.Clientset
	dynamic    *dynamic.DynamicClient
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "specs")
	if err != nil {
		log.Fatal(err)
	}
	s, err := startServer(folder)
	if err != nil {
		log.Fatal(err)
	}
	shared, err = clientsOf(s)
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	if err := s.stop(); err != nil {
		log.Printf("the server did not stop well: %v", err)
		code = 1
	}
	if err := os.RemoveAll(folder); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

func clientsOf(s *server) (*cluster, error) {
	config, err := s.restConfig()
	if err != nil {
		return nil, err
	}
	c := &cluster{server: s, config: config}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.extensions, err = apiextensions.NewForConfig(config); err != nil {
		return nil, err
	}
	// The upstream framework speaks protobuf for built-in kinds.
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	c.typed, err = kubernetes.NewForConfig(config)
	return c, err
}

// namespace makes one that goes with the test.
func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	made, err := c.typed.CoreV1().Namespaces().Create(t.Context(), wanted, metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, c.typed.CoreV1().Namespaces(), made.Name)
	eventually(t, "the default service account", func() bool {
		_, err := c.typed.CoreV1().ServiceAccounts(made.Name).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
	return made.Name
}

// at is the dynamic client of a resource, written as group/version/resource, of one namespace.
func (c *cluster) at(resource, namespace string) dynamic.ResourceInterface {
	parts := strings.Split(resource, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	which := c.dynamic.Resource(schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]})
	if namespace == "" {
		return which
	}
	return which.Namespace(namespace)
}

// raw sends a body as it is.
func (c *cluster) raw(t *testing.T, verb, path, contentType, body string) rest.Result {
	t.Helper()
	request := c.extensions.RESTClient().Verb(verb).RequestURI(path).SetHeader("Content-Type", contentType)
	return request.Body([]byte(body)).Do(t.Context())
}

// get is a document as text.
func (c *cluster) get(t *testing.T, path, accept string) (string, error) {
	t.Helper()
	body, err := c.extensions.RESTClient().Get().RequestURI(path).SetHeader("Accept", accept).DoRaw(t.Context())
	return string(body), err
}

// deleter is any typed client.
type deleter interface {
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// deleteAfter deletes an object when the test is over, if it is still there.
func deleteAfter(t *testing.T, client deleter, name string) {
	t.Cleanup(func() {
		if err := client.Delete(context.Background(), name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			must(t, err)
		}
	})
}

// object is one written in YAML.
func object(t *testing.T, text string, values ...any) *unstructured.Unstructured {
	t.Helper()
	made := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(fmt.Appendf(nil, text, values...), &made.Object))
	return made
}

// parse reads YAML into a typed object.
func parse[T any](t *testing.T, text string, values ...any) *T {
	t.Helper()
	made := new(T)
	must(t, yaml.UnmarshalStrict(fmt.Appendf(nil, text, values...), made))
	return made
}

// create makes an object written in YAML.
func create(t *testing.T, client dynamic.ResourceInterface, text string, values ...any) *unstructured.Unstructured {
	t.Helper()
	made, err := client.Create(t.Context(), object(t, text, values...), metav1.CreateOptions{})
	must(t, err)
	return made
}

// mergePatch patches with JSON.
func mergePatch(t *testing.T, client dynamic.ResourceInterface, name, patch string, part ...string) *unstructured.Unstructured {
	t.Helper()
	done, err := client.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, part...)
	must(t, err)
	return done
}

// field is what stands at a path of an object, as JSON; nothing where nothing does.
func field(t *testing.T, object *unstructured.Unstructured, path ...string) string {
	t.Helper()
	value, found, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	must(t, err)
	if !found {
		return ""
	}
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

// count is how many objects a list has.
func count(t *testing.T, list runtime.Object, err error) int {
	t.Helper()
	must(t, err)
	return meta.LenList(list)
}

// gone says whether something is not there.
func gone[T any](_ T, err error) bool { return apierrors.IsNotFound(err) }

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

// refused fails where there is no error, or one that does not say all of this.
func refused(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("not refused, though it should say %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Fatalf("%q does not say %q", err, part)
		}
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	within(t, patience, what, holds)
}

// within waits until something holds, with more patience.
func within(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after %v: %s", patience, what)
		}
	}
}

// always checks that something goes on holding.
func always(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(calm); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !holds() {
			t.Fatalf("no longer: %s", what)
		}
	}
}
