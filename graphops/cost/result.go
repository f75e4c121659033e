package cost

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Result has the costs of a model. It is immutable.
type Result struct {
	// Shapes has the types that the costs are based on.
	Shapes *shape.Result

	model *graphops.Model
	root  *frame   // nil if the main graph has no nodes
	nodes [][]Node // by place and node
	held  map[spot]Total
	why   map[spot]error // why the multiply-accumulates of a node are unknown
	// undecided has the If nodes of which no branch is counted, because it depends on sizes which
	// branch is more expensive.
	undecided map[spot]bool
	whole     Total
}

// spot is the key of a node: the ID of its place, and its position in it.
type spot struct{ place, node int }

// Analyze infers the shapes of a model and computes the costs of its nodes. Unnamed axes of inputs
// get the symbols of shape.AxisName. limit is shape.Options.Limit, and the errors are those of
// shape.Infer.
func Analyze(ctx context.Context, m *graphops.Model, limit int) (*Result, error) {
	b := &builder{functions: map[graphops.FunctionKey]*graphops.Place{}, sizes: sizes{}, why: map[spot]error{}}
	for _, p := range m.Places() {
		if p.Kind == graphops.FunctionBody {
			b.functions[p.Function.Key()] = p
		}
	}
	shapes, err := shape.Infer(ctx, m, shape.Options{Visit: b.visit, NameAxes: true, Limit: limit})
	if err != nil {
		return nil, err
	}
	r := &Result{Shapes: shapes, model: m, why: b.why}
	if len(b.open) > 0 {
		r.root = b.open[0]
	}
	return r.added(nil), nil
}

// At returns the result in which symbols are replaced by numbers. Symbols without an entry in sizes
// stay.
func (r *Result) At(sizes map[string]int64) *Result {
	if len(sizes) == 0 {
		return r
	}
	return r.added(func(symbol string) (dim.Dim, bool) {
		n, ok := sizes[symbol]
		return dim.Number(n), ok
	})
}

// Node returns the cost of a node. If its place is entered several times, for example a function,
// it is the sum over all of them. It is zero if the place is never entered.
func (r *Result) Node(p *graphops.Place, i int) Node {
	n := r.nodes[p.ID][i]
	n.Parameters = Parameters(p, p.Graph.Nodes()[i])
	return n
}

// Within returns the cost of a node, including its bodies or the function that it calls.
func (r *Result) Within(p *graphops.Place, i int) Total {
	var t tally
	r.addWithin(&t, p, i)
	return t.total()
}

// Sum returns the cost of some nodes of a place, including their bodies and the functions that they
// call.
func (r *Result) Sum(p *graphops.Place, nodes []int32) Total {
	var t tally
	for _, i := range nodes {
		r.addWithin(&t, p, int(i))
	}
	return t.total()
}

func (r *Result) addWithin(t *tally, p *graphops.Place, i int) {
	t.addNode(r.nodes[p.ID][i])
	if held, ok := r.held[spot{p.ID, i}]; ok {
		t.addTotal(held)
	}
}

// Total returns the cost of the model.
func (r *Result) Total() Total { return r.whole }

// added returns a result in which size replaces symbols, with the totals computed again. If size is
// nil, all symbols stay.
func (r *Result) added(size func(symbol string) (dim.Dim, bool)) *Result {
	out := &Result{Shapes: r.Shapes, model: r.model, root: r.root, held: map[spot]Total{}, why: r.why, undecided: map[spot]bool{}}
	for _, p := range r.model.Places() {
		out.nodes = append(out.nodes, make([]Node, len(p.Graph.Nodes())))
	}
	a := &addition{result: out, size: size, sized: map[string]dim.Dim{}}
	if r.root != nil {
		out.whole = a.frame(r.root)
	}
	return out
}
