package graphops_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// heavy has a weight large enough to stay in its file, a small one, and one in a
// data file.
func heavy(t *testing.T) (path string) {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninput x f32[1,2048]\ninit w f32[1,2048]\ninit s f32[1]\ninit e f32[1,2048]\n"+
		"a = Add(x, w)\nb = Mul(a, s)\ny = Add(b, e)\noutput y")
	for i, init := range p.Graph.Initializer {
		for j := range init.RawData {
			init.RawData[j] = byte(i + j%120)
		}
	}
	dir := t.TempDir()
	e := p.Graph.Initializer[2]
	writeFile(t, filepath.Join(dir, "e.bin"), e.RawData)
	outside(e, entries("location", "e.bin"))
	path = filepath.Join(dir, "m.onnx")
	writeFile(t, path, []byte(serialized(t, p)))
	return path
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func whole(t *testing.T, m *graphops.Model) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := graphops.Write(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func structureOf(t *testing.T, m *graphops.Model) graphops.Structure {
	t.Helper()
	s, err := graphops.StructureOf(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openFile(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model travels to another machine and comes back edited; what its weights are
// is told by the files, which stayed.
func TestStructureTravels(t *testing.T) {
	path := heavy(t)
	m := openFile(t, path)
	s := structureOf(t, m)
	if len(s.Bytes) > 2000 || len(s.Files) != 2 {
		t.Errorf("%d bytes and %d files travel, want the structure and the names of 2 files", len(s.Bytes), len(s.Files))
	}
	far, err := s.Elsewhere("gpu1")
	if err != nil {
		t.Fatal(err)
	}
	if far.Machine() != "gpu1" || far.Path() != path || far.Edited() || far.FileBytes() != m.FileBytes() {
		t.Errorf("there it is %q on %q, edited %v, %d bytes", far.Path(), far.Machine(), far.Edited(), far.FileBytes())
	}
	if err := graphops.InPlace(far); err != nil {
		t.Errorf("a file of another machine is looked for here: %v", err)
	}
	if w := graphops.ExternalWarnings(far, func() string { return "" }); w != nil {
		t.Errorf("files of another machine are judged here: %v", w)
	}
	here, err := structureOf(t, far).Here()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole(t, here), whole(t, m)) {
		t.Error("what came back is another model")
	}
	cut := graphops.PruneOptions{Outputs: []string{"a"}}
	wantPart, _, err := graphops.Prune(m, cut)
	if err != nil {
		t.Fatal(err)
	}
	part, _, err := graphops.Prune(far, cut)
	if err != nil {
		t.Fatal(err)
	}
	s = structureOf(t, part)
	if len(s.Files) != 1 || !part.Edited() {
		t.Errorf("the part needs %d files, want 1; edited %v", len(s.Files), part.Edited())
	}
	back, err := s.Here()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole(t, back), whole(t, wantPart)) {
		t.Error("the part that came back is another one")
	}
	if image, err := graphops.ImageOf(back); err != nil || image.Folder != filepath.Dir(s.Files[0].Real) {
		t.Errorf("its image refers to %q: %v", image.Folder, err)
	}
}

func TestStructureOutOfReach(t *testing.T) {
	far, err := structureOf(t, openFile(t, heavy(t))).Elsewhere("gpu1")
	if err != nil {
		t.Fatal(err)
	}
	if err := graphops.Write(&bytes.Buffer{}, far); err == nil || !strings.Contains(err.Error(), `m.onnx is on "gpu1" and cannot be read from here`) {
		t.Errorf("writing it gives %v", err)
	}
}

// Data that cannot be found stops only who needs it.
func TestStructureWithoutItsData(t *testing.T) {
	path := heavy(t)
	if err := os.Remove(filepath.Join(filepath.Dir(path), "e.bin")); err != nil {
		t.Fatal(err)
	}
	far, err := structureOf(t, openFile(t, path)).Elsewhere("gpu1")
	if err != nil {
		t.Fatal(err)
	}
	if err := graphops.Write(&bytes.Buffer{}, far); err == nil || !strings.Contains(err.Error(), `external data "e.bin": no such file beside the model`) {
		t.Errorf("writing it gives %v", err)
	}
	part, _, err := graphops.Prune(far, graphops.PruneOptions{Outputs: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := structureOf(t, part).Here(); err != nil {
		t.Errorf("the part that does without: %v", err)
	}
}

func TestStructureChanged(t *testing.T) {
	path := heavy(t)
	s := structureOf(t, openFile(t, path))
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	const want = "m.onnx: the file changed while it was in use"
	if _, err := s.Here(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it is made again: %v", err)
	}
	if err := s.Origin.Unchanged(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it is unchanged: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Origin.Unchanged(); err == nil || !strings.Contains(err.Error(), "m.onnx: no such file") {
		t.Errorf("it is there: %v", err)
	}
}

// A link that was put in the place of a file leads nowhere, even to a file that looks the same.
func TestStructureBehindLink(t *testing.T) {
	path := heavy(t)
	s := structureOf(t, openFile(t, path))
	moved := path + ".moved"
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, path); err != nil {
		t.Fatal(err)
	}
	const want = "m.onnx: the file changed while it was in use"
	if _, err := s.Here(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// A model can name any path as external data. The machine that a structure comes
// back to opens only what it listed itself.
func TestStructureOpensNothingElse(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	writeFile(t, secret, []byte("12345678"))
	s := structureOf(t, graphtest.Model(t, "opset 20\ninput x f32[2]\ninit w f32[2]\ny = Add(x, w)\noutput y"))
	s.Bytes = []byte(eightBytes(t, secret))
	m, err := s.Here()
	if err != nil {
		t.Fatal(err)
	}
	if err := graphops.Write(&bytes.Buffer{}, m); err == nil || !strings.Contains(err.Error(), "is not one of the files") {
		t.Errorf("reading the secret gives %v", err)
	}
}

func TestBundle(t *testing.T) {
	for name, m := range map[string]*graphops.Model{
		"heavy": openFile(t, heavy(t)),
		"light": graphtest.Model(t, "opset 20\ninput x f32[2]\ninit w f32[2]\ny = Add(x, w)\noutput y"),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := graphops.BundleOf(m, "weights")
			if err != nil {
				t.Fatal(err)
			}
			var model, weights bytes.Buffer
			if err := errors.Join(b.WriteModel(&model), b.WriteData(&weights)); err != nil {
				t.Fatal(err)
			}
			if int64(model.Len()) != b.ModelBytes() || int64(weights.Len()) != b.DataBytes() {
				t.Fatalf("%d and %d bytes were announced, %d and %d came", b.ModelBytes(), b.DataBytes(), model.Len(), weights.Len())
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "model.onnx"), model.Bytes())
			writeFile(t, filepath.Join(dir, "weights"), weights.Bytes())
			if !bytes.Equal(whole(t, openFile(t, filepath.Join(dir, "model.onnx"))), whole(t, m)) {
				t.Error("what arrived is another model")
			}
		})
	}
}
