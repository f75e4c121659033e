//go:build cgo

package quantization

import (
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

// TestIntegersKeepAccuracy quantizes models for which data with correct answers is known, in all
// ways of this build. The share of correct answers may fall by half a percentage point, and by one
// with method distribution, which is made for float8 and not for integers.
func TestIntegersKeepAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	folder := filepath.Join("..", "..", "testdata")
	for model, data := range map[string]string{"digits.onnx": "digits_test.npz", "text_classifier.onnx": "text_test.npz"} {
		path := filepath.Join(folder, model)
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range accuracyWays() {
			name := strings.Join([]string{model, s.Mode, s.Calibration}, " ")
			s.Data, s.NoTrial, s.Out = filepath.Join(folder, data), true, filepath.Join(t.TempDir(), model)
			if _, err := s.Run(t.Context(), env, m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			v := &sides.Comparison{A: path, B: s.Out}
			v.Data = s.Data
			judged, err := v.Run(t.Context(), env)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			accuracy := judged.Report.(*sides.Report).Accuracy
			if len(accuracy) != 1 {
				t.Fatalf("%s: accuracy %v", name, accuracy)
			}
			most := 0.005
			if s.Calibration == string(calibration.MethodDistribution) {
				most = 0.01
			}
			a := accuracy[0]
			t.Logf("%s: %.2f %%, was %.2f %%", name, 100*a.B, 100*a.A)
			if float64(a.A)-float64(a.B) > most {
				t.Errorf("%s: accuracy %v, was %v", name, a.B, a.A)
			}
		}
	}
}
