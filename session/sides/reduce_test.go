package sides

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/flags"
	"lathe/session/reduce"
)

// The command that shows a problem again has the options of the side, and not those of the search.
func TestReductionAgain(t *testing.T) {
	one, other := graphtest.Model(t, "input x f32[2]\noutput y f32\ny = Relu(x)"), graphtest.Model(t, "input x f32[2]\noutput y f32\ny = Abs(x)")
	for name, c := range map[string]struct {
		step Comparison
		part reduce.Part
		side string
		want string
	}{
		"two models": {
			Comparison{A: "a.onnx", B: "b.onnx", Tolerance: []string{"y=1,2", "z=1,2"}, Execution: flags.Execution{Running: flags.Running{Opt: "basic"}}, Feeding: flags.Feeding{Data: "d", Seed: 3}, reducing: reducing{Reduce: true, ReduceOut: "s.onnx", Force: true}},
			reduce.Part{A: one, B: other},
			"b",
			"lathe validate 's.a.onnx' s.onnx --data s.test_data_set_0 --tolerance y=1,2 --opt basic",
		},
		"two ways":   {Comparison{A: "a.onnx", sides: sideOptions{B: []string{"threads=1"}}}, reduce.Part{A: one, B: one}, "b", "lathe validate s.onnx --data s.test_data_set_0 --b threads=1"},
		"by itself":  {Comparison{A: "a.onnx"}, reduce.Part{A: one, B: one}, "b", "lathe validate s.onnx --data s.test_data_set_0 --a opt=disable"},
		"a failure":  {Comparison{A: "a.onnx", sides: sideOptions{B: []string{"opt=basic"}}, Execution: flags.Execution{Running: flags.Running{Threads: 2}}}, reduce.Part{B: one}, "b", "lathe run-model s.onnx --data s.test_data_set_0 --opt basic --threads 2"},
		"of a":       {Comparison{A: "a.onnx", sides: sideOptions{A: []string{"opt=basic"}}}, reduce.Part{B: one}, "a", "lathe run-model s.onnx --data s.test_data_set_0 --opt basic"},
		"of another": {Comparison{A: "a.onnx", sides: sideOptions{A: []string{"opt=basic"}, B: []string{"runtime=lib.so"}}}, reduce.Part{B: one}, "b", "lathe run-model s.onnx --data s.test_data_set_0 --runtime lib.so"},
	} {
		job := reductionJob{step: &c.step, side: c.side}
		r := &reducedReport{Path: "s.onnx", Data: "s.test_data_set_0"}
		if c.part.A != c.part.B && c.part.A != nil {
			r.SoundPath = "s.a.onnx"
		}
		got := strings.ReplaceAll(job.again(&reduce.Result{Part: c.part}, r), absolute("")+"/", "")
		if got != strings.ReplaceAll(c.want, "'", "") {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// Existing folders stay, and a folder with other files than a test data set is never replaced.
func TestReductionTargets(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		force bool
		want  string
	}{
		"none":           {nil, false, ""},
		"there":          {[]string{"s.onnx"}, false, "s.onnx: exists already"},
		"a beside it":    {[]string{"s.a.onnx"}, false, "s.a.onnx: exists already"},
		"a set":          {[]string{"s.test_data_set_0/input_0.pb"}, false, "exists already"},
		"replaced":       {[]string{"s.onnx", "s.a.onnx", "s.test_data_set_0/input_0.pb", "s.test_data_set_0/output_12.pb"}, true, ""},
		"more than that": {[]string{"s.test_data_set_0/input_0.pb", "s.test_data_set_0/notes.txt"}, true, `holds "notes.txt"`},
		"a folder in it": {[]string{"s.test_data_set_0/input_0.pb/x"}, true, `holds "input_0.pb"`},
	} {
		dir := t.TempDir()
		for _, f := range c.files {
			path := filepath.Join(dir, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o := reducing{Reduce: true, ReduceOut: filepath.Join(dir, "s.onnx"), Force: c.force}
		err := o.check(t.Context(), &flags.Running{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
