package simplify

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// batchNorm is a convolution of two channels and a BatchNormalization with the scales
// 2 and 3 and the shifts 2 and 27.
const batchNorm = `
	input x f32[1,2,5,5]
	init w f32[2,2,1,1] 1 2 3 4
	init gamma f32[2] 4 9
	init beta f32[2] 4 -3
	init mean f32[2] 1 -10
	init var f32[2] 3 8
	h = Conv(x, w)
	y = BatchNormalization(h, gamma, beta, mean, var) epsilon=1.0
	output y f32[1,2,5,5]`

func TestFoldBatchNorm(t *testing.T) {
	testProducts(t, "fold-batchnorm", map[string]productCase{
		"conv": {
			text: batchNorm, want: []string{"y = Conv(x, w, w_bias)"},
			constants: map[string][]float64{"w": {2, 4, 9, 12}, "w_bias": {2, 27}},
		},
		"conv with bias": {
			text: strings.Replace(batchNorm, "Conv(x, w)", "Conv(x, w, b)\n init b f32[2] 10 20", 1),
			want: []string{"y = Conv(x, w, b)"}, constants: map[string][]float64{"b": {22, 87}},
		},
		"weights are named so": {
			text: strings.ReplaceAll(strings.ReplaceAll(batchNorm, "init w ", "init fc.weight "), "Conv(x, w)", "Conv(x, fc.weight)"),
			want: []string{"y = Conv(x, fc.weight, fc.bias)"},
		},
		"transposed, with groups": {
			text: `
			input x f32[1,2,5,5]
			init w f32[2,2,1,1] 1 2 3 4
			init gamma f32[4] 2 3 4 5
			init zero f32[4] 0
			init one f32[4] 1
			h = ConvTranspose(x, w) group=2
			y = BatchNormalization(h, gamma, zero, zero, one) epsilon=0.0
			output y f32[1,4,5,5]`,
			want: []string{"y = ConvTranspose(x, w, w_bias) group=2"}, constants: map[string][]float64{"w": {2, 6, 12, 20}, "w_bias": {0, 0, 0, 0}},
		},
		"transposed": {
			text: `
			input x f32[1,2,5,5]
			init w f32[2,2,1,1] 1 2 3 4
			init gamma f32[2] 2 3
			init one f32[2] 1
			h = ConvTranspose(x, w)
			y = BatchNormalization(h, gamma, one, one, one) epsilon=0.0
			output y f32[1,2,5,5]`,
			want: []string{"y = ConvTranspose(x, w, w_bias)"}, constants: map[string][]float64{"w": {2, 6, 6, 12}, "w_bias": {-1, -2}},
		},
		"gemm": {
			text: `
			input x f32[n,2]
			init w f32[2,2] 1 2 3 4
			init c f32[1] 10
			init gamma f32[2] 2 3
			init one f32[2] 1
			h = Gemm(x, w, c) transB=1 alpha=7.0 beta=0.5
			y = BatchNormalization(h, gamma, one, one, one) epsilon=0.0
			output y f32[n,2]`,
			want: []string{"y = Gemm(x, w, c) transB=1 alpha=7 beta=1"}, constants: map[string][]float64{"w": {2, 4, 9, 12}, "c": {9, 13}},
		},
		"matmul": {
			text: `
			input x f32[n,2]
			init w f32[2,2] 1 2 3 4
			init gamma f32[2] 2 3
			init one f32[2] 1
			h = MatMul(x, w)
			y = BatchNormalization(h, gamma, one, one, one) epsilon=0.0
			output y f32[n,2]`,
			want: []string{"y = Gemm(x, w, w_bias)"}, constants: map[string][]float64{"w": {2, 6, 6, 12}, "w_bias": {-1, -2}},
		},
		"another one": {
			text: `
			input x f32[n,2,m]
			init a f32[2] 2 3
			init b f32[2] 5 7
			init one f32[2] 1
			h = BatchNormalization(x, a, b, one, one) epsilon=0.0
			y = BatchNormalization(h, b, a, one, one) epsilon=0.0
			output y f32[n,2,m]`,
			want:      []string{"y = BatchNormalization(x, a, b, one, one) epsilon=0"},
			constants: map[string][]float64{"a": {10, 21}, "b": {22, 45}},
		},
	})
}

