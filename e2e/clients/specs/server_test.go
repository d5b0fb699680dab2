package specs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// server is a process with data of its own, in memory.
type server struct {
	folder  string
	process *exec.Cmd
}

// startServer starts one with every controller and waits until it is ready.
func startServer(folder string, flags ...string) (*server, error) {
	program := os.Getenv("APISERVER_BINARY")
	if program == "" {
		return nil, errors.New("APISERVER_BINARY does not name a program: use e2e/clients/run")
	}
	s := &server{folder: folder}
	flags = append([]string{"--secure-port=0", "--data-dir=" + folder, "--storage-backend=memory",
		"--controllers=*", "--kubeconfig-out=" + s.kubeconfig()}, flags...)
	s.process = exec.Command(program, flags...)
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the server is not ready: %w", err)
	}
	return s, nil
}

// ownCluster is one of a test's own, with more flags.
func ownCluster(t *testing.T, flags ...string) *cluster {
	t.Helper()
	s, err := startServer(t.TempDir(), flags...)
	must(t, err)
	t.Cleanup(func() { must(t, s.stop()) })
	c, err := clientsOf(s)
	must(t, err)
	return c
}

func (s *server) kubeconfig() string { return filepath.Join(s.folder, "kubeconfig") }

func (s *server) restConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig())
	if err != nil {
		return nil, err
	}
	// Tests wait for what they need; the client must not slow them down.
	config.QPS = -1
	return config, nil
}

// stop asks it to end and waits until it has.
func (s *server) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.process.Wait()
}
