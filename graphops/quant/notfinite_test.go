package quant

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestDynamicNotFinite leaves weights that hold NaN or an infinity in float32, with the
// nodes that read them, and quantizes the others.
func TestDynamicNotFinite(t *testing.T) {
	const (
		head = "input x f32[2,2]\ninit w f32[2,2] 1 2 3 4\n"
		fine = "fine: y = MatMul(x, w)\noutput y f32\n"
	)
	for _, tt := range []struct{ name, text, reason string }{
		{"weight", head + fine + "init v f32[2,2] 1 -inf 3 4\nspoilt: z = MatMul(x, v)\noutput z f32", `reads "v", whose element 1 is -Inf`},
		{"of a Gemm", head + fine + "init v f32[2,2] nan 1 3 4\nspoilt: z = Gemm(x, v) transB=1\noutput z f32", `reads "v", whose element 0 is NaN`},
		{"table", head + fine + "init v f32[2,2] 1 2 3 inf\ninput i i64[1]\nspoilt: z = Gather(v, i)\noutput z f32", `reads "v", whose element 3 is +Inf`},
		{"first factor", head + fine + "init v f32[2,2] 1 2 3 inf\nspoilt: z = MatMul(v, w)\noutput z f32", `reads "v", whose element 3 is +Inf`},
		{"Constant", head + fine + "v = Constant() value={f32[2,2] nan}\nspoilt: z = MatMul(x, v)\noutput z f32", `reads "v", whose element 0 is NaN`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, report := dynamicOf(t, graphtest.Model(t, tt.text), DefaultDynamicOptions())
			if len(report.Quantized) != 1 || report.Quantized[0].Node != "fine" {
				t.Errorf("quantized %+v", report.Quantized)
			}
			if len(report.Skipped) != 1 || !strings.HasPrefix(report.Skipped[0].Reason, tt.reason) {
				t.Errorf("skipped %+v, expected %q", report.Skipped, tt.reason)
			}
			if problems := graphtest.Problems(m); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
	_, report, err := Dynamic(context.Background(), graphtest.Model(t, head+"init v f32[2,2] nan\nspoilt: z = MatMul(x, v)\noutput z f32"), DefaultDynamicOptions(), nil)
	if !errors.Is(err, ErrNothing) || report == nil || len(report.Skipped) != 1 {
		t.Errorf("report %+v, error %v", report, err)
	}
}
