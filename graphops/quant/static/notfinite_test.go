package static

import (
	"context"
	"strings"
	"testing"

	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestNotFinite leaves weights that hold NaN or an infinity in float32, with the nodes that
// read them, and quantizes the others.
func TestNotFinite(t *testing.T) {
	const text = `
		input x f32[1,2]
		init mask f32[2] 0 -inf
		init w f32[2,2] 1 2 3 4
		init v f32[2,2] nan 2 3 4
		init b f32[2] inf 1
		masked: m = Add(x, mask)
		fc: y = Gemm(x, w, b)
		spoilt: z = MatMul(x, v)
		output m f32
		output y f32
		output z f32
	`
	table := &calibration.Table{Method: calibration.MethodMinMax, Tensors: map[string]calibration.Calibrated{}}
	for _, name := range []string{"x", "m", "y", "z"} {
		table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: calibration.Range{Low: -1, High: 1}}
	}
	for _, tt := range []struct {
		name    string
		change  func(*Options)
		skipped map[string]string
		warning string
	}{
		{
			"pairs", func(*Options) {},
			map[string]string{"masked": `reads "mask", whose element 1 is -Inf`, "spoilt": `reads "v", whose element 0 is NaN`},
			`bias "b" stays in float32: its element 0 is +Inf`,
		},
		{
			"operators", func(o *Options) { o.Format = FormatOperators },
			map[string]string{"masked": `reads "mask", whose element 1 is -Inf`, "spoilt": `reads "v", whose element 0 is NaN`, "fc": `reads "b", whose element 0 is +Inf`},
			"",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := DefaultOptions()
			tt.change(&o)
			_, report, err := Quantize(context.Background(), graphtest.Model(t, text), table, o)
			if tt.name == "operators" {
				if err == nil || !strings.Contains(err.Error(), "all 3 candidates were skipped") {
					t.Fatalf("error %v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, s := range report.Skipped {
				got[s.Node] = s.Reason
			}
			for node, reason := range tt.skipped {
				if !strings.HasPrefix(got[node], reason) {
					t.Errorf("%s: %q, expected %q", node, got[node], reason)
				}
			}
			if len(got) != len(tt.skipped) {
				t.Errorf("skipped %q", got)
			}
			if w := strings.Join(report.Warnings, "\n"); !strings.Contains(w, tt.warning) {
				t.Errorf("warnings %q", w)
			}
		})
	}
}

// TestNotFiniteFloat8 leaves out a weight of which no deviation is known.
func TestNotFiniteFloat8(t *testing.T) {
	const text = "opset 19\ninput x f32[1,2]\ninit v f32[2,2] nan 2 3 4\nspoilt: z = MatMul(x, v)\noutput z f32\ninit w f32[2,2] 1 2 3 4\nfc: y = MatMul(x, w)\noutput y f32"
	table := &calibration.Table{Method: calibration.MethodDistribution, Tensors: map[string]calibration.Calibrated{}}
	for _, name := range []string{"x", "y", "z"} {
		table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: calibration.Range{Low: -1, High: 1}, Deviation: 1}
	}
	o := DefaultOptions()
	o.WeightType, o.ActivationType = tensor.F8E4M3FN, tensor.F8E4M3FN
	_, report, err := Quantize(context.Background(), graphtest.Model(t, text), table, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped) != 1 || report.Skipped[0].Node != "spoilt" {
		t.Errorf("skipped %+v", report.Skipped)
	}
}
