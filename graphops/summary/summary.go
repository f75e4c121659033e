package summary

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Summary says what a model consists of.
type Summary struct {
	// Place is where the parts are: the main graph, or the body with the most marks if the main
	// graph has none.
	Place *graphops.Place
	Parts []Part // those with the most parameters first
	// Weights are the types of the initializers, the most frequent first. Types of less than a
	// hundredth of all elements are left out.
	Weights []Weights
	// Parameters is the number of elements of all initializers. An element of a type that is packed
	// into bytes counts, and not the byte.
	Parameters int64
}

// Part is a repeated part of a model.
type Part struct {
	Kind string // such as "encoder layer", "" if it is not certain
	// Path is the path of the modules with * in place of numbers, such as /encoder/layer.*. It is ""
	// if the part does not come from modules.
	Path  string
	Nodes [][]int32 // the nodes of each repetition, in the order of the graph
	Each  []Facts   // the sizes in each repetition
	Facts
	// Parameters and Bytes are the number of elements and the size in bytes of the initializers
	// that the nodes read. Each initializer counts once.
	Parameters, Bytes int64

	isSingle bool // each repetition is one mark
}

// Count returns how often the part occurs.
func (p *Part) Count() int { return len(p.Nodes) }

// Facts are the sizes in a part. Sizes that are not known are 0.
type Facts struct {
	// Heads and HeadSize are those of the queries. KVHeads are the heads of keys and values, 0 if
	// there are as many as of the queries.
	Heads, HeadSize, KVHeads Range
	Cross                    bool // there is attention to values from outside of the part
	Hidden                   Range
	MLP                      Range // width between two products with weights
	Experts                  Range
	Kernels                  []string // such as 3×3, the most frequent first
	Channels                 Range    // of the results of convolutions
	Depthwise                bool     // there is a convolution of single channels
	State                    Range    // of recurrent layers
	Bidirectional            bool
}

// Range is a size, or the smallest and the largest one of several. The zero Range is not known.
type Range struct{ Min, Max int64 }

// Known reports whether there is a size.
func (r Range) Known() bool { return r.Max > 0 }

// add includes a size.
func (r *Range) add(n int64) { r.join(Range{n, n}) }

// join includes another range.
func (r *Range) join(o Range) {
	switch {
	case o.Max <= 0:
	case r.Max <= 0:
		*r = o
	default:
		r.Min, r.Max = min(r.Min, o.Min), max(r.Max, o.Max)
	}
}

// Weights is a type of initializers and the number of their elements.
type Weights struct {
	Type string // such as "f32"; "int4" for elements of 4 bits packed into bytes
	// Elements is the number of elements.
	Elements int64
}

// Of summarizes a model. shapes may be nil; then sizes that the file does not declare are not
// known. The error is that of ctx.
func Of(ctx context.Context, m *graphops.Model, shapes *shape.Result) (*Summary, error) {
	s := &Summary{}
	s.weigh(m)
	var best *view
	for _, p := range m.Places() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Kind == graphops.FunctionBody || p.ID > 0 && p.Function != nil {
			continue
		}
		v := newView(p, shapes)
		v.findMarks()
		if best == nil || len(v.marks) > len(best.marks) {
			best = v
		}
	}
	s.Place = best.place
	s.Parts = best.parts(scope.BuildPlace(best.place))
	return s, ctx.Err()
}

// In summarizes one place, as if the others did not exist. It does not count the weights of the model.
func In(p *graphops.Place, shapes *shape.Result) *Summary {
	v := newView(p, shapes)
	v.findMarks()
	return &Summary{Place: p, Parts: v.parts(scope.BuildPlace(p))}
}

// weigh counts the elements of initializers by type.
func (s *Summary) weigh(m *graphops.Model) {
	packed := packedTensors(m)
	sums := map[string]int64{}
	for t := range m.StoredTensors() {
		n, err := t.Tensor.Elements()
		if t.Node >= 0 {
			continue // a tensor of a node, such as a constant of a shape
		}
		if err != nil || t.Tensor.DType() == tensor.String {
			continue
		}
		name := t.Tensor.DType().String()
		if bits := packed[t.Tensor]; bits > 0 && t.Tensor.DType().Bits() == 8 {
			name, n = packedName(bits), n*8/bits
		}
		sums[name] += n
		s.Parameters += n
	}
	for name, n := range sums {
		if n > 0 && n >= s.Parameters/100 {
			s.Weights = append(s.Weights, Weights{name, n})
		}
	}
	slices.SortFunc(s.Weights, func(a, b Weights) int {
		return cmp.Or(cmp.Compare(b.Elements, a.Elements), cmp.Compare(a.Type, b.Type))
	})
}
