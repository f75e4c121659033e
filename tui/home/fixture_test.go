package home

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/journal"
)

// fixture makes a folder of models, some with measurements, and interrupted sessions. The folder is
// relative, so that goldens do not depend on where the test runs.
func fixture(t *testing.T) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	o := testOptions("models")
	content := small(t)
	for _, name := range []string{
		"classifier.onnx", "encoder.int8.onnx", "encoder.onnx", "notes.txt", ".hidden.onnx", "exports/decoder.onnx",
		"exports/a folder with a long name/decoder_with_past_and_a_long_name.onnx", "exports/1/2/too_deep.onnx", ".git/objects.onnx",
	} {
		put(t, o.Folder, name, content)
	}
	put(t, o.Folder, "truncated.onnx", content[:len(content)/2])
	put(t, o.Folder, "plan.onnxtxt", []byte("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) { y = Relu(x) }\n"))
	age(t, o.Folder, noon.Add(-24*time.Hour))
	o.Results = store.Folder{Path: "results", Now: o.Now}
	o.Here = store.NewMachine([]byte(`{"cpu": "abacus"}`), "")
	keep(t, o, "encoder.onnx", 2*time.Hour, 12.345, store.Settings{"provider": "cuda", "batch": "8"})
	keep(t, o, "classifier.onnx", 10*time.Minute, 0.01234, store.Settings{"ep": "cpu", "batch": "1"})
	keep(t, o, "encoder.int8.onnx", 48*time.Hour, 99, store.Settings{"ep": "cpu"}) // the file changed after the measurement
	o.Journal = &journal.Store{Dir: "sessions"}
	put(t, "elsewhere", "vision.onnx", content)
	leave(t, o, 3*time.Hour, journal.Entry{Model: "models/encoder.onnx", Folder: "models", History: make([]session.Past, 0), Job: "lathe bench encoder.onnx"})
	leave(t, o, 26*time.Hour, journal.Entry{Model: "elsewhere/vision.onnx", Folder: "elsewhere", History: steps("prune", "export", "check")})
	leave(t, o, 25*time.Hour, journal.Entry{Model: "elsewhere/vision.onnx", Folder: "elsewhere", History: steps("prune", "export")})
	return o
}

func steps(names ...string) (out []session.Past) {
	for _, name := range names {
		out = append(out, session.Past{Call: session.Call{Step: name}})
	}
	return out
}

// age sets the time of all files below a folder.
func age(t *testing.T, folder string, at time.Time) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keep stores a measured latency of a model.
func keep(t *testing.T, o Options, name string, ago time.Duration, p50 float64, of store.Settings) {
	t.Helper()
	path := filepath.Join(o.Folder, name)
	m, err := o.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := graphops.StructureSum(m)
	if err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(bench.Report{Runs: []bench.Run{{Name: name, P50: bench.Number(p50), BlockMedians: []bench.Number{bench.Number(p50)}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.Results.Keep(t.Context(), &store.Result{
		Kind: store.KindBench, Time: noon.Add(-ago), Machine: o.Here, Document: document,
		Models:   []store.Model{{Path: name, Absolute: path, Digest: graphops.Digest{Structure: sum}}},
		Subjects: []store.Subject{{Name: name, Settings: of}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// leave writes the journal of an interrupted session.
func leave(t *testing.T, o Options, ago time.Duration, e journal.Entry) {
	t.Helper()
	s := journal.Store{Dir: o.Journal.Dir, Now: func() time.Time { return noon.Add(-ago) }}
	model := e.Model
	e.Model = filepath.Base(model)
	j, err := s.Start(model)
	if err != nil {
		t.Fatal(err)
	}
	j.Put(e)
	if err := j.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Leave(); err != nil {
		t.Fatal(err)
	}
}
