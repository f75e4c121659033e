package shape_test

import "testing"

// TestReshapeBySmallSizes has elements of the new shape that may be 0, which copies an
// axis, or -1, which takes the rest: they tell a size only where it is that in both
// readings.
func TestReshapeBySmallSizes(t *testing.T) {
	const sizes = `
		init first i64[1] 0
		init one i64[1] 1
		init two i64[1] 2
		init four i64[1] 4
		init rest i64[1] -1
		s = Shape(x)
		n = Slice(s, first, one)
		less = Sub(n, one)
		least = Sub(n, two)
		half = Div(n, two)
	`
	check(t, []example{
		{
			name: "an axis less", model: "input x f32[n,4]" + sizes + "t = Concat(less, rest) axis=0\ny = Reshape(x, t)\nz = Reshape(x, t) allowzero=1",
			want: map[string]string{"t": "i64 2 = [n-1 -1]", "y": "f32 ?×?", "z": "f32 (n-1)×floor(4*n/(n-1))"},
		},
		{
			name: "two less may be -1", model: "input x f32[n,4]" + sizes + "t = Concat(least, rest) axis=0\ny = Reshape(x, t) allowzero=1",
			want: map[string]string{"y": "f32 ?×?"},
		},
		{
			name: "the same axis has it", model: "input x f32[n,4]" + sizes + "e = Slice(x, one, n)\nt = Concat(less, two, rest) axis=0\ny = Reshape(e, t)",
			want: map[string]string{"e": "f32 (n-1)×4", "y": "f32 (n-1)×2×2"},
		},
		{
			name: "the others leave it", model: "input x f32[n,4]" + sizes + "e = Slice(x, one, n)\nt = Concat(two, two, less) axis=0\ny = Reshape(e, t)",
			want: map[string]string{"y": "f32 2×2×(n-1)"},
		},
		{
			name: "the others leave something else", model: "input x f32[n,m,2]" + sizes + "t = Concat(half, four) axis=0\ny = Reshape(x, t)",
			want:    map[string]string{"y": "f32 floor(m*n/2)×4"},
			demands: []string{"2*m*n = 4*floor(n/2)", "2 divides m*n"},
		},
		{
			name: "another number of elements", model: "input x f32[n,4]" + sizes + "t = Concat(less, four) axis=0\ny = Reshape(x, t)",
			problems: []string{"has 4*n elements, but the new shape has 4*n-4"}, demands: []string{"4*n = 4*n-4"},
		},
		{
			name: "at least 1", model: "input x f32[n,4]" + sizes + "more = Add(n, one)\nt = Concat(more, rest) axis=0\ny = Reshape(x, t)",
			want:    map[string]string{"y": "f32 (n+1)×floor(4*n/(n+1))"},
			demands: []string{"n+1 divides 4*n"},
		},
	})
}
