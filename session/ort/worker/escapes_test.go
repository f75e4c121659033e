//go:build cgo

package worker_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/workertest"
)

// planted is what the attempts of testdata/escapes.c are after.
type planted struct {
	model, secret, outside string
	options                ort.Options
	mu                     sync.Mutex
	notes                  []string
}

// plant makes a model of the operator Escape, a secret in another folder, a port that listens and a
// descriptor that is inherited, and starts a limited worker.
func plant(t *testing.T) (*planted, *ort.Session) {
	t.Helper()
	p := &planted{outside: t.TempDir(), options: workertest.Options(t)}
	place := t.TempDir()
	p.model, p.secret = filepath.Join(place, "model.onnx"), filepath.Join(p.outside, "secret")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	for path, content := range map[string][]byte{p.model: escaping(t), p.secret: []byte("hunter2")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(p.outside, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	leak(t, p.secret)
	p.options.Sandbox = sandbox.Require
	p.options.Note = func(line string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.notes = append(p.notes, line)
	}
	p.options.Env = append(p.options.Env, "LATHE_ESCAPE_FILE="+p.secret, "LATHE_ESCAPE_FOLDER="+p.outside, "LATHE_ESCAPE_MODEL="+p.model,
		"LATHE_ESCAPE_PLACE="+os.Getenv("HOME"), "LATHE_ESCAPE_BESIDE="+filepath.Join(place, "beside"), fmt.Sprintf("LATHE_ESCAPE_PORT=%d", listener.Addr().(*net.TCPAddr).Port),
		"SECRET_TOKEN=hunter2", "AWS_SECRET_ACCESS_KEY=hunter2", "LATHE_API_TOKEN=hunter2", "SSH_AUTH_SOCK=/hunter2")
	client, err := ort.Start(t.Context(), p.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := graphops.Open(p.model, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library := workertest.Built(t, "testdata/escapes.c", "-shared", "-fPIC", "-Wno-unused-result")
	session, err := client.Load(t.Context(), ort.Model{Path: p.model, Sources: graphops.StoredFiles(m)}, ort.SessionOptions{CustomOps: []string{library}})
	if err != nil {
		t.Fatal(err)
	}
	return p, session
}

// leak opens a file at a descriptor that every child inherits.
func leak(t *testing.T, path string) {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const inherited = 77
	if err := unix.Dup3(fd, inherited, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.Close(fd), unix.Close(inherited) })
}

func escaping(t *testing.T) []byte {
	t.Helper()
	n := node("Escape", []string{"x"}, []string{"y"})
	n.Domain = proto.String("lathe.test")
	var model onnxpb.ModelProto
	if err := proto.Unmarshal(modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{n},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.I64, 1)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.I64, 2)},
	}), &model); err != nil {
		t.Fatal(err)
	}
	model.OpsetImport = append(model.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("lathe.test"), Version: proto.Int64(1)})
	content, err := proto.Marshal(&model)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// attempts returns the name of each attempt, and the system call that must be reported, in order.
func attempts(t *testing.T) [][2]string {
	t.Helper()
	source, err := os.ReadFile("testdata/escapes.c")
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for _, m := range regexp.MustCompile(`CASE\("([^"]*)", "([^"]*)"`).FindAllStringSubmatch(string(source), -1) {
		out = append(out, [2]string{m[1], m[2]})
	}
	return out
}

// TestEscapes plants operators that try to leave the sandbox. Every attempt fails, and a system call
// that is refused is reported in one line.
func TestEscapes(t *testing.T) {
	p, session := plant(t)
	list := attempts(t)
	if len(list) < 200 {
		t.Errorf("%d attempts only", len(list))
	}
	p.take() // what the runtime itself tried while it loaded
	for i, a := range list {
		if a[1] == "SIGSYS" {
			t.Run(a[0], func(t *testing.T) { endsWorker(t, int64(i)) })
			continue
		}
		got, err := run(t.Context(), session, map[string]tensor.Tensor{"x": tensor.FromSlice([]int64{int64(i)}, 1)}, nil)
		if err != nil {
			t.Fatalf("%s: %v", a[0], err)
		}
		said := p.take()
		outcome := numbers(got[0].Value.Tensor)
		if outcome[0] != 0 {
			t.Errorf("%s: it succeeded", a[0])
		}
		if outcome[1] == 0 && a[1] == "-" {
			t.Errorf("%s: it failed without an error", a[0])
		}
		switch report := strings.Join(said, "\n"); {
		case a[1] != "-" && (len(said) != 1 || !strings.HasSuffix(report, ": "+a[1]) && !strings.Contains(report, a[1])):
			t.Errorf("%s: the report is %q, want one line about %s", a[0], report, a[1])
		case strings.Contains(report, "hunter2"):
			t.Errorf("%s: the report shows the secret: %q", a[0], report)
		}
	}
	p.untouched(t)
}

// endsWorker checks an attempt that the kernel answers by ending the worker.
func endsWorker(t *testing.T, number int64) {
	p, session := plant(t)
	_, err := run(t.Context(), session, map[string]tensor.Tensor{"x": tensor.FromSlice([]int64{number}, 1)}, nil)
	var crash *ort.CrashError
	if !errors.As(err, &crash) || crash.Signal != unix.SIGSYS || !strings.Contains(err.Error(), "the sandbox ended the worker") {
		t.Errorf("%v, want that the sandbox ended the worker", err)
	}
	p.untouched(t)
}

func (p *planted) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := p.notes
	p.notes = nil
	return said
}

// untouched checks that no attempt left a trace.
func (p *planted) untouched(t *testing.T) {
	t.Helper()
	if content, err := os.ReadFile(p.secret); err != nil || string(content) != "hunter2" {
		t.Errorf("the secret is %q, %v", content, err)
	}
	for folder, want := range map[string]string{p.outside: "empty secret", filepath.Dir(p.model): "model.onnx"} {
		var names []string
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", folder, got, want)
		}
	}
}

func numbers(x tensor.Tensor) []int64 {
	var out []int64
	for at := 0; at+8 <= len(x.Data); at += 8 {
		out = append(out, int64(binary.NativeEndian.Uint64(x.Data[at:])))
	}
	return out
}
