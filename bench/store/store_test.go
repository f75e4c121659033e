package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func folder(t *testing.T) store.Folder {
	return store.Folder{Path: filepath.Join(t.TempDir(), "lathe", "results"), Now: func() time.Time { return noon }, Lathe: "1.2.3"}
}

// machine is one of this many processors.
func machine(cores int) store.Machine {
	return store.NewMachine([]byte(fmt.Sprintf(`{"host": "box%d", "cpu": "abacus", "cores": %d, "cpu_limit": null, "memory_bytes": 17179869184, "os": "linux", "load": 0.5}`, cores, cores)), "")
}

// measured is a result of runs: "MODEL BATCH MEDIAN".
func measured(t testing.TB, cores int, runs ...string) *store.Result {
	t.Helper()
	r := &store.Result{Kind: store.KindBench, Time: noon, Machine: machine(cores)}
	b := bench.Report{}
	for i, run := range runs {
		var model, batch string
		var median float64
		if _, err := fmt.Sscan(run, &model, &batch, &median); err != nil {
			t.Fatal(err)
		}
		r.Models = append(r.Models, store.Model{Path: model, Absolute: "/models/" + model, Bytes: 1000, Digest: graphops.Digest{
			Structure: "5" + model, Content: "c" + model + "00000000", Covers: graphops.CoversAll,
		}})
		r.Subjects = append(r.Subjects, store.Subject{Name: model, Model: i, Settings: store.Settings{"ep": "cpu", "batch": batch, "runtime": "1.30.0"}})
		x := bench.Run{Name: model, P50: bench.Number(median), Facts: bench.Facts{Model: model, EP: "cpu"}}
		for k := range 40 {
			x.BlockMedians = append(x.BlockMedians, bench.Number(median*(1+0.001*float64(k*7%13-6))))
		}
		b.Runs = append(b.Runs, x)
	}
	var err error
	if r.Document, err = json.Marshal(struct {
		Schema string `json:"schema"`
		bench.Report
	}{"lathe.bench/1", b}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestKeepAndList(t *testing.T) {
	f := folder(t)
	if list, skipped, err := f.List(t.Context()); len(list)+len(skipped) > 0 || err != nil {
		t.Fatalf("of no folder: %v %v %v", list, skipped, err)
	}
	old := measured(t, 4, "a.onnx 1 2")
	old.Time = noon.Add(-time.Hour)
	for _, r := range []*store.Result{measured(t, 4, "a.onnx 1 1.5"), old} {
		path, err := f.Keep(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if !strings.Contains(name, "-bench-mca.onnx0-b"+r.Machine.ID[:8]+"-s") || !strings.HasPrefix(name, r.Time.Format("20060102T150405")) {
			t.Errorf("name %s", name)
		}
	}
	list, skipped, err := f.List(t.Context())
	if err != nil || len(skipped) > 0 || len(list) != 2 || !list[0].Time.After(list[1].Time) || list[0].Lathe != "1.2.3" || list[0].Schema != store.Schema {
		t.Fatalf("%+v %v %v", list, skipped, err)
	}
	b, err := list[0].Bench()
	if err != nil || b.Runs[0].P50 != 1.5 || len(b.Runs[0].BlockMedians) != 40 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestKeepTogether has many writers at once, of one result at one time.
func TestKeepTogether(t *testing.T) {
	f := folder(t)
	const writers = 40
	var wait sync.WaitGroup
	for range writers {
		wait.Go(func() {
			if _, err := f.Keep(t.Context(), measured(t, 4, "a.onnx 1 1")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, skipped, err := f.List(t.Context()); len(list) != writers || len(skipped) > 0 || err != nil {
		t.Errorf("%d results, %v, %v", len(list), skipped, err)
	}
}

func TestKeepWhereNothingCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (store.Folder{Path: filepath.Join(file, "results"), Now: time.Now}).Keep(t.Context(), measured(t, 1, "a 1 1")); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("below a file: %v", err)
	}
	if _, err := (store.Folder{Path: "/dev/full", Now: time.Now}).Keep(t.Context(), measured(t, 1, "a 1 1")); err == nil {
		t.Error("below a device: no error")
	}
	f := folder(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Keep(cancelled, measured(t, 1, "a 1 1")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if list, skipped, _ := f.List(t.Context()); len(list)+len(skipped) > 0 {
		t.Errorf("left behind: %v %v", list, skipped)
	}
}

// TestListSkips has files in the folder that are no results: each is named with its reason,
// none is waited for, and the result beside them is listed.
func TestListSkips(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	f := folder(t)
	path, err := f.Keep(t.Context(), measured(t, 4, "a.onnx 1 1"))
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(f.Path, name) }
	reasons := map[string]string{}
	for _, c := range []struct{ name, content, reason string }{
		{"a-empty.json", "", "is not JSON"},
		{"a-half.json", string(good[:len(good)/2]), "is not complete JSON, perhaps cut off"},
		{"a-twice.json", string(good) + string(good), "more than one JSON document"},
		{"a-later.json", strings.Replace(string(good), "lathe.result/1", "lathe.result/7", 1), `its version is "lathe.result/7", and this lathe reads "lathe.result/1"`},
		{"a-nameless.json", `{}`, "names no schema"},
		{"a-list.json", `[1]`, "is a list of events without a complete run"},
		{"a-kind.json", strings.Replace(string(good), `"kind":"bench"`, `"kind":"\u001b[31m"`, 1), `is of kind "\x1b[31m"`},
		{"a-model.json", strings.Replace(string(good), `"model":0`, `"model":-1`, 1), "subject 0 refers to model -1, but there are only 1 models"},
		{"a-time.json", strings.Replace(string(good), `"time":"2026`, `"time":"0001`, 1), "which is not a possible time"},
		{"a-type.json", strings.Replace(string(good), `"models":[`, `"models":[7,`, 1), `key "models" has a value of the wrong type (number)`},
		{"a-bare.json", `{"schema":"lathe.bench/1","runs":[]}`, "expected a result that lathe stored"},
		{"a-deep.json", strings.Repeat("[", 1<<20), "is a list of events without a complete run"},
	} {
		if err := os.WriteFile(at(c.name), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		reasons[c.name] = c.reason
	}
	if err := os.Symlink(path, at("a-link.json")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("a-pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("a-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(at("a-large.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(129<<20), large.Close()); err != nil {
		t.Fatal(err)
	}
	for name, reason := range map[string]string{"a-link.json": "symbolic links", "a-pipe": "is not a regular file", "a-folder": "is a folder", "a-large.json": "is larger than 128 MiB"} {
		reasons[name] = reason
	}
	list, skipped, err := f.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d results, %v", len(list), err)
	}
	for _, s := range skipped {
		name := filepath.Base(s.File)
		if want, ok := reasons[name]; !ok || !strings.Contains(s.Reason, want) {
			t.Errorf("%s: %s, want %q", name, s.Reason, want)
		}
		delete(reasons, name)
	}
	for name := range reasons {
		t.Errorf("%s is not told", name)
	}
	// Numbers that no measurement gives come out when they are asked for.
	bad := strings.Replace(string(good), `"p50_ms":1`, `"p50_ms":"NaN"`, 1)
	if err := os.WriteFile(at("a-nan.json"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := f.History(t.Context(), store.Query{All: true})
	if err != nil || len(h.Results) != 1 {
		t.Fatalf("%+v, %v", h, err)
	}
	if !strings.Contains(fmt.Sprint(h.Skipped), "NaN ms is not a possible time") {
		t.Errorf("%v", h.Skipped)
	}
}

func TestReadBare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(path, measured(t, 4, "a.onnx 1 1", "b.onnx 8 2").Document, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := store.Read(path)
	if err != nil || r.Kind != store.KindBench || len(r.Models) != 2 || r.Subjects[1].Name != "b.onnx" || r.File != path {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestMachine has what tells machines apart, and what does not.
func TestMachine(t *testing.T) {
	base := `{"host":"a","cpu":"x","cores":4,"memory_bytes":17179869184,"os":"linux","arch":"amd64","load":1,"kernel":"6"}`
	id := store.NewMachine([]byte(base), "").ID
	for old, changed := range map[string]string{`"host":"a"`: `"host":"b"`, `"load":1`: `"load":3`, `"kernel":"6"`: `"kernel":"7"`, `17179869184`: `17170000000`} {
		if got := store.NewMachine([]byte(strings.Replace(base, old, changed, 1)), ""); got.ID != id {
			t.Errorf("%s makes it another machine", changed)
		}
	}
	for old, changed := range map[string]string{`"cpu":"x"`: `"cpu":"y"`, `"cores":4`: `"cores":8`, `17179869184`: `34359738368`, `"load"`: `"cpu_limit":2,"load"`} {
		if got := store.NewMachine([]byte(strings.Replace(base, old, changed, 1)), ""); got.ID == id {
			t.Errorf("%s makes it no other machine", changed)
		}
	}
	for _, c := range [][3]string{{base, "ssh gpu1", "a"}, {`{"cpu":"x"}`, "ssh gpu1", "ssh gpu1"}, {`{"cpu":"x"}`, "", "x"}, {`null`, "", "this machine"}, {`[`, "", "this machine"}} {
		if got := store.NewMachine([]byte(c[0]), c[1]).Name; got != c[2] {
			t.Errorf("%s behind %q is called %q", c[0], c[1], got)
		}
	}
}
