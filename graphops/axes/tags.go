package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// sized lists, by operator, the inputs that hold sizes, and whose elements may therefore be pins.
var sized = map[string][]int{
	"Reshape": {1}, "Expand": {1}, "ConstantOfShape": {0}, "Tile": {1}, "Resize": {3}, "Range": {1}, "Loop": {0}, "Slice": {2},
	"CenterCropPad": {1}, "AffineGrid": {1},
	// These operators only forward sizes on the way to another operator.
	"Identity": {0}, "Cast": {0}, "Squeeze": {0}, "Unsqueeze": {0}, "Gather": {0}, "Where": {1, 2}, "Split": {0},
	// An exporter multiplies the batch size by the number of windows, heads or rows.
	"Mul": {0, 1},
}

// maxShape is the maximum number of elements of a constant that may be a shape.
const maxShape = 64

// joined is the operator that joins parts of a shape, if its inputs are vectors of integers.
const joined = "Concat"

// tag is a number that may be a pin: an element of a constant, or the size of an axis of a
// constant. During inference a symbol replaces it, so that equations can be solved for the number.
type tag struct {
	edge   shape.Edge
	value  string
	elem   int
	stored bool // it is the size of axis elem
	was    int64
	name   string  // the symbol that replaces it
	to     dim.Dim // the solution
	solved bool
	// anchored reports that a demand requires the number as it is; see anchor.
	anchored bool
}

type tagKey struct {
	edge   shape.Edge
	elem   int
	stored bool
}

// tagger creates tags for the constants that occur during inference, and solves equations for them.
type tagger struct {
	byKey map[tagKey]*tag
	list  []*tag
	seen  map[shape.Edge]int // when a reading node was visited
	sizes map[string]int64   // of the freed symbols
	// open makes assume return the symbols of tags that have no solution; otherwise it returns
	// their numbers.
	open bool
	// axes makes assume consider the sizes of constants instead of their elements.
	axes bool
}

// assume returns the constant c as the node of e shall see it during inference: numbers that may be
// pins are replaced by symbols, or by their solutions.
func (t *tagger) assume(e shape.Edge, c shape.Constant) shape.Constant {
	n := e.Place.Graph.Nodes()[e.Node]
	if n.Domain() == graphops.DefaultDomain && t.holdsSizes(n, e.Input, c) {
		c.Sizes = slices.Clone(c.Sizes)
		for i, d := range c.Sizes {
			if was, ok := d.Number(); ok && t.possible(n, was) {
				c.Sizes[i] = t.at(tagKey{e, i, false}, c.Value, was)
			}
		}
	}
	for i, d := range c.Dims {
		if was, ok := d.Number(); ok && t.tagsAxis(n, e, was, i) {
			c.Dims = slices.Clone(c.Dims)
			c.Dims[i] = t.at(tagKey{e, i, true}, c.Value, was)
		}
	}
	return c
}

// holdsSizes reports whether the elements of an input are sizes that may depend on a freed axis.
func (t *tagger) holdsSizes(n *graphops.Node, input int, c shape.Constant) bool {
	if c.Sizes == nil || len(c.Sizes) > maxShape {
		return false
	}
	switch n.OpType() {
	case joined:
		return len(c.Dims) == 1
	case "Expand", "Tile": // of positions, with one row for each row of the data
	case "Where", "Mul", "Range":
	case "ConstantOfShape":
		if a, ok := n.Attribute("value"); ok && len(c.Sizes) == 1 && a.Tensor() != nil && a.Tensor().DType() == tensor.I64 {
			// the vector is itself part of a shape, so that its length is a rank, which must stay a
			// number
			return false
		}
	default:
		if c.OfData {
			return false
		}
	}
	return slices.Contains(sized[n.OpType()], input)
}

// possible reports whether a number may be a size that depends on a freed axis. In most inputs any
// positive number may be. The end of a Slice or the factor of a product can mean anything, so there
// only the size itself counts.
func (t *tagger) possible(n *graphops.Node, was int64) bool {
	if !n.Is("Slice") && !n.Is("Mul") {
		return was >= 1
	}
	for _, size := range t.sizes {
		if was == size {
			return true
		}
	}
	return false
}

// tagsAxis reports whether the size of a constant's axis may be a pin: it equals the old size of a
// freed axis, and the elements of the constant are not themselves sizes.
func (t *tagger) tagsAxis(n *graphops.Node, e shape.Edge, was int64, axis int) bool {
	if old, ok := t.byKey[tagKey{e, axis, true}]; ok && old.solved {
		return true
	}
	if !t.axes || slices.Contains(sized[n.OpType()], e.Input) {
		return false
	}
	for _, size := range t.sizes {
		if was == size {
			return true
		}
	}
	return false
}

// at returns what replaces a number during inference: the solution of its tag, the symbol of the
// tag, or the number itself. It creates the tag on first use.
func (t *tagger) at(k tagKey, value string, was int64) dim.Dim {
	g, ok := t.byKey[k]
	if !ok {
		g = &tag{edge: k.edge, value: value, elem: k.elem, stored: k.stored, was: was, name: fmt.Sprintf("\x00%d", len(t.list))}
		t.byKey[k] = g
		t.list = append(t.list, g)
	}
	switch {
	case g.solved:
		return g.to
	case t.open && g.stored == t.axes:
		return dim.Symbol(g.name)
	default:
		return dim.Number(was)
	}
}

// closed returns the expression without symbols of tags: solved tags are replaced by their
// solutions, and others by their numbers. Only the tag except, if not nil, stays.
func (t *tagger) closed(d dim.Dim, except *tag) dim.Dim {
	return d.Subst(func(s string) (dim.Dim, bool) {
		g := t.of(s)
		switch {
		case g == nil || g == except:
			return dim.Dim{}, false
		case g.solved:
			return g.to, true
		default:
			return dim.Number(g.was), true
		}
	})
}

// of returns the tag whose symbol this is, or nil if it is a symbol of the model.
func (t *tagger) of(symbol string) *tag {
	if len(symbol) < 2 || symbol[0] != 0 {
		return nil
	}
	var i int
	if _, err := fmt.Sscanf(symbol[1:], "%d", &i); err != nil || i >= len(t.list) {
		return nil
	}
	return t.list[i]
}

// in returns the unsolved tags whose symbols occur in the expressions, in the order of their
// creation.
func (t *tagger) in(dims ...dim.Dim) []*tag {
	var out []*tag
	for _, d := range dims {
		d.Symbols(func(s string) {
			if g := t.of(s); g != nil && !g.solved && !slices.Contains(out, g) {
				out = append(out, g)
			}
		})
	}
	slices.SortFunc(out, func(a, b *tag) int { return slices.Index(t.list, a) - slices.Index(t.list, b) })
	return out
}

// old returns an expression evaluated at the old sizes of the freed axes.
func (t *tagger) old(d dim.Dim) dim.Dim {
	return t.closed(d, nil).Subst(func(s string) (dim.Dim, bool) {
		n, ok := t.sizes[s]
		return dim.Number(n), ok
	})
}

// depends reports whether an expression, with the solutions found so far, contains the symbol of a
// freed axis.
func (t *tagger) depends(d dim.Dim) bool {
	found := false
	t.closed(d, nil).Symbols(func(s string) {
		_, ok := t.sizes[s]
		found = found || ok
	})
	return found
}
