package graphops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// savable is a model in a file, in a folder of its own, with a weight that stays
// there.
func savable(t testing.TB) (m *graphops.Model, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "m.onnx")
	p := graphtest.Proto(t, "init w f32[64,64] 1 2 3\ninput x f32[n,64]\ny = MatMul(x, w)\noutput y f32[n,64]")
	return writeModel(t, path, p), path
}

// folder lists what lies in a folder.
func folder(t testing.TB, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func overwriting() graphops.SaveOptions {
	return graphops.SaveOptions{Options: durable.Options{Overwrite: true}}
}

func TestSaveOverwritesOnlyWhenTold(t *testing.T) {
	m, _ := savable(t)
	path := filepath.Join(t.TempDir(), "out.onnx")
	if err := os.WriteFile(path, []byte("precious"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err == nil || !strings.Contains(err.Error(), "exists already") || !strings.Contains(err.Error(), "--force") {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != "precious" || err != nil {
		t.Errorf("the file holds %q, %v", b, err)
	}
	saved, err := graphops.Save(t.Context(), m, path, overwriting())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != saved.Bytes || info.Mode().Perm() != 0o640 {
		t.Errorf("saved %+v, the file is %v, %v; want the permissions of the old one", saved, info, err)
	}
	if got := folder(t, filepath.Dir(path)); !slices.Equal(got, []string{"out.onnx"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSaveOverwritesData refuses an existing data file as it does the model.
func TestSaveOverwritesData(t *testing.T) {
	m, _ := savable(t)
	path := filepath.Join(t.TempDir(), "out.onnx")
	if err := os.WriteFile(path+".data", []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: 1}
	if _, err := graphops.Save(t.Context(), m, path, o); err == nil || !strings.Contains(err.Error(), path+".data: exists already") {
		t.Errorf("error %v", err)
	}
	if got := folder(t, filepath.Dir(path)); !slices.Equal(got, []string{"out.onnx.data"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSaveNeverOverSource tries every name that leads to the file that the model
// is read from.
func TestSaveNeverOverSource(t *testing.T) {
	m, path := savable(t)
	dir := filepath.Dir(path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	symbolic, hard := filepath.Join(dir, "symbolic.onnx"), filepath.Join(dir, "hard.onnx")
	if err := errors.Join(os.Symlink(path, symbolic), os.Link(path, hard)); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{path, symbolic, hard, dir + "/./m.onnx", dir + "/../" + filepath.Base(dir) + "/m.onnx"} {
		for _, model := range []*graphops.Model{m, graphops.Edit(m).Model()} {
			_, err := graphops.Save(t.Context(), model, target, overwriting())
			if err == nil || !strings.Contains(err.Error(), "is read from") {
				t.Errorf("%s: error %v", target, err)
			}
		}
	}
	if after, err := os.ReadFile(path); !bytes.Equal(before, after) || err != nil {
		t.Errorf("the source changed, %v", err)
	}
}

// TestSaveBringsOperandsInside keeps weights outside where they were, but not the
// small vectors that the runtime refuses there.
func TestSaveBringsOperandsInside(t *testing.T) {
	dir := t.TempDir()
	p := graphtest.Proto(t, "init w f32[2,1] 1 2\ninit shape i64[1] 2\ny = Reshape(w, shape)\noutput y")
	outside(p.Graph.Initializer[0], entries("location", "m.data"))
	outside(p.Graph.Initializer[1], entries("location", "m.data", "offset", "8"))
	if err := os.WriteFile(filepath.Join(dir, "m.data"), []byte("12345678\x02\x00\x00\x00\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := writeModel(t, filepath.Join(dir, "m.onnx"), p)
	path := filepath.Join(dir, "out.onnx")
	saved, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{})
	if err != nil || saved.Data[0].Bytes != 8 {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	again, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, external := range []bool{true, false} {
		if x := again.Graph().Initializers()[i]; x.IsExternal() != external {
			t.Errorf("%q is external: %v", x.Name(), x.IsExternal())
		}
	}
}

// TestSaveNeverOverData keeps the data that a model reads from being replaced
// by the data file of its copy.
func TestSaveNeverOverData(t *testing.T) {
	dir := t.TempDir()
	p := graphtest.Proto(t, "init w f32[2,1] 1 2\ny = Relu(w)\noutput y")
	outside(p.Graph.Initializer[0], entries("location", "out.onnx.data"))
	data := filepath.Join(dir, "out.onnx.data")
	if err := os.WriteFile(data, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := writeModel(t, filepath.Join(dir, "m.onnx"), p)
	if _, err := graphops.Save(t.Context(), m, data, overwriting()); err == nil || !strings.Contains(err.Error(), "is read from") {
		t.Errorf("saved as the data file: error %v", err)
	}
	saved, err := graphops.Save(t.Context(), m, filepath.Join(dir, "out.onnx"), overwriting())
	if err != nil || saved.Data[0].Path != data+"-2" {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if b, err := os.ReadFile(data); string(b) != "12345678" || err != nil {
		t.Errorf("the data file holds %q, %v", b, err)
	}
}

// TestSaveLeavesNothing makes saving fail in every way there is and looks for
// what is left.
func TestSaveLeavesNothing(t *testing.T) {
	m, _ := savable(t)
	computed := func(n int64, f func(w io.Writer) error) *graphops.Model {
		e := graphops.Edit(m)
		e.Initializers = []*graphops.Tensor{graphops.NewTensor("w", tensor.U8, []int64{n}, graphops.TransformPayload(n, f))}
		return e.Model()
	}
	broken := errors.New("no such luck")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name  string
		ctx   context.Context
		model *graphops.Model
		want  string
	}{
		{"cancelled before", cancelled, m, "context canceled"},
		{"a computed weight fails", nil, computed(10, func(io.Writer) error { return broken }), "no such luck"},
		{"a computed weight fails late", nil, computed(1<<20, func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20))
			return errors.Join(err, broken)
		}), "no such luck"},
		{"a computed weight is short", nil, computed(10, func(w io.Writer) error { _, err := w.Write(make([]byte, 9)); return err }), "1 bytes less than its type"},
		{"a computed weight is long", nil, computed(10, func(w io.Writer) error { _, err := w.Write(make([]byte, 11)); return err }), "bytes more than its type"},
	}
	for _, tt := range tests {
		for name, o := range map[string]graphops.SaveOptions{
			"embedded": {}, "outside": {Storage: graphops.StoreExternal, MinExternal: 1}, "over another": overwriting(),
		} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "out.onnx")
				want := []string{}
				if o.Overwrite {
					want = append(want, "out.onnx")
					if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				ctx := tt.ctx
				if ctx == nil {
					ctx = t.Context()
				}
				if _, err := graphops.Save(ctx, tt.model, path, o); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want one with %q", err, tt.want)
				}
				if got := folder(t, dir); !slices.Equal(got, want) {
					t.Errorf("the folder holds %q", got)
				}
				if b, _ := os.ReadFile(path); o.Overwrite && string(b) != "old" {
					t.Errorf("the old file holds %q", b)
				}
			})
		}
	}
}

// TestSaveCancelledUnderway cancels after each part of the output in turn.
func TestSaveCancelledUnderway(t *testing.T) {
	m, _ := savable(t)
	o := graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: 1}
	for stop := 1; ; stop++ {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o.Progress = func(int64) {
			if calls++; calls == stop {
				cancel()
			}
		}
		_, err := graphops.Save(ctx, m, filepath.Join(dir, "out.onnx"), o)
		cancel()
		if calls < stop {
			if err != nil || len(folder(t, dir)) != 2 {
				t.Errorf("not cancelled: error %v, %q", err, folder(t, dir))
			}
			return
		}
		if !errors.Is(err, context.Canceled) || len(folder(t, dir)) != 0 {
			t.Errorf("cancelled at step %d: error %v, the folder holds %q", stop, err, folder(t, dir))
		}
	}
}

// TestSaveOfChangedSource changes the source after it was opened.
func TestSaveOfChangedSource(t *testing.T) {
	day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	change := map[string]func(path string) error{
		"shorter": func(path string) error { return os.Truncate(path, 100) },
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"longer":  func(path string) error { return os.Truncate(path, 1<<20) },
		"rewritten": func(path string) error {
			b, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, b, 0o600), os.Chtimes(path, day, day))
		},
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			m, path := savable(t)
			if err := f(path); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if _, err := graphops.Save(t.Context(), m, filepath.Join(dir, "out.onnx"), graphops.SaveOptions{}); err == nil || !strings.Contains(err.Error(), "open it again") {
				t.Errorf("error %v", err)
			}
			if got := folder(t, dir); len(got) != 0 {
				t.Errorf("the folder holds %q", got)
			}
			if err := graphops.Write(io.Discard, m); err == nil {
				t.Error("it can be written to a stream")
			}
		})
	}
}

// TestSaveWhileOthersWrite lets another process take the target's name, or cut
// the source short, while the model is being saved.
func TestSaveWhileOthersWrite(t *testing.T) {
	tests := []struct {
		name string
		do   func(source, target string) error
		want string
		left []string
	}{
		{"the source is cut short", func(source, _ string) error { return os.Truncate(source, 1<<20) }, "open it again", []string{}},
		{"the source is rewritten", func(source, _ string) error { return os.WriteFile(source, make([]byte, 9<<20), 0o600) }, "open it again", []string{}},
		{"the model's name is taken", func(_, target string) error { return os.WriteFile(target, nil, 0o600) }, "out.onnx: exists already", []string{"out.onnx"}},
		{"the data's name is taken", func(_, target string) error { return os.WriteFile(target+".data", nil, 0o600) }, "out.onnx.data: exists already", []string{"out.onnx.data"}},
		{"a folder has the name", func(_, target string) error { return os.Mkdir(target, 0o700) }, "out.onnx: is a directory", []string{"out.onnx"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := externalZeros(t, 24<<20)
			source := filepath.Join(filepath.Dir(m.Path()), "w.bin")
			target := filepath.Join(t.TempDir(), "out.onnx")
			did := false
			o := graphops.SaveOptions{}
			o.Progress = func(int64) {
				if !did {
					did = true
					if err := tt.do(source, target); err != nil {
						t.Error(err)
					}
				}
			}
			_, err := graphops.Save(t.Context(), m, target, o)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), "out.onnx") > 2 {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if got := folder(t, filepath.Dir(target)); !slices.Equal(got, tt.left) {
				t.Errorf("the folder holds %q, want %q", got, tt.left)
			}
		})
	}
}

// TestPayloadOfShortenedSource reads a weight that the file no longer has.
func TestPayloadOfShortenedSource(t *testing.T) {
	m, path := savable(t)
	data, err := m.Graph().Initializers()[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if b, err := data.Bytes(); err == nil {
		t.Errorf("%d bytes of %d, and no error", len(b), data.Len())
	}
	if n, err := data.WriteTo(io.Discard); err == nil {
		t.Errorf("%d bytes of %d are written, and no error", n, data.Len())
	}
}

// TestSaveWhereItCannot names the target and what is in the way.
func TestSaveWhereItCannot(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), os.Mkdir(locked, 0o500)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		filepath.Join(dir, "none", "out.onnx"): "there is no folder",
		filepath.Join(dir, "file", "out.onnx"): "not a directory",
		dir:                                    "is a directory",
	}
	if os.Getuid() != 0 { // who may write anywhere
		tests[filepath.Join(locked, "out.onnx")] = "no permission to make files"
	}
	for path, want := range tests {
		if _, err := graphops.Save(t.Context(), m, path, overwriting()); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
}

// failingWriter fails once it has taken n bytes.
type failingWriter struct{ left int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n := w.left
		w.left = 0
		return n, errFull
	}
	w.left -= len(b)
	return len(b), nil
}

