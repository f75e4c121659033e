//go:build cgo

package quantization

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/sessiontest"
)

// TestQuantizeStaticOnHostileData checks data without useful ranges. A result is sound and loads.
// If the data is rejected, the error is clear and no file is left.
func TestQuantizeStaticOnHostileData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, tt := range map[string]struct {
		rows []float32
		// refused is part of the expected error, or "" if the model is accepted. If a value has no
		// range, the model may also stay as it is.
		refused string
		reason  string // why something has no range
	}{
		"NaN alone":        {[]float32{nan, nan, nan}, "no value gets a range from the data", ""},
		"no rows":          {nil, "no value gets a range from the data", ""},
		"NaN among others": {[]float32{1, nan, 2, 3, 4, 5}, "", ""},
		"infinite":         {[]float32{1, inf, 2, 3, 4, 5}, "", "no range of integers covers an infinity"},
		"below all":        {[]float32{1, -inf, 2}, "", "no range of integers covers an infinity"},
		"zeros":            {[]float32{0, 0, 0}, "", ""},
		"the largest":      {[]float32{math.MaxFloat32, -math.MaxFloat32, 0}, "", "is more than the largest f32"},
		"subnormal":        {[]float32{1e-45, -1e-45, 0}, "", "f32 has no 2048 numbers between"},
		"of one value":     {[]float32{7, 7, 7}, "", ""},
	} {
		for _, s := range dataWays() {
			t.Run(strings.Join([]string{name, s.Format, s.Calibration}, ", "), func(t *testing.T) {
				folder := t.TempDir()
				s := *s
				s.Mode, s.NoTrial, s.Out, s.Data = "static", true, filepath.Join(folder, "out.onnx"), filepath.Join(folder, "x.npz")
				x := tensor.FromSlice(tt.rows, int64(len(tt.rows)/3), 3)
				f, err := os.Create(s.Data)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(npz.Write(f, []npz.Entry{{Name: "x", Tensor: x}}), f.Close()); err != nil {
					t.Fatal(err)
				}
				m := graphtest.Model(t, strings.Replace(scored, "f32[2,3]", "f32[n,3]", 2))
				r, err := s.Run(t.Context(), env, m)
				if err != nil {
					if _, left := os.Stat(s.Out); !errors.Is(left, fs.ErrNotExist) {
						t.Error("what was refused has been written")
					}
					nothing := errors.Is(err, quant.ErrNothing) && tt.reason != "" && strings.Contains(err.Error(), tt.reason)
					if !nothing && (tt.refused == "" || !strings.Contains(err.Error(), tt.refused)) {
						t.Errorf("it is refused: %v", err)
					}
					return
				}
				if tt.refused != "" {
					t.Error("it is taken")
				}
				report := r.Report.(*Report)
				for _, x := range report.Ranges.LeftOut {
					if tt.reason == "" || x.Value == "x" && !strings.Contains(x.Reason, tt.reason) {
						t.Errorf("%q is left out: %s", x.Value, x.Reason)
					}
				}
				soundAndLoads(t, env, m, s.Out, report)
			})
		}
	}
}
