package clients

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// server is a server of one test's own, on disk, which can be stopped and started again.
type server struct {
	folder  string
	port    string
	process *exec.Cmd
}

var readyLine = regexp.MustCompile(`https://127\.0\.0\.1:(\d+)`)

func startServer(t *testing.T) *server {
	t.Helper()
	s := &server{folder: t.TempDir(), port: "0"}
	t.Cleanup(func() { s.stop(t) })
	s.start(t)
	return s
}

func (s *server) kubeconfig() string { return filepath.Join(s.folder, "kubeconfig") }

// start starts it on the port that it had before.
func (s *server) start(t *testing.T) {
	t.Helper()
	program := os.Getenv("APISERVER_BINARY")
	if program == "" {
		t.Fatal("APISERVER_BINARY does not name a program: use e2e/clients/run")
	}
	s.process = exec.Command(program, "--secure-port="+s.port, "--data-dir="+s.folder)
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	must(t, err)
	must(t, s.process.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	s.port = readyLine.FindStringSubmatch(line)[1]
}

// stop asks it to end and waits until it has.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if s.process == nil {
		return
	}
	must(t, s.process.Process.Signal(syscall.SIGTERM))
	must(t, s.process.Wait())
	s.process = nil
}
