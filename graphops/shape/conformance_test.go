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
	{"test_blackmanwindow*", "the size is fed"},
	{"test_hammingwindow*", "the size is fed"},
	{"test_hannwindow*", "the size is fed"},
	{"test_melweightmatrix", "the sizes are fed"},
	{"test_compress_*", "there are as many slices as the condition, which is fed, lets through"},
	{"test_constantofshape_*", "the shape is fed"},
	{"test_expand_dim_*", "the shape is fed"},
	{"test_expand_shape_model*", "the shape is fed"},
	{"test_reshape_*", "the shape is fed"},
	{"test_maxunpool_export_with_output_shape", "the shape is fed"},
	{"test_loop11", "the number of trips is fed"},
	{"test_range_*", "the limits are fed"},
	{"test_nonmaxsuppression_*", "there are as many boxes as are selected"},
	{"test_nonzero_*", "there are as many columns as elements other than zero"},
	{"test_unique_*", "there are as many as are different"},
	{"test_onehot_*", "the depth is fed"},
	{"test_*_pad", "the pads are fed"},
	{"test_reduce_sum_[^s]*", "the axes are fed"},
	{"test_squeeze_negative_axes", "the axes are fed"},
	{"test_unsqueeze_*", "the axes are fed"},
	{"test_resize_*", "scales or sizes are fed"},
	{"test_upsample_nearest", "the scales are fed"},
	{"test_slice*", "starts and ends are fed"},
	{"test_split_variable_parts_*", "the sizes are fed"},
	{"test_split_zero_size_splits", "the sizes are fed"},
	{"test_stft*", "the step is fed"},
	{"test_strnormalizer_*", "there are as many strings as are not dropped"},
	{"test_strnorm_model_*", "there are as many strings as are not dropped"},
	{"test_tile*", "the repeats are fed"},
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
