package inputs

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestExpressionSizes checks the size of an axis that is an expression. It follows from the sizes
// of the symbols. It can also be given for the expression, as written in the file or in a message.
func TestExpressionSizes(t *testing.T) {
	m := graphtest.Model(t, "input x f32[floor(2.0*h),w]\ninput past f32[past+1,w]\ny = Relu(x)\nz = Relu(past)")
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	for name, c := range map[string]struct {
		dims    map[string]int64
		said    []string
		x, past []int64
		err     string
	}{
		"symbols":                {dims: map[string]int64{"h": 2, "past": 0, "w": 3}, x: []int64{4, 3}, past: []int64{1, 3}},
		"as shown":               {dims: map[string]int64{"2*h": 6, "past+1": 4, "w": 1}, x: []int64{6, 1}, past: []int64{4, 1}},
		"as in the file":         {dims: map[string]int64{"floor(2.0*h)": 6, "past": 2, "w": 1}, x: []int64{6, 1}, past: []int64{3, 1}},
		"that no symbol gives":   {dims: map[string]int64{"2*h": 5, "past": 2, "w": 1}, x: []int64{5, 1}, past: []int64{3, 1}},
		"unknown":                {dims: map[string]int64{"q": 5}, err: `no input has a dimension "q"; there are "2*h", "h", "past", "past+1", "w"`},
		"the name of an axis":    {dims: map[string]int64{"x:0": 5}, err: `axis 0 of input "x" is called "2*h": --dim 2*h=5`},
		"against a value":        {dims: map[string]int64{"h": 3}, said: []string{"x=f32[4,1]{1,2,3,4}"}, err: `dimension "2*h" is 6 by --dim, but 4 in the value of input "x"; leave one of them out`},
		"as a value has it":      {dims: map[string]int64{"h": 2, "past": 1}, said: []string{"x=f32[4,1]{1,2,3,4}"}, x: []int64{4, 1}, past: []int64{2, 1}},
		"of the text as a value": {dims: map[string]int64{"2*h": 4, "past": 1}, said: []string{"x=f32[4,1]{1,2,3,4}"}, x: []int64{4, 1}, past: []int64{2, 1}},
	} {
		r := Request{Said: c.said, Seeds: 1}
		r.Model, r.Dims = m, c.dims
		got, err := Prepare(types, r)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %q", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		feeds := got.Cases[0].Feeds
		if x, past := feeds["x"].Tensor.Shape, feeds["past"].Tensor.Shape; !slices.Equal(x, c.x) || !slices.Equal(past, c.past) {
			t.Errorf("%s: x is %v and past %v, want %v and %v", name, x, past, c.x, c.past)
		}
	}
}

// TestSizesOfGivenValue checks that a given value determines the symbol in its size, also for the
// generated inputs.
func TestSizesOfGivenValue(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2*h]\ninput k f32[h]\ny = Relu(x)\nz = Relu(k)")
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	r := Request{Said: []string{"x=f32[6]{1,2,3,4,5,6}"}, Seeds: 1}
	r.Model = m
	got, err := Prepare(types, r)
	if err != nil {
		t.Fatal(err)
	}
	if k := got.Cases[0].Feeds["k"].Tensor.Shape; !slices.Equal(k, []int64{3}) {
		t.Errorf("k is %v, want 3", k)
	}
}
