package graphops_test

import (
	"context"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// scripted is a Typer that answers from a table.
type scripted map[string]graphops.Type

func (s scripted) Types(_ context.Context, _ *graphops.Model, names []string) (map[string]graphops.Type, error) {
	out := map[string]graphops.Type{}
	for _, n := range names {
		if t, ok := s[n]; ok {
			out[n] = t
		}
	}
	return out, nil
}

func f32(dims ...graphops.Dim) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: dims}
}

// reshapes is x → Reshape(shape) → y, with attributes on the Reshape.
func reshapes(t *testing.T, dims, shape []int64, attrs ...*graphops.Attribute) *graphops.Model {
	t.Helper()
	m, err := graphops.Open("../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := graphops.Edit(m)
	e.Nodes = []*graphops.Node{graphops.NewNode(graphops.NodeSpec{
		Op: "Reshape", Name: "r", Inputs: []string{"x", "shape"}, Outputs: []string{"y"}, Attributes: attrs,
	})}
	e.Initializers = []*graphops.Tensor{graphops.NewTensorOf("shape", tensor.FromSlice(shape, int64(len(shape))))}
	e.Inputs = []*graphops.ValueInfo{graphops.NewValueInfo("x", graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.FixedShape(dims)})}
	e.Outputs = []*graphops.ValueInfo{graphops.NewValueInfo("y", f32())}
	e.ValueInfo = nil
	return e.Model()
}

func TestPins(t *testing.T) {
	for _, c := range []struct {
		name        string
		dims, shape []int64
		attrs       []*graphops.Attribute
		pins        int
		repaired    []int64 // nil where it cannot be
	}{
		{name: "batch held at 1", dims: []int64{1, 8, 8}, shape: []int64{1, 64}, pins: 1, repaired: []int64{0, 64}},
		{name: "batch held at 1, rest computed", dims: []int64{1, 8, 8}, shape: []int64{1, -1}, pins: 1, repaired: []int64{0, -1}},
		{name: "batch copied", dims: []int64{1, 8, 8}, shape: []int64{0, 64}},
		{name: "batch computed", dims: []int64{1, 8, 8}, shape: []int64{-1, 64}},
		{name: "axes merged", dims: []int64{2, 8, 8}, shape: []int64{16, 8}, pins: 1},
		{name: "axes split, the rest computed", dims: []int64{2, 8, 8}, shape: []int64{1, -1}},
		{
			name: "zero means zero", dims: []int64{1, 8}, shape: []int64{1, 8}, pins: 1,
			attrs: []*graphops.Attribute{graphops.IntAttribute("allowzero", 1)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := reshapes(t, c.dims, c.shape, c.attrs...)
			o := graphops.AxesOptions{Free: []graphops.Axis{{Value: "x", Symbol: "batch"}}}
			_, r, err := graphops.ChangeAxes(t.Context(), m, o, scripted{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Pins) != c.pins || len(r.Repaired) != 0 {
				t.Fatalf("%d pins, %d repaired, want %d and none", len(r.Pins), len(r.Repaired), c.pins)
			}
			o.Repair = true
			mended, r, err := graphops.ChangeAxes(t.Context(), m, o, scripted{})
			if err != nil {
				t.Fatal(err)
			}
			if (len(r.Repaired) > 0) != (c.repaired != nil) {
				t.Fatalf("%d repaired, %d left", len(r.Repaired), len(r.Pins))
			}
			want := c.repaired
			if want == nil {
				want = c.shape
			}
			if got := shapeOf(t, mended); !slices.Equal(got, want) {
				t.Errorf("the shape is %v, want %v", got, want)
			}
			if n := len(mended.Graph().Initializers()); n != 1 {
				t.Errorf("%d initializers are left, want the one that is read", n)
			}
			if got := shapeOf(t, m); !slices.Equal(got, c.shape) {
				t.Errorf("the original changed: %v", got)
			}
		})
	}
}

// shapeOf reads the constant that the only node takes as its shape.
func shapeOf(t *testing.T, m *graphops.Model) []int64 {
	t.Helper()
	g := m.Graph()
	id, ok := g.Index().Value(g.Nodes()[0].Inputs()[1])
	if !ok {
		t.Fatal("the shape is no value of the graph")
	}
	c := g.Index().Initializer(id)
	data, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	b, err := data.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	ints, err := tensor.Tensor{DType: c.DType(), Shape: c.Dims(), Data: b}.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	return ints
}
