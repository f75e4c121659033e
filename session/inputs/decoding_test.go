package inputs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// joined is a decoder layer that joins the past with the new keys and values.
const joined = `
	input ids i64[n,i]
	input mask f32[n,k]
	input e f32[n,2,j,8]
	input f f32[n,2,j,8]
	init table f32[50,16] 0.5
	init w f32[16,16] 0.1
	init u f32[16,50] 0.1
	init heads i64[4] 0 0 2 8
	init flat i64[3] 0 0 16
	init one i64[2] 1 2
	x = Gather(table, ids)
	q = MatMul(x, w)
	r = Reshape(q, heads)
	t = Transpose(r) perm=[0,2,1,3]
	g = Concat(e, t) axis=2
	h = Concat(f, t) axis=2
	gt = Transpose(g) perm=[0,1,3,2]
	s = MatMul(t, gt)
	m = Unsqueeze(mask, one)
	sm = Add(s, m)
	p = Softmax(sm)
	c = MatMul(p, h)
	ct = Transpose(c) perm=[0,2,1,3]
	cr = Reshape(ct, flat)
	y = MatMul(cr, u)
	output y f32[n,i,50]
	output g f32[n,2,k,8]
	output h f32[n,2,k,8]
`

// shapesOf returns the sizes of an input in the cases, by the name of the case.
func shapesOf(t *testing.T, model, input string, families ...Family) (map[string][]int64, Cases) {
	t.Helper()
	m := graphtest.Model(t, model)
	cases, err := Prepare(graphops.NamedTypes(m.Graph().FeedInputs()), Request{Families: families, Options: Options{Model: m}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int64{}
	for _, c := range cases.Cases {
		out[c.Name] = c.Feeds[input].Tensor.Shape
	}
	return out, cases
}

// TestDecoding: a model with a cache is run without a past, with several tokens after a past, and with
// one. GroupQueryAttention takes several tokens with a past of one sequence only.
func TestDecoding(t *testing.T) {
	for name, c := range map[string]struct{ model, ids, past, want string }{
		"joined":  {joined, "ids", "e", "continued, 4 tokens after 5: [4 4] [4 2 5 8]; decode, 1 token after 9: [3 1] [3 2 9 8]; prefill, 7 tokens after 0: [4 7] [4 2 0 8]"},
		"grouped": {unnamed, "a", "e", "continued, 4 tokens after 5: [1 4] [1 2 5 8]; decode, 1 token after 9: [3 1] [3 2 9 8]; prefill, 7 tokens after 0: [4 7] [4 2 0 8]"},
	} {
		ids, _ := shapesOf(t, c.model, c.ids, Prefill, Continued, Decode)
		past, _ := shapesOf(t, c.model, c.past, Prefill, Continued, Decode)
		var got []string
		for of := range ids {
			got = append(got, fmt.Sprintf("%s: %v %v", of, ids[of], past[of]))
		}
		slices.Sort(got)
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: got %s, want %s", name, s, c.want)
		}
	}
	if got, cases := shapesOf(t, "input x f32[n,4]\ny = Neg(x)\noutput y f32[n,4]", "x", Prefill, Continued, Decode); len(got) > 0 || len(cases.Notes) > 0 {
		t.Errorf("a model without a cache has cases %v and notes %q", got, cases.Notes)
	}
}

// TestPaddings: padding is at the end and at the beginning, unless an operator reads the mask as
// lengths. The positions that it leaves out are known.
func TestPaddings(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		want  []string
	}{"joined": {joined, []string{"padding at the end", "padding at the beginning"}}, "grouped": {unnamed, []string{"padding at the end"}}} {
		_, cases := shapesOf(t, c.model, "e", Masks)
		var got []string
		for _, one := range cases.Cases {
			got = append(got, one.Name)
			m := one.Counted
			if m == nil || !slices.Contains(m.At, true) || m.At[m.Positions-1] != strings.HasSuffix(one.Name, "beginning") {
				t.Errorf("%s, %s: %+v", name, one.Name, m)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
