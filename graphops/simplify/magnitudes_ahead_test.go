package simplify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// normalized is a saved model of one large Conv behind which a BatchNormalization stands.
func normalized(t *testing.T) string {
	t.Helper()
	m := graphtest.Model(t, `
		input x f32[1,64,8,8]
		init s f32[256] 2
		init b f32[256] 1
		init mean f32[256] 0.25
		init var f32[256] 4
		init w f32[256,64,5,5] 0.5
		c = Conv(x, w)
		y = BatchNormalization(c, s, b, mean, var)
		output y f32[1,256,4,4]`)
	path := filepath.Join(t.TempDir(), "m.onnx")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMeasureAhead reads what a BatchNormalization scales, once, whoever comes first.
func TestMeasureAhead(t *testing.T) {
	m, err := graphops.Open(normalized(t), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, r, err := Simplify(t.Context(), m, Options{MaxGrowth: DefaultMaxGrowth})
	if err != nil || r.After.Nodes != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestMeasureAheadTells has the pass that needs a weight tell why it cannot be read, also
// where it was read ahead.
func TestMeasureAheadTells(t *testing.T) {
	path := normalized(t)
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100_000); err != nil {
		t.Fatal(err)
	}
	_, r, err := Simplify(t.Context(), m, Options{MaxGrowth: DefaultMaxGrowth})
	if err != nil {
		t.Fatal(err)
	}
	var why []string
	for _, p := range r.Passes {
		for _, n := range p.Refused {
			why = append(why, n.Why)
		}
	}
	if got := strings.Join(why, "\n"); !strings.Contains(got, "its weights cannot be read") {
		t.Errorf("refused: %q", got)
	}
}
