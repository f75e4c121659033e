//go:build cgo

package sides

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// expectation writes a model, and a folder with inputs and expected outputs.
func expectation(t *testing.T, model string, files map[string]tensor.Tensor) (path, data string) {
	t.Helper()
	dir := t.TempDir()
	path, data = filepath.Join(dir, "m.onnx"), filepath.Join(dir, "data")
	if err := os.WriteFile(path, graphtest.Bytes(t, model), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, v := range files {
		file := filepath.Join(data, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		err := durable.WriteFile(t.Context(), file, durable.Options{}, func(w io.Writer) error {
			return graphops.WriteData(w, "", graphops.TensorValue(v))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return path, data
}

const doubling = "input x f32[2]\noutput y f32[2]\noutput n i64[1]\ny = Add(x, x)\nn = Shape(x)"

func floats32(values ...float32) tensor.Tensor { return tensor.FromSlice(values, int64(len(values))) }

func TestValidateExpected(t *testing.T) {
	env := sessiontest.Env(t)
	path, data := expectation(t, doubling, map[string]tensor.Tensor{
		"test_data_set_0/input_0.pb": floats32(1, 2), "test_data_set_0/output_0.pb": floats32(2, 4),
		"test_data_set_1/input_0.pb": floats32(3, 4), "test_data_set_1/output_0.pb": floats32(6, 9),
		"test_data_set_1/output_1.pb": tensor.FromSlice([]int64{2}, 1),
		"test_data_set_2/input_0.pb":  floats32(5, 6),
	})
	validate := func(s Comparison) (*Report, string, error) {
		r, err := s.Run(t.Context(), env)
		if err != nil {
			return nil, "", err
		}
		report := r.Report.(*Report)
		if r.No == report.Pass {
			t.Errorf("no: %v, pass: %v", r.No, report.Pass)
		}
		var b bytes.Buffer
		if err := report.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		return report, b.String(), nil
	}
	one := Comparison{A: path}
	one.Data = data
	r, text, err := validate(one)
	if err != nil {
		t.Fatal(err)
	}
	if r.Pass || len(r.Cases) != 2 || !strings.Contains(text, `output "y" in case "test_data_set_1": 1 of 2 elements`) ||
		!strings.Contains(text, "at [1]: expected 9, model 8") || !strings.Contains(text, "note: 1 case without expected outputs left out") ||
		r.Sides.A.Kind != sideExpected || r.Sides.B.Kind != sideRuntime || strings.Contains(text, "a ran by") {
		t.Errorf("got %s", text)
	}
	one.Data = filepath.Join(data, "test_data_set_0")
	if r, text, err = validate(one); err != nil || !r.Pass {
		t.Errorf("got %s, %v", text, err)
	}
	one.Data = filepath.Join(data, "test_data_set_2")
	if _, _, err = validate(one); err == nil || !strings.Contains(err.Error(), `no expected outputs to compare the model with: output_0.pb …, or an array named as an output: "y", "n"`) {
		t.Errorf("got %v", err)
	}
	two := Comparison{A: path, B: path}
	two.Data = data
	if r, text, err = validate(two); err != nil || !r.Pass || len(r.Cases) != 3 || !strings.Contains(text, "were not used") {
		t.Errorf("got %s, %v", text, err)
	}
	var usage session.UsageError
	if _, _, err := validate(Comparison{A: path}); !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}

// If the library of one side is not found, there is an error and no other library is used.
func TestValidateOtherLibrary(t *testing.T) {
	env := sessiontest.Env(t)
	path, _ := expectation(t, doubling, nil)
	s := &Comparison{A: path, sides: sideOptions{B: []string{"runtime=lib.so"}}}
	if _, err := s.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "side b: runtime=lib.so: no other ONNX Runtime can be used here") {
		t.Errorf("got %v", err)
	}
	asked := ""
	env.RuntimeFrom = func(library string) runtime.Runtime { asked = library; return env.Runtime }
	if r, err := s.Run(t.Context(), env); err != nil || r.No || !filepath.IsAbs(asked) {
		t.Errorf("got %v from %q", err, asked)
	}
}
