package simplify

import (
	"strings"
	"testing"
)

// scaledConv is a convolution times 10 and 20.
const scaledConv = `
	input x f32[1,2,5,5]
	init w f32[2,2,1,1] 1 2 3 4
	init b f32[2] 5 6
	init s f32[2,1,1] 10 20
	h = Conv(x, w, b)
	y = Mul(h, s)
	output y f32[1,2,5,5]`

func TestFoldScale(t *testing.T) {
	folded := []string{"y = Conv(x, w, b)"}
	testProducts(t, "fold-scale", map[string]productCase{
		"channels": {text: scaledConv, want: folded, constants: map[string][]float64{"w": {10, 20, 60, 80}, "b": {50, 120}}},
		"first":    {text: strings.Replace(scaledConv, "h, s", "s, h", 1), want: folded, constants: map[string][]float64{"b": {50, 120}}},
		"all axes": {text: strings.Replace(scaledConv, "s f32[2,1,1]", "s f32[1,2,1,1]", 1), want: folded, constants: map[string][]float64{"b": {50, 120}}},
		"scalar":   {text: strings.Replace(scaledConv, "s f32[2,1,1] 10 20", "s f32[] 2", 1), want: folded, constants: map[string][]float64{"w": {2, 4, 6, 8}, "b": {10, 12}}},
		"zero":     {text: strings.Replace(scaledConv, "10 20", "0 20", 1), want: folded, constants: map[string][]float64{"w": {0, 0, 60, 80}}},
		"div":      {text: strings.Replace(scaledConv, "Mul(", "Div(", 1), want: folded, constants: map[string][]float64{"b": {0.5, 0.3}}},
		"three in a row": {text: scaledConv + `
			u = Mul(y, s)
			v = Div(u, s)
			output v f32[1,2,5,5]`, want: []string{"y = Conv(x, w, b)", "u = Mul(y, s)", "v = Div(u, s)"}, why: "also read its input"},
		"many in a row": {text: strings.Replace(scaledConv, "y = Mul(h, s)", `
			u = Mul(h, s)
			v = Div(u, s)
			y = Mul(v, s)`, 1), want: folded, constants: map[string][]float64{"w": {10, 20, 60, 80}, "b": {50, 120}}},
		"matmul of rank 3, with a sum in between": {
			text: `
			input x f32[n,m,2]
			init w f32[2,2] 1 2 3 4
			init b f32[2] 5 6
			init s f32[1,1,2] 10 20
			h = MatMul(x, w)
			g = Add(b, h)
			y = Mul(g, s)
			output y f32[n,m,2]`,
			want:      []string{"h = MatMul(x, w)", "y = Add(b, h)"},
			constants: map[string][]float64{"w": {10, 40, 30, 80}, "b": {50, 120}},
		},
		"batch normalization": {
			text: `
			input x f32[1,2,5,5]
			init a f32[2] 1 2
			init b f32[2] 5 6
			init one f32[2] 1
			init s f32[2,1,1] 10 20
			h = BatchNormalization(x, a, b, one, one)
			y = Mul(h, s)
			output y f32[1,2,5,5]`,
			want:      []string{"y = BatchNormalization(x, a, b, one, one)"},
			constants: map[string][]float64{"a": {10, 40}, "b": {50, 120}},
		},
		"half precision": {text: strings.ReplaceAll(scaledConv, "f32", "f16"), want: folded, constants: map[string][]float64{"w": {10, 20, 60, 80}}},
	})
}

