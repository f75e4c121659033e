package cost

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Node is the cost of a node in one run of the model. If the node runs repeatedly, for example in a
// loop, it is the sum over all its executions. The nodes of its bodies, or of the function that it
// calls, are not included.
type Node struct {
	// MACs are multiply-accumulates.
	MACs dim.Dim
	// Read and Written are the bytes that the node reads and writes.
	Read, Written dim.Dim
	// Parameters is the number of elements of the initializers among the inputs, also of elements
	// that are packed into bytes, however often the node runs.
	Parameters int64
}

// Intensity returns the number of operations per byte that the node reads or writes. A
// multiply-accumulate counts as two operations. ok is false if the cost is not a number, or if no
// bytes are read or written.
func (n Node) Intensity() (operations float64, ok bool) {
	macs, okMACs := n.MACs.Number()
	bytes, okBytes := n.Read.Add(n.Written).Number()
	if !okMACs || !okBytes || bytes <= 0 {
		return 0, false
	}
	return 2 * float64(macs) / float64(bytes), true
}

// node is a visited node in the form in which the formulas use it.
type node struct {
	shape.Visit
	sizes sizes
}

// sizes caches the sizes of values in bytes. The key has the address of the dimensions, because
// many values share them.
type sizes map[sizeOf]dim.Dim

type sizeOf struct {
	first *dim.Dim
	rank  int
	elem  tensor.DType
}

// bytes returns the size of a value in memory, like the function bytes, but remembers the result.
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

// formula returns the number of multiply-accumulates in one execution of a node.
type formula func(n node) dim.Dim

// in returns the shape of input i; nil if it is unknown or the node does not have the input.
func (n node) in(i int) []dim.Dim {
	if i >= len(n.In) || n.In[i] == nil {
		return nil
	}
	return n.In[i].Dims
}

// has reports whether the node has the input and does not leave it out.
func (n node) has(i int) bool { return i < len(n.In) && n.In[i] != nil }

// out returns the shape of output i; nil if it is unknown.
func (n node) out(i int) []dim.Dim {
	if i >= len(n.Out) {
		return nil
	}
	return n.Out[i].Dims
}

// axis returns the size of axis i. A negative i counts from the end. The size is unknown if the
// shape has no such axis.
func axis(dims []dim.Dim, i int) dim.Dim {
	if i < 0 {
		i += len(dims)
	}
	if i < 0 || i >= len(dims) {
		return dim.Unknown()
	}
	return dims[i]
}

// elements returns the number of elements of a tensor with the given shape. It is unknown if dims
// is nil.
func elements(dims []dim.Dim) dim.Dim {
	if dims == nil {
		return dim.Unknown()
	}
	return dim.Product(dims...)
}

// int returns the value of an integer attribute, or the argument without if the node does not have
// the attribute.
func (n node) int(name string, without int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return without
}

// operator returns the node's operator.

// macs returns the number of multiply-accumulates in one execution of the node, without its bodies.
func (n node) macs() dim.Dim {
	op := n.Node.Op()
	switch f := formulas()[op]; {
	case f != nil:
		return f(n)
	case notCounted()[op], len(opschema.Versions(op.Domain, op.Name)) == 0:
		return dim.Unknown()
	default:
		return dim.Number(0)
	}
}

// Parameters returns the number of parameters in the initializers that a node reads. An
// initializer that it reads twice counts once.
func Parameters(p *graphops.Place, n *graphops.Node) int64 {
	sum := int64(0)
	seen := make(map[string]bool, len(n.Inputs()))
	for _, name := range n.Inputs() {
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if t := initializer(p, name); t != nil {
			if count, err := ParametersOf(t, n, name); err == nil {
				sum += count
			}
		}
	}
	return sum
}

// initializer returns the initializer that a name refers to in a place, or in a place that encloses
// it. It returns nil if the name refers to something else.
func initializer(p *graphops.Place, name string) *graphops.Tensor {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return x.Initializer(id)
		}
	}
	return nil
}

// bytes returns the size of a value in memory, in which elements smaller than a byte share bytes.
// It is unknown if the value is not a tensor, if the shape is unknown, or if the elements are
// strings.
func bytes(v shape.Value) dim.Dim {
	if v.Kind != graphops.TypeTensor {
		return dim.Unknown()
	}
	return packed(elements(v.Dims), v.Elem)
}

// packed returns the size in bytes of n elements that share bytes if they are smaller than a byte.
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
