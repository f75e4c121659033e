package rewrite

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

func TestPut(t *testing.T) {
	source := graphtest.Model(t, `
		input x f32[2]
		init c f32[] 1
		a = Add(x, c)
		y = Mul(a, c)
		output y f32[2]`)
	m, err := Load(source)
	if err != nil {
		t.Fatal(err)
	}
	n := m.Graphs()[0].first
	before := m.Store()
	c := n.In(1)
	if got := n.Reads(c); got != 1 {
		t.Errorf("%d inputs of the node are the constant", got)
	}
	c.Put(graphops.NewTensorOf("other", tensor.FromSlice([]float32{3, 4}, 2)))
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	got := m.Store().Graph()
	if want := []string{"a = Add(x, c)", "y = Mul(a, c)"}; !slices.Equal(graphtest.Nodes(got), want) {
		t.Errorf("nodes %v, want %v", graphtest.Nodes(got), want)
	}
	if i := got.Initializers(); len(i) != 1 || i[0].Name() != "c" || !slices.Equal(i[0].Dims(), []int64{2}) {
		t.Errorf("constants %v", i)
	}
	if d := before.Graph().Initializers()[0].Dims(); len(d) != 0 {
		t.Errorf("what was stored before has the shape %v", d)
	}
	defer func() {
		if recover() == nil {
			t.Error("elements were put into an input")
		}
	}()
	n.In(0).Put(graphops.NewTensorOf("", tensor.FromSlice([]float32{1})))
}
