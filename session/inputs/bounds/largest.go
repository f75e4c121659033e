package bounds

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Sizes tells how large the symbols of a model's inputs may be: a table of positions
// that is cut to the length of the input, or that positions are looked up in, has only
// so many rows.
type Sizes struct {
	model      *graphops.Model
	inferred   *shape.Result
	conditions []condition
}

// condition is what must hold of sizes for the model to run.
type condition struct {
	a, b  dim.Dim
	holds func(a, b int64) bool
	why   string
}

// SizesOf reads the conditions of a model. Of one that is too large to infer there are
// none.
func SizesOf(ctx context.Context, m *graphops.Model) *Sizes {
	s := &Sizes{model: m}
	s.inferred, _ = shape.Infer(ctx, m, shape.Options{NameAxes: true})
	if s.inferred == nil {
		return s
	}
	for _, d := range s.inferred.Demands {
		n := d.Place.Graph.Nodes()[d.Node]
		s.conditions = append(s.conditions, condition{d.A.Size, d.B.Size, d.Relation.Holds, fmt.Sprintf("%s and %s meet at %s", d.A.Size, d.B.Size, named(n))})
	}
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			s.lookUp(p, n)
		}
	}
	return s
}

func atMost(a, b int64) bool { return a <= b }

// lookUp adds the condition of a node that looks up positions that the model counts.
func (s *Sizes) lookUp(p *graphops.Place, n *graphops.Node) {
	in := n.Inputs()
	dims := func(i int) []dim.Dim {
		if i >= len(in) {
			return nil
		}
		return s.value(p, in[i]).Dims
	}
	rows := func(table []dim.Dim, axis int64) (dim.Dim, bool) {
		if axis < 0 {
			axis += int64(len(table))
		}
		if axis < 0 || axis >= int64(len(table)) {
			return dim.Dim{}, false
		}
		return table[axis], true
	}
	add := func(last dim.Dim, table []dim.Dim, axis int64) {
		if all, ok := rows(table, axis); ok {
			s.conditions = append(s.conditions, condition{last, all, atMost, fmt.Sprintf("positions up to %s in %s rows at %s", last.Sub(dim.Number(1)), all, named(n))})
		}
	}
	switch operator(n) {
	case "Gather", "GatherElements":
		axis := int64(0)
		if a, ok := n.Attribute("axis"); ok {
			axis = a.Int()
		}
		if len(in) > 1 {
			if last, ok := s.counted(p, in[1], 0); ok {
				add(last.Add(dim.Number(1)), dims(0), axis)
			}
		}
	case "com.microsoft::EmbedLayerNormalization":
		if ids := dims(0); len(ids) == 2 && (len(in) < 9 || in[8] == "") {
			add(ids[1], dims(3), 0)
		}
	case "com.microsoft::GroupQueryAttention":
		if q := dims(0); len(q) == 3 {
			add(q[1], dims(7), 0)
		}
	}
}

// value is what is known of a value by its name.
func (s *Sizes) value(p *graphops.Place, name string) shape.Value {
	if v, ok := p.Graph.Index().Value(name); ok && name != "" {
		return s.inferred.Value(p, v)
	}
	return shape.Value{}
}

// counted is the largest of numbers that a model counts up: with a Range, or by summing
// a mask. What such numbers are multiplied by is taken for a mask.
func (s *Sizes) counted(p *graphops.Place, name string, depth int) (dim.Dim, bool) {
	v, ok := p.Graph.Index().Value(name)
	if !ok || depth > maxDepth || p.Graph.Index().Producer(v) < 0 {
		return dim.Dim{}, false
	}
	n := p.Graph.Nodes()[p.Graph.Index().Producer(v)]
	in := n.Inputs()
	if n.Domain() != graphops.DefaultDomain || len(in) == 0 {
		return dim.Dim{}, false
	}
	switch op := n.OpType(); {
	case op == "Range" && len(in) == 3:
		if limit, ok := s.number(p, in[1]); ok {
			return limit.Sub(dim.Number(1)), true
		}
	case op == "CumSum":
		if d := s.value(p, in[0]).Dims; len(d) > 0 && d[len(d)-1].Known() {
			return d[len(d)-1], true
		}
	case op == "Add" && len(in) == 2:
		return s.shifted(p, in, depth)
	case op == "Mul" && len(in) == 2, op == "Where" && len(in) == 3:
		for _, side := range in[len(in)-2:] {
			if last, ok := s.counted(p, side, depth+1); ok {
				return last, true
			}
		}
	case op == "Tile", op == "Expand", op == "Slice", op == "Transpose", passes[op].whole:
		return s.counted(p, in[0], depth+1)
	}
	return dim.Dim{}, false
}

// shifted are counted numbers and one that is added to them all.
func (s *Sizes) shifted(p *graphops.Place, in []string, depth int) (dim.Dim, bool) {
	for i, side := range in {
		last, ok := s.counted(p, side, depth+1)
		by, known := s.number(p, in[1-i])
		if ok && known {
			return last.Add(by), true
		}
	}
	return dim.Dim{}, false
}

// number is a single number, constant or computed of sizes.
func (s *Sizes) number(p *graphops.Place, name string) (dim.Dim, bool) {
	if list := s.value(p, name).Sizes(); len(list) == 1 {
		return list[0], list[0].Known()
	}
	f := &frame{graph: p.Graph}
	if list, ok := f.ints(name, 0); ok && len(list) == 1 {
		return dim.Number(list[0]), true
	}
	return dim.Dim{}, false
}

func named(n *graphops.Node) string {
	if n.Name() == "" && len(n.Outputs()) > 0 {
		return fmt.Sprintf("the %s that makes %q", n.OpType(), n.Outputs()[0])
	}
	return fmt.Sprintf("%s %q", n.OpType(), n.Name())
}

// unlimited is the size from which on a symbol counts as not limited.
const unlimited = 1 << 20

// probes are sizes at which a condition must hold up to one and not from there on, to
// be a limit: that a size is even is none.
var probes = []int64{1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 64, 100, 1000, unlimited}

// Largest is the largest size that a symbol may have where others have those, and what
// says so; ok is false where nothing limits it.
func (s *Sizes) Largest(symbol string, others map[string]int64) (n int64, why string, ok bool) {
	n = unlimited
	for _, c := range s.conditions {
		if limit := c.limit(symbol, others); limit < n {
			n, why, ok = limit, c.why, true
		}
	}
	return n, why, ok
}

// limit is the largest size at which the condition holds, unlimited where it is none of
// this symbol.
func (c condition) limit(symbol string, others map[string]int64) int64 {
	mentioned := false
	for _, d := range []dim.Dim{c.a, c.b} {
		d.Symbols(func(name string) { mentioned = mentioned || name == symbol })
	}
	if !mentioned {
		return unlimited
	}
	holds := func(n int64) bool {
		size := func(name string) (int64, bool) {
			if name == symbol {
				return n, true
			}
			other, known := others[name]
			return other, known
		}
		a, errA := c.a.Eval(size)
		b, errB := c.b.Eval(size)
		return errA != nil || errB != nil || c.holds(a, b)
	}
	first := slices.IndexFunc(probes, func(n int64) bool { return !holds(n) })
	if first < 1 || slices.ContainsFunc(probes[first:], holds) {
		return unlimited
	}
	lo, hi := probes[first-1], probes[first]
	return lo + int64(sort.Search(int(hi-lo)-1, func(i int) bool { return !holds(lo + 1 + int64(i)) }))
}