// TestWriteReportsEveryFailure lets a stream fail at every byte of a model.
func TestWriteReportsEveryFailure(t *testing.T) {
	m := graphtest.Model(t, allParts)
	var whole bytes.Buffer
	if err := graphops.Write(&whole, m); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		if err := graphops.Write(&failingWriter{n}, m); !errors.Is(err, errFull) {
			t.Fatalf("a stream that fails at byte %d: error %v", n, err)
		}
	}
	if err := graphops.Write(&failingWriter{whole.Len()}, m); err != nil {
		t.Errorf("a stream with just enough room: %v", err)
	}
}

// zeros writes n zeros in blocks.
func zeros(w io.Writer, n int) error {
	block := make([]byte, 1<<16)
	for ; n > 0; n -= len(block) {
		if _, err := w.Write(block[:min(n, len(block))]); err != nil {
			return err
		}
	}
	return nil
}

// externalZeros is a model with one weight of n zeros in a sparse file.
func externalZeros(t *testing.T, n int64) *graphops.Model {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "w.bin")
	if err := errors.Join(os.WriteFile(data, nil, 0o600), os.Truncate(data, n)); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	p := graphtest.Proto(t, "init w u8[1] 1\ny = Relu(w)\noutput y")
	p.Graph.Initializer[0].Dims = []int64{n}
	outside(p.Graph.Initializer[0], entries("location", "w.bin"))
	return writeModel(t, filepath.Join(dir, "m.onnx"), p)
}

