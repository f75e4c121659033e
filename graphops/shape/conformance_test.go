//go:build parity

package shape_test

import (
	"path"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// dependent are the conformance models in which a declared size follows from what
// is fed, by the name of the model.
var dependent = []struct{ model, reason string }{
	{"test_nonzero_*", "as many columns as there are elements other than zero"},
	{"test_unique_*", "as many as there are different elements"},
	{"test_compress_*", "as many as the condition, which is fed, lets through"},
	{"test_nonmaxsuppression_*", "as many boxes as are selected"},
	{"test_reshape_*", "the shape is fed"},
	{"test_expand_*", "the shape is fed"},
	{"test_tile*", "the repeats are fed"},
	{"test_constantofshape_*", "the shape is fed"},
	{"test_range_*", "the limits are fed"},
	{"test_slice*", "starts and ends are fed"},
	{"test_*pad*", "the pads are fed"},
	{"test_resize_*", "scales or sizes are fed"},
	{"test_upsample_*", "the scales are fed"},
	{"test_onehot_*", "the depth is fed"},
	{"test_top_k*", "k is fed"},
}

// TestConformance hides the declared shapes of the outputs of ONNX's own suite,
// and wants each found again unless it depends on data.
func TestConformance(t *testing.T) {
	j, sum := &judge{}, newTally()
	used := map[string]bool{}
	for _, file := range reference.Debian.Models(t) {
		m, err := graphops.Open(file, graphops.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		one := j.hear(file, declaredBy(m), graphsOf(m, infer(t, m))[:1])
		name := filepath.Base(filepath.Dir(file))
		i := slices.IndexFunc(dependent, func(d struct{ model, reason string }) bool {
			ok, err := path.Match(d.model, name)
			return err == nil && ok
		})
		switch lacks := one.dims[0] - one.dims[1] + one.ranks[0] - one.ranks[1]; {
		case lacks == 0:
		case i < 0:
			t.Errorf("%s: not all that is declared is known: %d of %d ranks, %d of %d dimensions%s",
				name, one.ranks[1], one.ranks[0], one.dims[1], one.dims[0], one.misses(3))
		default:
			used[dependent[i].model] = true
			one.dims, one.ranks = [2]int{}, [2]int{}
		}
		sum.add(one)
	}
	for _, d := range dependent {
		if !used[d.model] {
			t.Errorf("%s: everything is known, though %s", d.model, d.reason)
		}
	}
	for _, f := range sum.findings {
		t.Error(f)
	}
	t.Logf("%d models; %d of %d dimensions, of outputs that depend on no data", sum.models, sum.dims[1], sum.dims[0])
}

// declaredBy makes a referee of what a model declares.
func declaredBy(m *graphops.Model) answers {
	a := answers{}
	x := m.Graph().Index()
	for _, v := range m.Graph().FeedInputs() {
		for _, d := range v.Type().Shape {
			if d.Symbol != "" {
				a.Symbols = append(a.Symbols, d.Symbol)
			}
		}
	}
	says := map[string]claim{}
	for _, v := range m.Graph().Outputs() {
		if id, ok := x.Value(v.Name()); ok && x.Producer(id) >= 0 {
			says[v.Name()] = claim{dtype: v.Type().String(), shape: v.Type().Shape}
		}
	}
	a.Referees = map[string]opinion{"declared": {Graphs: map[string]map[string]claim{"": says}}}
	return a
}
