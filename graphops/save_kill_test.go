package graphops_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// A killing ends processes that save one of two models over the other.
type killing struct {
	kills   int
	bytes   int64     // of each model
	storage [2]string // of saveJob, for either model
}

// storages are the ways to store two models that replace each other.
var storages = [][2]string{{"embedded", "embedded"}, {"external", "external"}, {"embedded", "external"}}

func TestKilledWhileSaving(t *testing.T) {
	for _, s := range storages {
		t.Run(strings.Join(s[:], " and "), func(t *testing.T) { killing{kills: 8, bytes: 1 << 20, storage: s}.run(t) })
	}
}

// run kills at random moments, from the first call to the last of a save that
// is let live. Each time the target must hold one of the two models whole, its
// data included; at the end a save leaves nothing of those that died.
func (k killing) run(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	target := filepath.Join(out, "m.onnx")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	models := []string{filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")}
	digests := map[string]string{}
	for i, path := range models {
		writeNoise(t, path, uint64(i), k.bytes)
		digests[contentOf(t, path)] = filepath.Base(path)
	}
	save := func(i int, after time.Duration) time.Duration {
		return saveAndKill(t, after, models[i%2], target, k.storage[i%2])
	}
	whole := max(save(0, time.Hour), save(1, time.Hour))
	seen := map[string]int{}
	for i := range k.kills {
		save(i, time.Duration(rand.Int64N(int64(whole))))
		holds := digests[contentOf(t, target)]
		if holds == "" {
			t.Fatalf("after %d kills the target holds neither model", i+1)
		}
		seen[holds]++
	}
	t.Logf("a save takes %v; after the kills the target held %v", whole, seen)
	save(0, time.Hour)
	if holds := digests[contentOf(t, target)]; holds != "a.onnx" {
		t.Errorf("the last save left %q", holds)
	}
	checkFolder(t, target)
}

// saveAndKill runs saveJob in a child and kills it after a while, and returns how
// long it lived.
func saveAndKill(t *testing.T, after time.Duration, args ...string) time.Duration {
	t.Helper()
	c := child(t, "save", args...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal("the child did not begin: ", err)
	}
	began := time.Now()
	kill := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer kill.Stop()
	if err := c.Wait(); err != nil && c.ProcessState.Exited() {
		t.Fatal(err)
	}
	return time.Since(began)
}

// writeNoise writes a model of random weights.
func writeNoise(t testing.TB, path string, seed uint64, n int64) {
	t.Helper()
	noise := rand.NewChaCha8([32]byte{byte(seed)})
	e := graphops.Edit(graphtest.Model(t, "init w0 u8[1] 1\ny = Relu(w0)\noutput y"))
	e.Initializers = nil
	for i := range 4 {
		b := make([]byte, n/4)
		_, _ = noise.Read(b) // it never fails
		e.Initializers = append(e.Initializers, graphops.NewTensor(fmt.Sprint("w", i), tensor.U8, []int64{n / 4}, graphops.BytesPayload(b)))
	}
	if _, err := graphops.Save(t.Context(), e.Model(), path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
}

// contentOf is the digest of a model and its weights, wherever they lie; "" where the
// model cannot be read.
func contentOf(t testing.TB, path string) string {
	t.Helper()
	h := sha256.New()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err == nil {
		err = graphops.Write(h, m)
	}
	if err != nil {
		t.Log(err)
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// checkFolder wants the model and its data, and nothing else, in its folder.
func checkFolder(t testing.TB, path string) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(path)}
	for x := range m.Tensors() {
		if file, _, ok := x.Stored(); ok && x.IsExternal() && !slices.Contains(want, file) {
			want = append(want, file)
		}
	}
	if got := folder(t, filepath.Dir(path)); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}