// allocated is what f allocates, in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSaveStreams saves a large weight from a file and from a computation
// without holding it, and tells how far it is.
func TestSaveStreams(t *testing.T) {
	const size = 24 << 20
	external := externalZeros(t, size)
	e := graphops.Edit(external)
	e.Initializers[0] = graphops.NewTensor("w", tensor.U8, []int64{size},
		graphops.TransformPayload(size, func(w io.Writer) error { return zeros(w, size) }))
	computed := e.Model()
	for _, tt := range []struct {
		name    string
		model   *graphops.Model
		storage graphops.Storage
	}{
		{"from a file", external, graphops.StoreAsIs},
		{"from a file, embedded", external, graphops.StoreEmbedded},
		{"computed", computed, graphops.StoreAsIs},
		{"computed, outside", computed, graphops.StoreExternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := int64(0)
			o := graphops.SaveOptions{Storage: tt.storage}
			o.Progress = func(n int64) {
				if n < last {
					t.Errorf("progress goes from %d back to %d", last, n)
				}
				last = n
			}
			var saved graphops.Saved
			var err error
			n := allocated(func() { saved, err = graphops.Save(t.Context(), tt.model, filepath.Join(t.TempDir(), "out.onnx"), o) })
			if err != nil {
				t.Fatal(err)
			}
			if n > 4<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
			want, err := graphops.SavedSize(tt.model, o)
			written := saved.Bytes
			for _, d := range saved.Data {
				want += int64(len(filepath.Base(d.Path)))
				written += d.Bytes
			}
			if err != nil || written != want || last != want || want < size {
				t.Errorf("saved %+v, progress up to %d, announced %d, %v", saved, last, want, err)
			}
		})
	}
}

