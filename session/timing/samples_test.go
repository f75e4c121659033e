package timing

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

func TestSamplesOfATarget(t *testing.T) {
	for _, c := range []struct {
		name, text string
		asked      int64
		shapes     map[string][]int64
		want       int64
	}{
		{"data of a free axis", "input x f32[batch,4]\ny = Neg(x)\noutput y f32[batch,4]", 0, map[string][]int64{"x": {64, 4}}, 64},
		{"as asked", "input x f32[batch,4]\ny = Neg(x)\noutput y f32[batch,4]", 8, map[string][]int64{"x": {8, 4}}, 8},
		{"a batch behind the sequence", "input x f32[seq,batch,4]\ny = Neg(x)\noutput y f32[seq,batch,4]", 0, map[string][]int64{"x": {9, 3, 4}}, 3},
		{"a length does not count", "input x f32[length,4]\ny = Neg(x)\noutput y f32[length,4]", 0, map[string][]int64{"x": {64, 4}}, 1},
		{"two inputs that differ", "input x f32[batch,4]\ninput k f32[n,4]\ny = Neg(x)\nz = Neg(k)\noutput y f32[batch,4]\noutput z f32[n,4]", 0, map[string][]int64{"x": {64, 4}, "k": {5, 4}}, 1},
		{"fixed at one", "input x f32[1,4]\ny = Neg(x)\noutput y f32[1,4]", 0, map[string][]int64{"x": {1, 4}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Subject{batch: c.asked, feeds: graphops.Feeds{}}
			for name, shape := range c.shapes {
				s.feeds[name] = graphops.TensorValue(tensor.Tensor{DType: tensor.F32, Shape: shape})
			}
			s.counted = samplesIn(graphtest.Model(t, c.text), s)
			if got := s.samples(); got != c.want {
				t.Errorf("%d samples, expected %d", got, c.want)
			}
		})
	}
}
