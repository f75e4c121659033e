package simplify

import (
	"strings"
	"testing"
)

// matMulAdd is a product of matrices and a sum.
const matMulAdd = `
	input x f32[n,2]
	init w f32[2,3] 1 2 3 4
	init c f32[3] 10 20 30
	fc/MatMul: h = MatMul(x, w)
	fc/Add: y = Add(h, c)
	output y f32[n,3]`

func TestFuseGemm(t *testing.T) {
	want := []string{"fc/Gemm: y = Gemm(x, w, c)"}
	testProducts(t, "fuse-gemm", map[string]productCase{
		"vector":      {text: matMulAdd, want: want},
		"first":       {text: strings.Replace(matMulAdd, "h, c", "c, h", 1), want: want},
		"row":         {text: strings.Replace(matMulAdd, "c f32[3]", "c f32[1,3]", 1), want: want},
		"one":         {text: strings.Replace(matMulAdd, "c f32[3]", "c f32[]", 1), want: want},
		"column":      {text: strings.Replace(matMulAdd, "init c f32[3] 10 20 30", "input c f32[n,1]", 1), want: want},
		"matrix":      {text: strings.Replace(matMulAdd, "init c f32[3] 10 20 30", "input c f32[n,3]", 1), want: want},
		"no constant": {text: strings.Replace(matMulAdd, "init w f32[2,3] 1 2 3 4", "input w f32[2,3]", 1), want: want},
		"two products": {text: `
			input x f32[n,2]
			input w f32[2,3]
			h = MatMul(x, w)
			g = MatMul(x, w)
			y = Add(h, g)
			output y f32[n,3]`, want: []string{"g = MatMul(x, w)", "y = Gemm(x, w, g)"}},
		// Near misses.
		"rank 3":              {text: strings.ReplaceAll(matMulAdd, "[n,", "[m,n,")},
		"unknown rank":        {text: strings.Replace(matMulAdd, "input x f32[n,2]", "input x f32", 1)},
		"vector of it":        {text: strings.ReplaceAll(strings.Replace(matMulAdd, "[n,2]", "[2]", 1), "[n,3]", "[3]")},
		"another size":        {text: strings.Replace(matMulAdd, "init c f32[3] 10 20 30", "input c f32[m,3]", 1), why: "shape of the product"},
		"unknown size":        {text: strings.Replace(matMulAdd, "init c f32[3] 10 20 30", "input c f32[?,3]", 1), why: "shape of the product"},
		"repeats the product": {text: strings.ReplaceAll(strings.Replace(matMulAdd, "c f32[3] 10 20 30", "c f32[5,3] 1", 1), "[n,", "[1,"), why: "shape of the product"},
		"one more axis":       {text: strings.Replace(matMulAdd, "c f32[3]", "c f32[1,1,3]", 1), why: "shape of the product"},
		"another reader":      {text: matMulAdd + "\n output h f32[n,3]", why: "read elsewhere"},
		"integers":            {text: strings.ReplaceAll(matMulAdd, "f32", "i32")},
		"of an older version": {text: "opset 6\n" + matMulAdd},
		"brain floats":        {text: strings.ReplaceAll(matMulAdd, "f32", "bf16")},
		"a difference":        {text: strings.Replace(matMulAdd, "= Add", "= Sub", 1)},
		"twice the product":   {text: strings.Replace(matMulAdd, "h, c", "h, h", 1), why: "read elsewhere"},
		"dequantized": {text: strings.Replace(matMulAdd, "init w f32[2,3] 1 2 3 4", `
			init q i8[2,3] 1 2 3 4
			init s f32[] 1
			w = DequantizeLinear(q, s)`, 1)},
	})
}

func TestFoldTransposeGemm(t *testing.T) {
	const text = `
		input x f32[2,n]
		input w f32[2,3]
		a = Transpose(x) perm=[1,0]
		y = Gemm(a, w)
		output y f32[n,3]`
	testProducts(t, "fold-transpose-gemm", map[string]productCase{
		"first":      {text: text, want: []string{"y = Gemm(x, w) transA=1"}},
		"no perm":    {text: strings.Replace(text, "perm=[1,0]", "", 1), want: []string{"y = Gemm(x, w) transA=1"}},
		"back again": {text: strings.Replace(strings.Replace(text, "[2,n]", "[n,2]", 1), "Gemm(a, w)", "Gemm(a, w) transA=1", 1), want: []string{"y = Gemm(x, w) transA=0"}},
		"both": {text: `
			input x f32[2,n]
			input w f32[3,2]
			a = Transpose(x) perm=[1,0]
			b = Transpose(w) perm=[1,0]
			y = Gemm(a, b)
			output y f32[n,3]`, want: []string{"y = Gemm(x, w) transA=1 transB=1"}},
		// Near misses.
		"stays as it is": {text: strings.Replace(strings.Replace(text, "[2,n]", "[n,2]", 1), "[1,0]", "[0,1]", 1)},
		"another reader": {text: text + "\n output a f32[n,2]"},
		"both the same": {text: `
			input x f32[2,2]
			a = Transpose(x) perm=[1,0]
			y = Gemm(a, a)
			output y f32[2,2]`},
		"added": {text: `
			input x f32[2,2]
			input w f32[2,2]
			a = Transpose(x) perm=[1,0]
			y = Gemm(x, w, a)
			output y f32[2,2]`},
	})
}
