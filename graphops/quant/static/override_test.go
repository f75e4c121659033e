package static

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

const overridden = `
	input x f32[2,4]
	output y f32[2,3]
	output z f32[2,4]
	init w f32[4,3] 0.5 -0.25 0.125 1 -1 0.5 0.25 -0.75 0.3 -0.1 0.2 0.9
	mm: h = MatMul(x, w)
	soft: y = Softmax(h)
	sig: z = Sigmoid(x)`

func overrides(t *testing.T, text string) Overrides {
	t.Helper()
	v, err := ReadOverrides(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// quantizeWith quantizes the model above, all of whose values go from -1 to 3.
func quantizeWith(t *testing.T, opset, text string, change func(*Options)) (*graphops.Model, error) {
	t.Helper()
	m := graphtest.Model(t, "opset "+opset+"\n"+overridden)
	o := DefaultOptions()
	o.Overrides = overrides(t, text)
	if change != nil {
		change(&o)
	}
	table := &calibration.Table{Tensors: map[string]calibration.Calibrated{}}
	for _, name := range []string{"x", "h", "y", "z"} {
		table.Tensors[name] = calibration.Calibrated{Range: calibration.Range{Low: -1, High: 3}}
	}
	q, _, err := Quantize(context.Background(), m, table, o)
	return q, err
}

// TestReadOverrides reads tables with every key, and refuses others in words that name
// what is wrong.
func TestReadOverrides(t *testing.T) {
	v := overrides(t, `{
		"w": [{"quant_type": "QInt4", "axis": -1, "symmetric": true, "reduce_range": false, "rmin": -1, "rmax": 1.5}, {"rmin": 0, "rmax": 2}],
		"x": [{"scale": 0.5, "zero_point": 3, "convert": {"quant_type": "QUInt16", "recv_nodes": ["mm"], "symmetric": false}}], "h": []}`)
	w, x := v["w"], v["x"]
	switch {
	case len(w) != 2 || tensor.DType(w[0].Type) != tensor.I4 || *w[0].Axis != -1 || !*w[0].Symmetric || *w[0].ReduceRange || *w[0].Max != 1.5 || *w[1].Min != 0:
		t.Errorf("w is %+v", w)
	case len(x) != 1 || *x[0].Scale != 0.5 || *x[0].Zero != 3 || tensor.DType(x[0].Convert.Type) != tensor.U16 || !slices.Equal(x[0].Convert.Receivers, []string{"mm"}):
		t.Errorf("x is %+v", x)
	}
	for text, want := range map[string]string{
		``:                                  "unexpected end",
		`[]`:                                "expected a table of keys, found array",
		`{"x": {"quant_type": "QInt8"}}`:    `override of "x": expected a list of tables, found object`,
		`{"x": [3]}`:                        `override of "x": entry 1: expected a table of keys, found number`,
		`{"x": [{}, {"quant_type": "i8"}]}`: `override of "x": entry 2: quant_type is "i8", expected one of QInt16, QInt4`,
		`{"x": [{"scales": 1}]}`:            `override of "x": entry 1: unknown field "scales"`,
		`{"x": [{"scale": "1"}]}`:           `override of "x": entry 1: scale: expected a number, found string`,
		`{"x": [{"zero_point": 1.5}]}`:      `zero_point: expected a whole number, found number 1.5`,
		`{"x": [{"symmetric": 1}]}`:         `symmetric: expected true or false, found number`,
		`{"x": [{"rmin": NaN}]}`:            `invalid character 'N'`,
		`{"x": [{"rmin": 1e99}]}`:           `rmin: expected a number, found number 1e99`,
		`{"x": [{"convert": {"recv_nodes": "mm"}}]}`: `convert.recv_nodes: expected a list of names, found string`,
		`{"x": []} {}`: "invalid character '{' after top-level value",
	} {
		if _, err := ReadOverrides(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestRefusedOverrides names the value and what it was to say.
func TestRefusedOverrides(t *testing.T) {
	for text, want := range map[string]string{
		`{"q": [{"quant_type": "QInt8"}]}`:                                     `value "q": the graph has none`,
		`{"x": [{"axis": 0}]}`:                                                 "which only initializers can have",
		`{"x": [{"rmin": 0}, {"rmin": 1}]}`:                                    "which only initializers can have",
		`{"x": [{"reduce_range": true}]}`:                                      "reduce_range is for initializers only",
		`{"x": [{"quant_type": "QInt4"}]}`:                                     "activations cannot be quantized to i4",
		`{"x": [{"scale": 1}]}`:                                                "scale and zero_point must be set together",
		`{"x": [{"scale": 0, "zero_point": 0}]}`:                               "scale is 0, expected a number above 0",
		`{"x": [{"scale": 1, "zero_point": 200}]}`:                             "zero_point is 200, expected -128 to 127",
		`{"x": [{"scale": 1, "zero_point": 0, "symmetric": true}]}`:            "cannot be combined with symmetric",
		`{"x": [{"rmin": 2, "rmax": 1}]}`:                                      "rmin and rmax are not a range of finite numbers",
		`{"x": [{"convert": {}}]}`:                                             "convert has no quant_type",
		`{"x": [{"convert": {"quant_type": "QInt8"}}]}`:                        "convert has the same type as the value, i8",
		`{"x": [{"convert": {"quant_type": "QUInt8", "recv_nodes": ["no"]}}]}`: `recv_nodes has node "no", which does not read the value`,
		`{"w": [{"convert": {"quant_type": "QUInt8"}}]}`:                       "convert is for values that are computed only",
		`{"w": [{"axis": 2}]}`:                                                 "it has axis 2, expected one of the 2 axes of [4 3]",
		`{"w": [{"axis": -3}]}`:                                                "it has axis -3",
		`{"w": [{"rmin": 0}, {"rmin": 0}]}`:                                    "2 entries, but the first has no axis",
		`{"w": [{"axis": 1}, {}]}`:                                             "it has 2 entries, expected one for each of 3 channels",
		`{"w": [{"axis": 1, "scale": 1, "zero_point": 0}]}`:                    "it has 1 entries, expected one for each of 3 channels",
		`{"w": [{"axis": 1, "rmin": -1, "rmax": 1}, {}, {}]}`:                  "for all channels or for none",
		`{"w": [{"axis": 1}, {"quant_type": "QInt4"}, {}]}`:                    "of a channel must equal those of the first",
		`{"h": [], "x": [{"quant_type": "QInt8"}], "z": [{"axis": 1}]}`:        `override of "z"`,
	} {
		if _, err := quantizeWith(t, "21", text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	one := `{"x": [{"convert": {"quant_type": "QUInt8"}}]}`
	if _, err := quantizeWith(t, "21", one, func(o *Options) { o.DedicatedPairs = true }); err == nil || !strings.Contains(err.Error(), "for each reader") {
		t.Errorf("with a pair for each reader: %v", err)
	}
	if _, err := quantizeWith(t, "21", one, func(o *Options) { o.Format = FormatOperators }); err == nil || !strings.Contains(err.Error(), "overrides") {
		t.Errorf("operators of integers: %v", err)
	}
}

// TestOverrides looks at what each key makes of a value of the model above.
func TestOverrides(t *testing.T) {
	for _, tt := range []struct {
		name, text, value string
		codes             tensor.DType
		scales            []float32
		zero              int64
	}{
		{"type", `{"x": [{"quant_type": "QUInt8"}]}`, "x", tensor.U8, []float32{4.0 / 255}, 64},
		{"wide", `{"x": [{"quant_type": "QUInt16"}]}`, "x", tensor.U16, []float32{4.0 / 65535}, 16384},
		{"scale", `{"x": [{"scale": 0.25, "zero_point": -4}]}`, "x", tensor.I8, []float32{0.25}, -4},
		{"range", `{"x": [{"rmin": -2, "rmax": 3.1}]}`, "x", tensor.I8, []float32{5.1 / 255}, -28},
		{"one end", `{"x": [{"rmax": 1.55}]}`, "x", tensor.I8, []float32{2.55 / 255}, -28},
		{"symmetric", `{"x": [{"symmetric": true}]}`, "x", tensor.I8, []float32{6.0 / 254}, 0},
		{"weight", `{"w": [{"quant_type": "QInt4"}]}`, "w", tensor.I4, []float32{2.0 / 15}, 0},
		{"weight's range", `{"w": [{"rmin": -2, "rmax": 2}]}`, "w", tensor.I8, []float32{4.0 / 254}, 0},
		{"channels", `{"w": [{"axis": 1, "scale": 1, "zero_point": 0}, {"scale": 2, "zero_point": 0}, {"scale": 3, "zero_point": 0}]}`, "w", tensor.I8, []float32{1, 2, 3}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := quantizeWith(t, "21", tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			scale, zero := constantNamed(t, q, tt.value+"_scale"), constantNamed(t, q, tt.value+"_zero_point")
			got, err := numbers(scale)
			if err != nil || len(got) != len(tt.scales) {
				t.Fatalf("scales are %v, %v", got, err)
			}
			for i, want := range tt.scales {
				if diff := got[i] - float64(want); diff > 1e-7 || diff < -1e-7 {
					t.Errorf("scales are %v, want %v", got, tt.scales)
				}
			}
			if z, _ := numbers(zero); zero.DType() != tt.codes || z[0] != float64(tt.zero) {
				t.Errorf("zero points are %v of %s, want %d of %s", z, zero.DType(), tt.zero, tt.codes)
			}
		})
	}
}

// TestConvert gives one of two readers another type, and all of them.
func TestConvert(t *testing.T) {
	for _, tt := range []struct{ text, mm, sig string }{
		{`{"x": [{"convert": {"quant_type": "QUInt16", "recv_nodes": ["mm"]}}]}`, "x_convert_DequantizeLinear_Output", "x_DequantizeLinear_Output"},
		{`{"x": [{"convert": {"quant_type": "QUInt16"}}]}`, "x_convert_DequantizeLinear_Output", "x_convert_DequantizeLinear_Output"},
	} {
		for _, opset := range []string{"17", "21"} {
			q, err := quantizeWith(t, opset, tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			reads := map[string]string{}
			for _, n := range q.Graph().Nodes() {
				reads[n.Name()] = n.Inputs()[0]
			}
			if reads["mm"] != tt.mm || reads["sig"] != tt.sig {
				t.Errorf("%s: mm reads %s, sig %s", tt.text, reads["mm"], reads["sig"])
			}
			if zero := constantNamed(t, q, "x_zero_point_convert"); zero.DType() != tensor.U16 {
				t.Errorf("%s: the zero point is of %s", tt.text, zero.DType())
			}
			if problems, err := check.Model(context.Background(), q, check.Options{}); err != nil || !check.OK(problems) {
				t.Errorf("%s: %v, %v", tt.text, problems, err)
			}
		}
	}
}

func constantNamed(t *testing.T, m *graphops.Model, name string) *graphops.Tensor {
	t.Helper()
	for _, x := range m.Graph().Initializers() {
		if x.Name() == name {
			return x
		}
	}
	t.Fatalf("there is no initializer %q", name)
	return nil
}
