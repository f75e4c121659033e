package cost

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Node is what a node costs in one run of the model, all times that it runs taken
// together. What a body or function that it enters costs is not in it.
type Node struct {
	// MACs are multiply-accumulates.
	MACs dim.Dim
	// Read and Written are bytes.
	Read, Written dim.Dim
	// Parameters are the elements of the initializers among the inputs, however
	// often the node runs.
	Parameters int64
}

// Intensity is how many operations the node does for a byte that it moves, a
// multiply-accumulate being two; ok is false where sizes are missing, or nothing
// moves.
func (n Node) Intensity() (operations float64, ok bool) {
	macs, okMACs := n.MACs.Number()
	bytes, okBytes := n.Read.Add(n.Written).Number()
	if !okMACs || !okBytes || bytes <= 0 {
		return 0, false
	}
	return 2 * float64(macs) / float64(bytes), true
}

// node is a visit, as the formulas see it.
type node struct {
	shape.Visit
	sizes sizes
}

// sizes are sizes in bytes by where the dimensions lie in memory: values share them.
type sizes map[sizeOf]dim.Dim

type sizeOf struct {
	first *dim.Dim
	rank  int
	elem  tensor.DType
}

// bytes is the size of a value in memory.
func (n node) bytes(v shape.Value) dim.Dim {
	if len(v.Dims) == 0 {
		return bytes(v)
	}
	key := sizeOf{&v.Dims[0], len(v.Dims), v.Elem}
	size, done := n.sizes[key]
	if !done {
		size = bytes(v)
		n.sizes[key] = size
	}
	return size
}

// formula is the multiply-accumulates of one run of a node.
type formula func(n node) dim.Dim

// in are the sizes of an input, nil where they, or the input, are not there.
func (n node) in(i int) []dim.Dim {
	if i >= len(n.In) || n.In[i] == nil {
		return nil
	}
	return n.In[i].Dims
}

// has reports whether an input is there.
func (n node) has(i int) bool { return i < len(n.In) && n.In[i] != nil }

// out are the sizes of an output, nil where they are not known.
func (n node) out(i int) []dim.Dim {
	if i >= len(n.Out) {
		return nil
	}
	return n.Out[i].Dims
}

// axis is the size of one axis, from the end where it is negative; unknown where
// there is none.
func axis(dims []dim.Dim, i int) dim.Dim {
	if i < 0 {
		i += len(dims)
	}
	if i < 0 || i >= len(dims) {
		return dim.Unknown()
	}
	return dims[i]
}

// elements is how many elements a tensor of these sizes has; unknown where the
// sizes are.
func elements(dims []dim.Dim) dim.Dim {
	if dims == nil {
		return dim.Unknown()
	}
	return dim.Product(dims...)
}

// int is the number that an attribute holds.
func (n node) int(name string, without int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return without
}

// operator is the node's.
func (n node) operator() operator { return operator{n.Node.Domain(), n.Node.OpType()} }

// macs are the multiply-accumulates of one run of a node that holds nothing.
func (n node) macs() dim.Dim {
	op := n.operator()
	switch f := formulas[op]; {
	case f != nil:
		return f(n)
	case notCounted[op], len(opschema.Versions(op.domain, op.name)) == 0:
		return dim.Unknown()
	default:
		return dim.Number(0)
	}
}

// Parameters are the elements of the initializers among the inputs of a node, each
// counted once.
func Parameters(p *graphops.Place, n *graphops.Node) int64 {
	sum := int64(0)
	for i, name := range n.Inputs() {
		if name == "" || slices.Contains(n.Inputs()[:i], name) {
			continue
		}
		if t := initializer(p, name); t != nil {
			if count, err := t.Elements(); err == nil {
				sum += count
			}
		}
	}
	return sum
}

// initializer is the constant that a name stands for in a place, one from around a
// body included; nil where it stands for something else.
func initializer(p *graphops.Place, name string) *graphops.Tensor {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return x.Initializer(id)
		}
	}
	return nil
}

// bytes is the size of a value in memory, elements below a byte packed; unknown
// where its shape is, or its elements have no size of their own.
func bytes(v shape.Value) dim.Dim {
	if v.Kind != graphops.TypeTensor {
		return dim.Unknown()
	}
	return packed(elements(v.Dims), v.Elem)
}

// packed is the size of n elements.
func packed(n dim.Dim, t tensor.DType) dim.Dim {
	switch bits := int64(t.Bits()); {
	case bits == 0:
		return dim.Unknown()
	case bits%8 == 0:
		return n.Mul(dim.Number(bits / 8))
	default:
		return n.Mul(dim.Number(bits)).CeilDiv(dim.Number(8))
	}
}
