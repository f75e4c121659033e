package calibration

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/tensor"
)

func TestTableRoundTrip(t *testing.T) {
	for _, m := range Methods() {
		in := &Table{Method: m, Tensors: map[string]Calibrated{
			"x":      {Elem: tensor.F32, Range: Range{-1, tensor.F32.Round(0.1)}},
			"h \"\n": {Elem: tensor.F16, Range: Range{0, 65504}},
			"none":   {Elem: tensor.F32},
		}}
		in.LeaveOut("far", "it goes to +Inf")
		if m == MethodDistribution {
			in.Tensors["x"] = Calibrated{Elem: tensor.F32, Range: Range{-1, 1}, Mean: 0.5, Deviation: 2}
		}
		var file, again bytes.Buffer
		if err := in.Write(&file); err != nil {
			t.Fatal(err)
		}
		if err := in.Write(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Errorf("%s: written twice, it differs (%v)", m, err)
		}
		out, err := ReadTable(&file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(in, out); d != "" {
			t.Errorf("%s: %s", m, d)
		}
	}
}

// TestTableOfReference reads what the reference's encoder writes: arrays of one of
// MinMax, numbers by themselves of the histograms, with two of their counts.
func TestTableOfReference(t *testing.T) {
	minmax := `{"CLS": "TensorsData", "data": {"x": {"lowest": {"data": [-1.5], "dtype": "float32", "CLS": "numpy.array"}, "highest": {"data": 0.10000000149011612, "dtype": "float32", "CLS": "numpy.array"}, "CLS": "TensorData"}}, "calibration_method": {"CLS": "CalibrationMethod", "value": "CalibrationMethod.MinMax"}, "smooth_quant": false}`
	entropy := `{"CLS": "TensorsData", "data": {"x": {"lowest": -1.5, "highest": 0.10000000149011612, "hist": 3, "bins": 0, "CLS": "TensorData"}}, "calibration_method": {"CLS": "CalibrationMethod", "value": "CalibrationMethod.Entropy"}}`
	for text, m := range map[string]Method{minmax: MethodMinMax, entropy: MethodEntropy} {
		got, err := ReadTable(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want := &Table{Method: m, Tensors: map[string]Calibrated{"x": {Elem: tensor.F32, Range: Range{-1.5, tensor.F32.Round(0.1)}}}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestBadTables(t *testing.T) {
	const method = `"calibration_method": {"value": "CalibrationMethod.MinMax"}`
	for text, want := range map[string]string{
		``:                      "not a table",
		`[]`:                    "not a table",
		`{"CLS": "Tensor"}`:     "expected \"TensorsData\"",
		`{"CLS":"TensorsData"}`: "no calibration method",
		`{"CLS":"TensorsData","data":{"x":{"lowest":1}},` + method + `}`:                                                                `"x": lowest or highest`,
		`{"CLS":"TensorsData","data":{"x":{"lowest":2,"highest":1}},` + method + `}`:                                                    "from 2 to 1",
		`{"CLS":"TensorsData","data":{"x":{"lowest":0,"highest":1e39}},` + method + `}`:                                                 "from 0 to 1e+39",
		`{"CLS":"TensorsData","data":{"x":{"lowest":{"data":[1,2],"dtype":"float32","CLS":"numpy.array"},"highest":3}},` + method + `}`: "2 numbers",
		`{"CLS":"TensorsData","data":{"x":{"lowest":{"data":[1],"dtype":"float64","CLS":"numpy.array"},"highest":3}},` + method + `}`:   "float64",
		`{"CLS":"TensorsData","data":{"x":{"lowest":0,"highest":Infinity}},` + method + `}`:                                             "a range with Infinity or NaN",
		`{"CLS":"TensorsData","data":{"x":{"lowest":-Infinity,"highest":0}},` + method + `}`:                                            "a range with Infinity or NaN",
		`{"CLS":"TensorsData","data":{"x":{"lowest":NaN,"highest":0}},` + method + `}`:                                                  "a range with Infinity or NaN",
		`{"CLS":"TensorsData","data":{"x":{"lowest":0,"highest":1}},"calibration_method":{"value":"CalibrationMethod.Distribution"}}`:   "avg or std",
	} {
		if _, err := ReadTable(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add([]byte(`{"CLS":"TensorsData","data":{"x":{"lowest":0,"highest":1}},"calibration_method":{"value":"CalibrationMethod.MinMax"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := ReadTable(bytes.NewReader(raw))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := table.Write(&file); err != nil {
			t.Fatal(err)
		}
		again, err := ReadTable(&file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(table, again); d != "" {
			t.Error(d)
		}
	})
}