func TestFoldScaleNearMisses(t *testing.T) {
	testProducts(t, "fold-scale", map[string]productCase{
		"columns of the image":  {text: strings.Replace(scaledConv, "s f32[2,1,1] 10 20", "s f32[5] 1 2 3 4 5", 1), why: "each channel"},
		"last axis of the size": {text: strings.ReplaceAll(strings.Replace(scaledConv, "s f32[2,1,1]", "s f32[2]", 1), "5,5", "5,2"), why: "each channel"},
		"one more axis":         {text: strings.Replace(scaledConv, "s f32[2,1,1]", "s f32[1,1,2,1,1]", 1), why: "each channel"},
		"a batch of constants":  {text: strings.Replace(scaledConv, "s f32[2,1,1]", "s f32[2,1,1,1]", 1), why: "each channel"},
		"more channels": {text: `
			input x f32[1,2,5,5]
			init w f32[1,2,1,1] 1 2
			init s f32[2,1,1] 10 20
			h = Conv(x, w)
			y = Mul(h, s)
			output y f32[1,2,5,5]`, why: "each channel"},
		"one over it":         {text: strings.Replace(scaledConv, "Mul(h, s)", "Div(s, h)", 1)},
		"by zero":             {text: strings.Replace(strings.Replace(scaledConv, "Mul(", "Div(", 1), "10 20", "0 20", 1), why: "+Inf"},
		"overflow":            {text: strings.Replace(strings.Replace(strings.ReplaceAll(scaledConv, "f32", "f16"), "10 20", "20000 20000", 1), "w, b", "w", 1), why: "beyond the range"},
		"of the bias":         {text: strings.Replace(strings.ReplaceAll(scaledConv, "f32", "f16"), "10 20", "1 11000", 1), why: "bias would be"},
		"too small":           {text: strings.Replace(strings.ReplaceAll(scaledConv, "f32", "f16"), "10 20", "0.00001 1", 1), why: "too small"},
		"nothing constant":    {text: strings.Replace(scaledConv, "init s f32[2,1,1] 10 20", "input s f32[2,1,1]", 1)},
		"of an older version": {text: "opset 6\n" + scaledConv},
		"a square":            {text: strings.Replace(scaledConv, "h, s", "h, h", 1)},
		"the matrix is first": {text: `
			input x f32[2,n]
			init w f32[2,2] 1 2 3 4
			init s f32[2,1] 10 20
			h = MatMul(w, x)
			y = Mul(h, s)
			output y f32[2,n]`},
		"a batch of matrices": {text: `
			input x f32[3,2,2]
			init w f32[3,2,2] 1 2 3 4
			init s f32[2] 10 20
			h = MatMul(x, w)
			y = Mul(h, s)
			output y f32[3,2,2]`},
		"no weights": {text: `
			input x f32[1,2]
			init w f32[2,0]
			init s f32[] 10
			h = MatMul(x, w)
			y = Mul(h, s)
			output y f32[1,0]`},
		"integers": {text: `
			input x i32[1,2]
			init w i32[2,2] 1 2 3 4
			init s i32[] 10
			h = MatMul(x, w)
			y = Mul(h, s)
			output y i32[1,2]`},
		"gemm with a matrix added": {text: `
			input x f32[2,2]
			init w f32[2,2] 1 2 3 4
			init c f32[2,1] 1 2
			init s f32[] 10
			h = Gemm(x, w, c)
			y = Mul(h, s)
			output y f32[2,2]`, why: "bias is not a constant with a number"},
		"captured": {text: `
			input x f32[1,2]
			input c bool[]
			init w f32[2,2] 1 2 3 4
			init s f32[] 10
			h = MatMul(x, w)
			graph then
			a = Mul(h, s)
			output a f32[1,2]
			end
			graph else
			b = Identity(x)
			output b f32[1,2]
			end
			y = If(c) then_branch=@then else_branch=@else
			output y f32[1,2]`, why: "also read its input"},
	})
}

func TestFoldScaleBefore(t *testing.T) {
	const text = `
		input x f32[1,2,5,5]
		init w f32[2,2,1,1] 1 2 3 4
		init b f32[2] 5 6
		init s f32[2,1,1] 10 20
		h = Mul(x, s)
		y = Conv(h, w, b) pads=[1,1,1,1]
		output y f32[1,2,7,7]`
	folded := []string{"y = Conv(x, w, b) pads=[1,1,1,1]"}
	testProducts(t, "fold-scale-before", map[string]productCase{
		"channels": {text: text, want: folded, constants: map[string][]float64{"w": {10, 40, 30, 80}, "b": {5, 6}}},
		"div":      {text: strings.Replace(text, "Mul(", "Div(", 1), want: folded, constants: map[string][]float64{"w": {0.1, 0.1, 0.3, 0.2}}},
		"scalar":   {text: strings.Replace(text, "s f32[2,1,1] 10 20", "s f32[1] 2", 1), want: folded, constants: map[string][]float64{"w": {2, 4, 6, 8}}},
		"two":      {text: strings.Replace(text, "h = Mul(x, s)", "g = Mul(x, s)\n h = Mul(s, g)", 1), want: folded, constants: map[string][]float64{"w": {100, 800, 300, 1600}}},
		"groups": {
			text: strings.Replace(strings.Replace(text, "w f32[2,2,1,1] 1 2 3 4", "w f32[2,1,1,1] 1 2", 1), "pads=", "group=2 pads=", 1),
			want: []string{"y = Conv(x, w, b) group=2 pads=[1,1,1,1]"}, constants: map[string][]float64{"w": {10, 40}},
		},
		"transposed": {
			text: strings.Replace(text, "= Conv(", "= ConvTranspose(", 1), want: []string{"y = ConvTranspose(x, w, b) pads=[1,1,1,1]"},
			constants: map[string][]float64{"w": {10, 20, 60, 80}},
		},
		// Near misses.
		"a sum":                {text: strings.Replace(text, "Mul(", "Add(", 1)},
		"one over it":          {text: strings.Replace(text, "Mul(x, s)", "Div(s, x)", 1)},
		"repeats the channels": {text: strings.Replace(text, "input x f32[1,2,5,5]", "input x f32[1,1,5,5]", 1), why: "each channel"},
		"adds an axis":         {text: strings.Replace(strings.Replace(text, "input x f32[1,2,5,5]", "input x f32[2,5,5]", 1), "s f32[2,1,1]", "s f32[1,2,1,1]", 1), why: "each channel"},
		"unknown channels":     {text: strings.Replace(text, "input x f32[1,2,5,5]", "input x f32[1,c,5,5]", 1), why: "each channel"},
		"another reader":       {text: text + "\n output h f32[1,2,5,5]", why: "read elsewhere"},
		"weights of it":        {text: strings.Replace(text, "Conv(h, w, b)", "Conv(h, h, b)", 1)},
		"too large":            {text: strings.Replace(text, "10 20", "2e38 1", 1), why: "beyond the range"},
	})
}

