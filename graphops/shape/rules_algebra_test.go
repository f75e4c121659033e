package shape_test

import "testing"

func TestEinsum(t *testing.T) {
	const inputs = `
		input a f32[batch,n,k]
		input b f32[batch,k,m]
		input r f32
		input s f32[n,n]
		input one f32[1,5]
	`
	check(t, []example{
		{name: "products", model: inputs + `
			batched = Einsum(a, b) equation='bij,bjk->bik'
			turned = Einsum(a) equation=' b i j -> j b i '
			sum = Einsum(a) equation='bij->'
			implicit = Einsum(a, b) equation='zij,zjk'
			trace = Einsum(s) equation='ii'
			diagonal = Einsum(s) equation='ii->i'
			spread = Einsum(one, a) equation='ab,abc->abc'
		`, want: map[string]string{
			"batched": "f32 batch×n×m", "turned": "f32 k×batch×n", "sum": "f32 scalar", "implicit": "f32 n×m", "trace": "f32 scalar", "diagonal": "f32 n",
			"spread": "f32 batch×5×k",
		}, demands: []string{"5 = n"}},
		{name: "an ellipsis", model: inputs + `
			batched = Einsum(a, b) equation='...ij,...jk->...ik'
			implicit = Einsum(a, b) equation='...ij,...jk'
			front = Einsum(a) equation='b...->...b'
			spread = Einsum(one, s) equation='...,...'
			none = Einsum(s) equation='...ij->ij'
		`, want: map[string]string{"batched": "f32 batch×n×m", "implicit": "f32 batch×n×m", "front": "f32 n×k×batch", "spread": "f32 n×5", "none": "f32 n×n"}, demands: []string{"5 = n"}},
		{name: "an input whose rank is not known", model: inputs + `
			letters = Einsum(r, s) equation='ij,jk->ik'
			axes = Einsum(r) equation='...i->...'
			told = Einsum(r, a) equation='...i,...i->...'
		`, want: map[string]string{"letters": "f32 ?×n", "axes": "f32 ?", "told": "f32 ?×?"}},
		{name: "sizes that do not go together", model: `
			input a f32[2,3]
			input b f32[4,5]
			y = Einsum(a, b) equation='ij,jk->ik'
			z = Einsum(a) equation='ii->i'
		`, want: map[string]string{"y": "f32 2×5"}, problems: []string{"do not broadcast: axis 1, which is 3, and axis 0, which is 4", "2, and axis 1, which is 3, should be equal"}},
		{name: "equations that do not fit", model: inputs + `
			a1 = Einsum(a) equation='ij,jk->ik'
			a2 = Einsum(a) equation='ij->i'
			a3 = Einsum(a) equation='bij->bb'
			a4 = Einsum(a) equation='bij->z'
			a5 = Einsum(a) equation='b*j->b'
			a6 = Einsum(a) equation='b.j->b'
			a7 = Einsum(a) equation='...b...->b'
			a8 = Einsum(a) equation='...b->b'
			a9 = Einsum(a, s) equation='...b,...b->...'
			a0 = Einsum(a)
		`, want: map[string]string{"a1": "f32 ?"}, problems: []string{
			"it has 2 terms, but the node has 1 inputs", `should have the axes "ij"`, "has 'b' twice", "no input has the letter 'z'", "'*' is not a letter", "'.' is not a letter",
			"more than one ellipsis", "omits the axes", "stands for 1 axes", `should have the axes ""`,
		}},
	})
}

func TestDet(t *testing.T) {
	check(t, []example{
		{name: "of each matrix", model: `
			opset 22
			input x f32[batch,n,n]
			input m f32[3,3]
			y = Det(x)
			z = Det(m)
		`, want: map[string]string{"y": "f32 batch", "z": "f32 scalar"}},
		{name: "of what is not square", model: `
			input x f32[batch,2,3]
			input v f32[3]
			y = Det(x)
			z = Det(v)
		`, want: map[string]string{"y": "f32 batch", "z": "f32 ?"}, problems: []string{"should be equal", "should have at least rank 2"}},
	})
}
