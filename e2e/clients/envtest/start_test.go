package envtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// starts says how often the server is started: ENVTEST_STARTS, or a few times.
func starts(t *testing.T) int {
	text := os.Getenv("ENVTEST_STARTS")
	if text == "" {
		return 8
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// startAndStop starts a server of its own, uses it once, stops it, and says how long the start took.
func startAndStop(t *testing.T) time.Duration {
	own := &envtest.Environment{}
	begin := time.Now()
	config, err := own.Start()
	if err != nil {
		t.Error("starting:", err)
		return 0
	}
	defer func() {
		if err := own.Stop(); err != nil {
			t.Error("stopping:", err)
		}
		if connection, err := net.Dial("tcp", strings.TrimPrefix(config.Host, "https://")); err == nil {
			connection.Close()
			t.Error("somebody still listens at", config.Host)
		}
	}()
	direct, err := client.New(config, client.Options{})
	if err != nil {
		t.Error(err)
		return 0
	}
	namespaces := &corev1.NamespaceList{}
	if err := direct.List(within(t), namespaces); err != nil {
		t.Error("the first request:", err)
	}
	if took := time.Since(begin); len(namespaces.Items) > 0 {
		return took
	}
	t.Error("there are no namespaces")
	return 0
}

// children are this process' own that still run.
func children(t *testing.T) []string {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range stats {
		// One that ended meanwhile is none.
		text, _ := os.ReadFile(path)
		_, rest, ok := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); ok && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, string(text))
		}
	}
	return found
}

// TestStartsLeaveNothingBehind starts and stops servers one after the other and all at once.
func TestStartsLeaveNothingBehind(t *testing.T) {
	before := len(children(t))
	folders := func() int {
		found, err := filepath.Glob(filepath.Join(os.TempDir(), "k8s_test_framework_*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	foldersBefore := folders()
	var longest time.Duration
	for range starts(t) {
		longest = max(longest, startAndStop(t))
	}
	fmt.Printf("envtest: %d starts to the first answer, %v at the longest\n", starts(t), longest.Round(time.Millisecond))

	var all sync.WaitGroup
	for range starts(t) {
		all.Go(func() { startAndStop(t) })
	}
	all.Wait()
	if after := children(t); len(after) != before {
		t.Errorf("processes are left: %v", after)
	}
	if after := folders(); after != foldersBefore {
		t.Errorf("%d folders are left", after-foldersBefore)
	}
}

// TestKubectlIsThere runs kubectl as the environment offers it.
func TestKubectlIsThere(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl")
	}
	user, err := environment.ControlPlane.AddUser(envtest.User{Name: "kate", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	kubectl, err := user.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := kubectl.Run("get", "widgets", "--all-namespaces", "-o", "name")
	if err != nil {
		t.Fatal(err, out)
	}
}
