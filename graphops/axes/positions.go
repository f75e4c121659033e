package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// maxPositions is the maximum length of a list of indices that is read to check whether it is 0, 1,
// 2 and so on.
const maxPositions = 1 << 20

// withoutPositions temporarily replaces some Gather nodes by a Reshape: those that select all
// elements of a vector in order, if the length of the vector depends on a freed axis. PyTorch
// exports as_strided in this way, and the list of indices fits one length only. The positions of
// the replaced nodes are kept in c.gathers.
func (c *changer) withoutPositions() error {
	gathers := map[int][]int64{}
	_, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true, Visit: func(v shape.Visit) {
		if into := c.allPositions(v); into != nil {
			gathers[v.Index] = into
		}
	}})
	if err != nil || len(gathers) == 0 {
		return err
	}
	e := graphops.Edit(c.model)
	e.Nodes = slices.Clone(e.Nodes)
	c.gathers = map[int]bool{}
	for i, into := range gathers {
		n := e.Nodes[i]
		name := c.builder().names.Value(n.Output(0) + "_shape")
		e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, tensor.FromSlice(into, int64(len(into)))))
		e.Nodes[i] = graphops.NewNode(graphops.NodeSpec{
			Op: "Reshape", Name: n.Name(), Inputs: []string{n.Input(0), name}, Outputs: n.Outputs(),
		}).WithDoc(n.Doc()).WithMetadata(n.Metadata())
		c.gathers[i] = true
	}
	c.model = e.Model()
	return nil
}

// allPositions returns the shape of the indices of a Gather if they select all elements of a vector
// in order; nil for any other node.
func (c *changer) allPositions(v shape.Visit) []int64 {
	n := v.Node
	if !n.Is("Gather") || v.Place.Kind != graphops.MainGraph || len(v.In) < 2 || v.In[0] == nil || len(v.Out) == 0 {
		return nil
	}
	data := v.In[0].Dims
	t := tagger{sizes: c.report.Sizes}
	if len(data) != 1 || !t.depends(data[0]) {
		return nil
	}
	length, ok := t.old(data[0]).Number()
	at := constantOf(v.Place.Graph, n.Input(1))
	if !ok || at == nil || !isCount(at, length) {
		return nil
	}
	return slices.Clone(at.Dims())
}

// constantOf returns the tensor of an initializer or of a Constant, or nil.
func constantOf(g *graphops.Graph, name string) *graphops.Tensor {
	x := g.Index()
	id, ok := x.Value(name)
	if !ok {
		return nil
	}
	if i := x.Producer(id); i >= 0 && g.Nodes()[i].Is("Constant") {
		a, _ := g.Nodes()[i].Attribute("value")
		if a == nil {
			return nil
		}
		return a.Tensor()
	}
	return x.Initializer(id)
}

// isCount reports whether a tensor has the elements 0 to n-1 in order.
func isCount(t *graphops.Tensor, n int64) bool {
	if elements, err := t.Elements(); err != nil || elements != n || n > maxPositions {
		return false
	}
	data, err := t.Data()
	if err != nil {
		return false
	}
	b, err := data.Bytes()
	if err != nil {
		return false
	}
	list, err := tensor.Tensor{DType: t.DType(), Shape: t.Dims(), Data: b}.Int64s()
	if err != nil {
		return false
	}
	for i, v := range list {
		if v != int64(i) {
			return false
		}
	}
	return true
}