func TestFoldShift(t *testing.T) {
	text := strings.Replace(scaledConv, "Mul(", "Add(", 1)
	folded := []string{"y = Conv(x, w, b)"}
	without := strings.Replace(text, "w, b", "w", 1)
	testProducts(t, "fold-shift", map[string]productCase{
		"channels":                     {text: text, want: folded, constants: map[string][]float64{"w": {1, 2, 3, 4}, "b": {15, 26}}},
		"no bias":                      {text: without, want: []string{"y = Conv(x, w, w_bias)"}, constants: map[string][]float64{"w_bias": {10, 20}}},
		"scalar":                       {text: strings.Replace(without, "s f32[2,1,1] 10 20", "s f32[] 2", 1), want: []string{"y = Conv(x, w, w_bias)"}, constants: map[string][]float64{"w_bias": {2, 2}}},
		"sub":                          {text: strings.Replace(text, "Add(", "Sub(", 1), want: folded, constants: map[string][]float64{"w": {1, 2, 3, 4}, "b": {-5, -14}}},
		"taken from":                   {text: strings.Replace(text, "Add(h, s)", "Sub(s, h)", 1), want: folded, constants: map[string][]float64{"w": {-1, -2, -3, -4}, "b": {5, 14}}},
		"an integer domain of its own": {text: strings.Replace("opset 17\nopset my 1\n"+text, "y = Add", "y = my::Add", 1)},
		"gemm": {text: `
			input x f32[n,2]
			init w f32[2,2] 1 2 3 4
			init s f32[1,2] 10 20
			h = Gemm(x, w)
			y = Add(s, h)
			output y f32[n,2]`, want: []string{"y = Gemm(x, w, w_bias)"}, constants: map[string][]float64{"w_bias": {10, 20}}},
		"matmul and two sums": {text: `
			input x f32[n,2,2]
			init w f32[2,2] 1 2 3 4
			init s f32[2] 10 20
			init r f32[2] 1 2
			g = MatMul(x, w)
			h = Add(g, s)
			y = Add(r, h)
			output y f32[n,2,2]`, want: []string{"g = MatMul(x, w)", "y = Add(g, s)"}, constants: map[string][]float64{"s": {11, 22}}},
		// Near misses.
		"columns":   {text: strings.Replace(text, "s f32[2,1,1] 10 20", "s f32[5] 1", 1), why: "each channel"},
		"an image":  {text: strings.Replace(text, "s f32[2,1,1] 10 20", "s f32[1,2,5,5] 1", 1), why: "each channel"},
		"an input":  {text: strings.Replace(text, "init s f32[2,1,1] 10 20", "input s f32[2,1,1]", 1)},
		"no growth": {text: without, growth: 1, want: []string{"y = Conv(x, w, w_bias)"}},
		"growth":    {text: strings.Replace(without, "s f32[2,1,1] 10 20", "s f32[] 2", 1), growth: 1, why: "larger"},
		"rows": {text: `
			input x f32[2,2]
			init w f32[2,2] 1 2 3 4
			init s f32[2,1] 10 20
			h = Gemm(x, w)
			y = Add(s, h)
			output y f32[2,2]`, why: "each channel"},
		"matmul alone": {text: `
			input x f32[n,2,2]
			init w f32[2,2] 1 2 3 4
			init s f32[2] 10 20
			g = MatMul(x, w)
			y = Add(g, s)
			output y f32[n,2,2]`},
	})
}
