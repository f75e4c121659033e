package bounds

import (
	"reflect"
	"slices"

	"lathe/graphops"
)

// columns are positions along the last axis of the input, in the order in which nodes have selected
// them. An input often combines different features, and different nodes then read different columns
// of it.
type columns []int64

// Limits for following single columns. Without them, a malicious model could take much time or
// memory. Beyond the limits, a bound that a node sets applies to all columns.
const (
	maxColumns    = 512
	maxSelections = 1024 // distinct selections
)

// columnsAt returns which columns of the input the value at p has along its last axis. ok is false
// if this is not known, because the rows of the value are not the rows of the input in the same
// order.
func (u use) columnsAt(p point) (_ columns, ok bool) {
	n := len(u.sizes)
	if !p.ordered || n == 0 || len(u.declared) != n || !u.declared[n-1].IsFixed() {
		// If the last axis is free, its positions have no meanings of their own. An example are the
		// tokens of a text.
		return nil, false
	}
	held := u.selected[p.columns]
	if p.columns == 0 {
		if u.sizes[n-1] > maxColumns {
			return nil, false
		}
		held = make(columns, u.sizes[n-1])
		for i := range held {
			held[i] = int64(i)
		}
	}
	width, ok := u.dimOf(u.at, -1)
	return held, ok && width == int64(len(held))
}

// holding returns p, changed to have the columns c of the input. ok is false if too many different
// selections are being followed already.
func (t *tracer) holding(p point, c columns) (_ point, ok bool) {
	at := slices.IndexFunc(t.selected, func(known columns) bool { return slices.Equal(known, c) })
	if at < 1 {
		if at = len(t.selected); at > maxSelections {
			return p, false
		}
		t.selected = append(t.selected, c)
	}
	p.columns = at
	return p, true
}

// selection returns, for each output of a node, which positions along the last axis of the node's
// input it selects. width is the number of these positions.
type selection func(u use, width int64) ([][]int64, bool)

// selections are the operators that select columns. The positions must be constants.
var selections = map[string]selection{
	"Gather":                            selectIndices,
	"ai.onnx.ml::ArrayFeatureExtractor": selectIndices,
	"Slice":                             selectRange,
	"Split":                             selectParts,
}

// selectColumns follows the input through a node that selects columns. It returns false if the node
// does not do that.
func (u use) selectColumns() bool {
	f := selections[operator(u.node)]
	if f == nil || u.at != 0 {
		return false
	}
	held, ok := u.columnsAt(u.point)
	if !ok {
		return false
	}
	lists, ok := f(u, int64(len(held)))
	if !ok {
		return false
	}
	for i, list := range lists {
		if i >= len(u.node.Outputs()) || u.node.Outputs()[i] == "" || len(list) == 0 {
			continue
		}
		if len(list) > maxColumns {
			return false
		}
		c := make(columns, len(list))
		for k, at := range list {
			if at < 0 || at >= int64(len(held)) {
				return false
			}
			c[k] = held[at]
		}
		to, ok := u.holding(u.point, c)
		if !ok {
			return false
		}
		u.reach(to, u.node.Outputs()[i])
	}
	return true
}

// isLast reports whether an axis is the last one of the node's input.
func (u use) isLast(axis int64) bool {
	rank := int64(len(u.shape(u.frame(), u.input(0))))
	return axis == -1 || rank > 0 && axis == rank-1
}

func selectIndices(u use, width int64) ([][]int64, bool) {
	list, ok := u.frame().ints(u.input(1))
	if !ok || u.node.Is("Gather") && !u.isLast(u.int("axis", 0)) {
		return nil, false
	}
	return [][]int64{fromEnd(list, width)}, true
}

// fromEnd converts negative positions, which count from the end, to positions from the start.
func fromEnd(list []int64, width int64) []int64 {
	out := slices.Clone(list)
	for i, n := range out {
		if n < 0 {
			out[i] += width
		}
	}
	return out
}

func selectRange(u use, width int64) ([][]int64, bool) {
	bounds := [4][]int64{} // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if a, ok := u.node.Attribute(name); ok {
			bounds[i] = a.Ints()
		} else if u.input(i+1) != "" {
			if bounds[i], ok = u.frame().ints(u.input(i + 1)); !ok {
				return nil, false
			}
		}
	}
	starts, ends, axes, steps := bounds[0], bounds[1], bounds[2], bounds[3]
	if len(starts) != 1 || len(ends) != 1 || len(axes) != 1 || !u.isLast(axes[0]) || len(steps) > 0 && steps[0] != 1 {
		return nil, false
	}
	from, to := fromEnd(starts, width)[0], fromEnd(ends, width)[0]
	var list []int64
	for i := max(from, 0); i < min(to, width); i++ {
		list = append(list, i)
	}
	return [][]int64{list}, true
}

func selectParts(u use, width int64) ([][]int64, bool) {
	if !u.isLast(u.int("axis", 0)) {
		return nil, false
	}
	sizes, known := u.splitSizes(width)
	if !known {
		return nil, false
	}
	out, at := make([][]int64, len(sizes)), int64(0)
	for i, n := range sizes {
		for ; n > 0 && at < width; n, at = n-1, at+1 {
			out[i] = append(out[i], at)
		}
	}
	return out, true
}

// splitSizes returns the sizes into which a Split divides its axis. If the node does not state
// them, they are equal, except that the last one may be smaller.
func (u use) splitSizes(width int64) ([]int64, bool) {
	if a, ok := u.node.Attribute("split"); ok {
		return a.Ints(), true
	}
	if u.input(1) != "" {
		return u.frame().ints(u.input(1))
	}
	n := int64(len(u.node.Outputs()))
	if n == 0 {
		return nil, false
	}
	return slices.Repeat([]int64{ceilDiv(width, n)}, int(n)), true
}

// limit adds a bound that applies to the elements of the input at p, or only to the columns at p.
func (t *tracer) limit(p point, a Allowed) {
	if p.columns == 0 {
		t.found = t.found.and(a)
		return
	}
	for _, c := range t.selected[p.columns] {
		t.apart[c] = t.apart[c].and(a)
	}
}

// all returns the bound of the input: that of the whole input, combined for each column with that
// of the column.
func (t *tracer) all() Allowed {
	if len(t.apart) == 0 {
		return t.found
	}
	out := Allowed{Kind: ByColumn, Columns: make([]Allowed, t.sizes[len(t.sizes)-1])}
	same := true
	for i := range out.Columns {
		c := t.found
		if c.Kind == ByColumn {
			c = c.Columns[i]
		}
		out.Columns[i] = c.and(t.apart[int64(i)])
		same = same && alike(out.Columns[i], out.Columns[0])
	}
	if same {
		return out.Columns[0]
	}
	return out
}

// alike reports whether two bounds allow the same values. Their reasons may differ.
func alike(a, b Allowed) bool {
	a.Why, b.Why = "", ""
	if a.Domain != nil && b.Domain != nil {
		x, y := *a.Domain, *b.Domain
		x.Why, y.Why = "", ""
		a.Domain, b.Domain = &x, &y
	}
	return reflect.DeepEqual(a, b)
}

// isOrdered reports whether all elements of the node's input are in its output in the same order.
func (p passing) isOrdered(n *graphops.Node) bool {
	return p.whole || p.inputs == nil && len(n.Inputs()) == 1 // Concat with one input
}
