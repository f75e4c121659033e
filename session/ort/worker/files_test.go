//go:build cgo

package worker_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

// twoWeights adds 2 and then 3 to 2048 numbers; both weights stay in the file.
func twoWeights(t *testing.T) (path string) {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninput x f32[2048]\ninit w f32[2048]\ninit v f32[2048]\na = Add(x, w)\ny = Add(a, v)\noutput y")
	for i, value := range []float32{2, 3} {
		p.Graph.Initializer[i].RawData = repeated(value).Data
	}
	path = filepath.Join(t.TempDir(), "m.onnx")
	writeModel(t, path, graphtest.Decode(t, p))
	return path
}

func repeated(v float32) tensor.Tensor {
	t := tensor.Tensor{DType: tensor.F32, Shape: []int64{2048}}
	for range 2048 {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	return t
}

func writeModel(t *testing.T, path string, m *graphops.Model) {
	t.Helper()
	if err := os.WriteFile(path, graphtest.Encode(t, m), 0o600); err != nil {
		t.Fatal(err)
	}
}

// firstOf runs a model on zeros and gives the first number that comes out.
func firstOf(t *testing.T, s *ort.Session) float32 {
	t.Helper()
	got, err := run(t.Context(), s, map[string]tensor.Tensor{"x": repeated(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(got[0].Value.Tensor.Data))
}

func openThere(t *testing.T, client *ort.Client, path string) *graphops.Model {
	t.Helper()
	opened, err := client.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := opened.Structure.Elsewhere("there")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpenThere(t *testing.T) {
	client := start(t)
	path := twoWeights(t)
	m := openThere(t, client, path)
	if m.Path() != path || m.Machine() != "there" || len(m.Graph().Nodes()) != 2 {
		t.Errorf("it is %q on %q with %d nodes", m.Path(), m.Machine(), len(m.Graph().Nodes()))
	}
	part, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[float32]*graphops.Model{5: m, 2: part} {
		structure, err := graphops.StructureOf(m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := client.Load(t.Context(), ort.Model{Structure: &structure, Name: "it"}, ort.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := firstOf(t, s); got != want {
			t.Errorf("it gives %v, want %v", got, want)
		}
	}
}

func TestOpenThereFails(t *testing.T) {
	client := start(t)
	missing := filepath.Join(t.TempDir(), "none.onnx")
	_, err := client.Open(t.Context(), missing, nil)
	if err == nil || err.Error() != missing+": no such file or directory" {
		t.Errorf("got %v", err)
	}
	_, err = client.Open(t.Context(), twoWeights(t), []string{"/no/such/folder"})
	if err == nil || !strings.Contains(err.Error(), "--allow-external /no/such/folder: no such folder") {
		t.Errorf("got %v", err)
	}
}

// A file that changes between its opening and its loading is told.
func TestLoadChanged(t *testing.T) {
	client := start(t)
	path := twoWeights(t)
	opened, err := client.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	for name, model := range map[string]ort.Model{
		"as a file":    {Path: path, Files: []graphops.StoredFile{opened.Structure.Origin}},
		"as structure": {Structure: &opened.Structure},
	} {
		if _, err := client.Load(t.Context(), model, ort.SessionOptions{}); err == nil || !strings.Contains(err.Error(), "m.onnx: the file changed while it was in use") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func bundle(t *testing.T, path string) *graphops.Bundle {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := graphops.BundleOf(m, ort.SentWeights)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// storing starts a worker that keeps files in a folder of the test.
func storing(t *testing.T, dir string) *ort.Client {
	t.Helper()
	o := workertest.Options(t)
	o.Env = append(o.Env, "TMPDIR="+dir, workertest.Launched)
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func send(t *testing.T, client *ort.Client, b *graphops.Bundle) (path string) {
	t.Helper()
	var told int64
	path, err := client.Send(t.Context(), "m.onnx", b, func(n int64) { told = n })
	if err != nil {
		t.Fatal(err)
	}
	if told != b.ModelBytes()+b.DataBytes() {
		t.Errorf("%d bytes were told of, want %d", told, b.ModelBytes()+b.DataBytes())
	}
	return path
}

func entriesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestSend(t *testing.T) {
	dir := t.TempDir()
	client := storing(t, dir)
	b := bundle(t, twoWeights(t))
	first, second := send(t, client, b), send(t, client, b)
	if first == second {
		t.Error("two models lie at one path")
	}
	info, err := os.Stat(filepath.Join(dir, entriesIn(t, dir)[0]))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info.Mode(), err)
	}
	s, err := client.Load(t.Context(), ort.Model{Path: second, Name: "m.onnx"}, ort.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := firstOf(t, s); got != 5 {
		t.Errorf("it gives %v, want 5", got)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if left := entriesIn(t, dir); left != nil {
		t.Errorf("it left %q", left)
	}
}

// What a killed worker leaves, the next one removes; what a living one keeps, it does
// not.
func TestSentAndKilled(t *testing.T) {
	dir := t.TempDir()
	b := bundle(t, twoWeights(t))
	living := storing(t, dir)
	kept := send(t, living, b)
	killed := storing(t, dir)
	send(t, killed, b)
	if err := syscall.Kill(int(killed.Info().PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	poll(t, "the worker to end", func() bool { return killed.Gone() })
	if left := entriesIn(t, dir); len(left) != 2 {
		t.Fatalf("there are %q, want two folders", left)
	}
	storing(t, dir)
	poll(t, "the folder to go", func() bool { return len(entriesIn(t, dir)) == 1 })
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the other one's model: %v", err)
	}
}

// Sending that is cancelled, or has no room, leaves nothing, and the worker is good
// for another.
func TestSendFails(t *testing.T) {
	dir := t.TempDir()
	client := storing(t, dir)
	b := bundle(t, twoWeights(t))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := client.Send(ctx, "m.onnx", b, func(int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	send(t, client, b)
	folders := entriesIn(t, filepath.Join(dir, entriesIn(t, dir)[0]))
	if len(folders) != 2 { // the lock and the model
		t.Errorf("there are %q", folders)
	}
}

func TestMachine(t *testing.T) {
	state, err := start(t).Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := state.Environment
	if c := state.Counters; !(c.Seconds > 0 && c.Own > 0) || len(c.GPUs) > 0 || len(c.Unread) > 0 {
		t.Errorf("counters %+v", c)
	}
	if want := machine.ReadEnvironment(os.DirFS("/")); got.OS != want.OS || got.Arch != want.Arch || *got.Cores != *want.Cores {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSendWithoutRoom(t *testing.T) {
	b := bundle(t, twoWeights(t))
	for want, limited := range map[string]func(*ort.Options, string){
		"creating the worker's folder for files: ": func(o *ort.Options, dir string) { o.Env = append(o.Env, "TMPDIR="+dir+"/none") },
		"file too large": func(o *ort.Options, dir string) {
			o.Env = append(o.Env, "TMPDIR="+dir)
			o.Command = append([]string{"sh", "-c", `ulimit -f 8; exec "$@"`, "sh"}, o.Command...)
		},
	} {
		o, dir := workertest.Options(t), t.TempDir()
		limited(&o, dir)
		client, err := ort.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Send(t.Context(), "m.onnx", b, func(int64) {}); err == nil || !strings.Contains(err.Error(), `sending "m.onnx": `) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if _, err := client.Machine(t.Context()); err != nil {
			t.Errorf("the worker is good for nothing after that: %v", err)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if left := entriesIn(t, dir); left != nil {
			t.Errorf("it left %q", left)
		}
	}
}
