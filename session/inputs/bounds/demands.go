package bounds

import (
	"context"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Axis is one of an input's.
type Axis struct {
	Input string
	Axis  int
}

// Demand is the only size that an axis can have, and the node that needs it.
type Demand struct {
	Size int64
	Node string // as messages call it
}

// Demands are the sizes of the axes of inputs with a symbol that a model's own nodes leave no choice of: the
// rows of a weight that an input is multiplied with. Known gives the sizes that are known. An
// axis of which nodes need different sizes has none.
func Demands(m *graphops.Model, known func(Axis) (int64, bool)) map[Axis]Demand {
	out := map[Axis]Demand{}
	if m == nil {
		return out
	}
	r, err := shape.Infer(context.Background(), m, shape.Options{})
	if err != nil {
		return out // too large a model tells nothing
	}
	axes := axesOf(m, r)
	needs := map[string]Demand{}
	for _, d := range r.Demands {
		if d.Relation != shape.Equals || d.Place.Kind != graphops.MainGraph {
			continue // other sizes fit too, or the body may not run
		}
		symbol, n, ok := solved(d.A.Size.Sub(d.B.Size).Subst(func(symbol string) (dim.Dim, bool) {
			for _, a := range axes[symbol] {
				if n, ok := known(a); ok {
					return dim.Number(n), true
				}
			}
			return dim.Dim{}, false
		}))
		if !ok {
			continue
		}
		if before, twice := needs[symbol]; twice && before.Size != n {
			n = 0
		}
		node := d.Place.Graph.Nodes()[d.Node]
		needs[symbol] = Demand{n, strings.ReplaceAll(fmt.Sprintf("node %d %q (%s)", d.Node, node.Name(), node.OpType()), ` "" `, " ")}
	}
	for symbol, need := range needs {
		for _, a := range axes[symbol] {
			if need.Size > 0 {
				out[a] = need
			}
		}
	}
	return out
}

// axesOf are the axes of inputs that a symbol of the inference stands for.
func axesOf(m *graphops.Model, r *shape.Result) map[string][]Axis {
	out := map[string][]Axis{}
	main := m.Places()[0]
	for _, in := range m.Graph().FeedInputs() {
		id, ok := main.Graph.Index().Value(in.Name())
		if !ok {
			continue
		}
		for axis, d := range r.Value(main, id).Type.Dims {
			if symbol, ok := d.IsSymbol(); ok {
				out[symbol] = append(out[symbol], Axis{in.Name(), axis})
			}
		}
	}
	return out
}

// solved is the only symbol in an expression, and the size of it for which that is 0.
func solved(e dim.Dim) (symbol string, n int64, ok bool) {
	symbols := map[string]bool{}
	e.Symbols(func(s string) { symbol, symbols[s] = s, true })
	if len(symbols) != 1 {
		return "", 0, false
	}
	x, y, ok := e.Linear(symbol)
	a, isNumber := x.Number()
	b, isNumberToo := y.Number()
	if !ok || !isNumber || !isNumberToo || a == 0 || b%a != 0 || -b/a < 1 {
		return "", 0, false
	}
	return symbol, -b / a, true
}