// TestSaveTooLarge says what to do with weights that no file can hold.
func TestSaveTooLarge(t *testing.T) {
	m := externalZeros(t, 3<<30)
	target := t.TempDir()
	_, err := graphops.Save(t.Context(), m, filepath.Join(target, "out.onnx"), graphops.SaveOptions{Storage: graphops.StoreEmbedded})
	if err == nil || !strings.Contains(err.Error(), "--external-data") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := graphops.SaveOptions{}
	o.Progress = func(n int64) {
		if n > 32<<20 {
			cancel()
		}
	}
	n := allocated(func() { _, err = graphops.Save(ctx, m, filepath.Join(target, "out.onnx"), o) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n > 8<<20 {
		t.Errorf("%d bytes were allocated for the first 32 MB", n)
	}
	if got := folder(t, target); len(got) != 0 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestWriteFile keeps the old content until the new one is whole.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	write := func(text string, err error) error {
		return durable.WriteFile(t.Context(), path, durable.Options{Overwrite: true}, func(w io.Writer) error {
			_, failed := io.WriteString(w, text)
			return errors.Join(failed, err)
		})
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("two", errFull); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != "one" || err != nil {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if got := fmt.Sprint(folder(t, filepath.Dir(path))); got != "[report.json]" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestSavedTwice saves what was saved: the same bytes.
func TestSavedTwice(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	var contents [2][]byte
	for i := range contents {
		path := filepath.Join(dir, fmt.Sprint(i, ".onnx"))
		if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		var err error
		if contents[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if m, err = graphops.Open(path, graphops.OpenOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(contents[0], contents[1]) || !proto.Equal(unmarshal(t, contents[0]), unmarshal(t, contents[1])) {
		t.Error("a model saved twice has different bytes")
	}
}