func TestFoldBatchNormNearMisses(t *testing.T) {
	node := "BatchNormalization(h, gamma, beta, mean, var) epsilon=1.0"
	testProducts(t, "fold-batchnorm", map[string]productCase{
		"training":                 {text: strings.Replace(batchNorm, node, node+" training_mode=1", 1), why: "training"},
		"running statistics":       {text: strings.Replace(batchNorm, "y = Batch", "y, m2, v2 = Batch", 1), why: "running statistics"},
		"not spatial":              {text: strings.Replace("opset 7\n"+batchNorm, node, node+" spatial=0", 1), why: "each position"},
		"old, in training":         {text: "opset 6\n" + batchNorm, why: "training"},
		"a negative variance":      {text: strings.Replace(batchNorm, "var f32[2] 3 8", "var f32[2] 3 -1", 1), why: "variance"},
		"infinite factors":         {text: strings.Replace(batchNorm, "gamma f32[2] 4 9\n\tinit beta f32[2] 4 -3\n\tinit mean f32[2] 1 -10", "gamma f32[2] 4 3e38\n init beta f32[2] 0\n init mean f32[2] 0", 1), why: "beyond the range"},
		"infinite weights":         {text: strings.Replace(batchNorm, "w f32[2,2,1,1] 1 2 3 4", "w f32[2,2,1,1] 1 2 3 inf", 1), why: "contains +Inf"},
		"a shift out of range":     {text: strings.Replace(batchNorm, "mean f32[2] 1 -10", "mean f32[2] 1 -3e38", 1), why: "bias would be"},
		"tiny factors":             {text: strings.Replace(batchNorm, "gamma f32[2] 4 9", "gamma f32[2] 4 1e-40", 1), why: "too small"},
		"an output in between":     {text: batchNorm + "\n output h f32[1,2,5,5]", why: "also read its input"},
		"another reader":           {text: batchNorm + "\n z = Relu(h)\n output z f32[1,2,5,5]", why: "also read its input"},
		"weights that are fed":     {text: strings.Replace(batchNorm, "init w f32[2,2,1,1] 1 2 3 4", "input w f32[2,2,1,1]", 1)},
		"weights with a default":   {text: batchNorm + "\n input w f32[2,2,1,1]"},
		"a mean that is fed":       {text: strings.Replace(batchNorm, "init mean f32[2] 1 -10", "input mean f32[2]", 1), why: "not constants"},
		"a bias that is fed":       {text: strings.Replace(batchNorm, "Conv(x, w)", "Conv(x, w, b)\n input b f32[2]", 1), why: "bias is not a constant"},
		"parameters of one":        {text: strings.Replace(batchNorm, "init beta f32[2] 4 -3", "init beta f32[1] 4", 1), why: "each channel"},
		"shared weights, no room":  {text: strings.Replace(batchNorm, "w f32[2,2,1,1]", "w f32[2,2,3,3]", 1) + "\n z = Conv(x, w)\n output z f32[1,2,3,3]", why: "stored twice", growth: 1},
		"an operator of a library": {text: strings.Replace("opset 17\nopset my 1\n"+batchNorm, "h = Conv", "h = my::Conv", 1)},
		"dequantized weights": {text: strings.Replace(batchNorm, "init w f32[2,2,1,1] 1 2 3 4", `
			init q i8[2,2,1,1] 1 2 3 4
			init s f32[] 1
			w = DequantizeLinear(q, s)`, 1)},
		"the axis of a product of rank 3": {text: `
			input x f32[1,2,2]
			init w f32[2,2] 1 2 3 4
			init one f32[2] 1
			h = MatMul(x, w)
			y = BatchNormalization(h, one, one, one, one)
			output y f32[1,2,2]`, why: "another axis"},
		"a product of unknown rank": {text: `
			input x f32
			init w f32[2,2] 1 2 3 4
			init one f32[2] 1
			h = MatMul(x, w)
			y = BatchNormalization(h, one, one, one, one)
			output y f32`},
	})
}

// TestSharedWeights looks at weights of two convolutions, which are stored twice where
// there is room, and by then belong to one each.
func TestSharedWeights(t *testing.T) {
	testProducts(t, "fold-batchnorm", map[string]productCase{
		"two": {
			text: batchNorm + `
			k = Conv(x, w)
			z = BatchNormalization(k, beta, gamma, mean, var) epsilon=1.0
			output z f32[1,2,5,5]`,
			want:      []string{"y = Conv(x, w__1, w_bias)", "z = Conv(x, w, w_bias__1)"},
			constants: map[string][]float64{"w__1": {2, 4, 9, 12}, "w": {2, 4, -3, -4}, "w_bias__1": {2, -1}},
		},
		"in a body": {
			text: `
			input x f32[1,2,5,5]
			input c bool[]
			init w f32[2,2,1,1] 1 2 3 4
			init one f32[2] 1
			graph then
			h = Conv(x, w)
			a = BatchNormalization(h, one, one, one, one) epsilon=3.0
			output a f32[1,2,5,5]
			end
			graph else
			b = Conv(x, w)
			output b f32[1,2,5,5]
			end
			y = If(c) then_branch=@then else_branch=@else
			output y f32[1,2,5,5]`,
			want:      []string{"y = If(c) then_branch=kind(5) else_branch=kind(5)", "  a = Conv(x, w__1, w_bias)", "  b = Conv(x, w)"},
			constants: map[string][]float64{"w": {1, 2, 3, 4}, "w__1": {0.5, 1, 1.5, 2}, "w_bias": {0.5, 0.5}},
		},
	})
}

// TestFoldInFunction looks at a function, which keeps constants in nodes.
func TestFoldInFunction(t *testing.T) {
	m := graphtest.Model(t, `
		opset 17
		opset local 1
		input x f32[1,2,5,5]
		function local Twice(v) -> (u)
		w = Constant() value={f32[2,2,1,1] 1 2 3 4}
		one = Constant() value={f32[2] 1}
		h = Conv(v, w)
		u = BatchNormalization(h, one, one, one, one)
		end
		y = local::Twice(x)
		output y f32[1,2,5,5]`)
	out, _ := simplified(t, m, onlyPasses(foldBatchNorm))
	var ops []string
	for _, n := range out.Functions()[0].Graph().Nodes() {
		ops = append(ops, n.OpType())
	}
	if want := []string{"Constant", "Constant", "Conv"}; !slices.Equal(ops, want) {
		t.Errorf("%v, want %v", ops, want)
	}
}
