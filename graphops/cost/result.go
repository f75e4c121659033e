package cost

import (
	"cmp"
	"context"
	"slices"

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
	// undecided has the nodes of which no branch is counted.
	undecided map[spot]bool
	whole     Total
	byOp      []OperatorTotal
}

// spot identifies a node of a place.
type spot struct{ place, node int }

// OperatorTotal is the cost of all nodes of one operator. The costs of bodies and functions belong
// to the operators of the nodes inside.
type OperatorTotal struct {
	Domain, Operator string
	Nodes            int // the number of entries, however often each entry runs
	Total
}

// Analyze infers the shapes of a model and sums up the costs of its nodes. Unnamed axes of inputs
// get the symbols of shape.AxisName. limit is that of shape.Options, and the error is that of
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

// At returns the result with symbols replaced by sizes.
func (r *Result) At(sizes map[string]int64) *Result {
	if len(sizes) == 0 {
		return r
	}
	return r.added(func(symbol string) (dim.Dim, bool) {
		n, ok := sizes[symbol]
		return dim.Number(n), ok
	})
}

// Node returns the cost of a node, summed over all entries of its place; zero if it is never
// reached.
func (r *Result) Node(p *graphops.Place, i int) Node {
	n := r.nodes[p.ID][i]
	n.Parameters = Parameters(p, p.Graph.Nodes()[i])
	return n
}

// Within returns the cost of a node including everything that it enters.
func (r *Result) Within(p *graphops.Place, i int) Total {
	var t tally
	r.addWithin(&t, p, i)
	return t.total()
}

// Sum returns the cost of some nodes of a place including everything that they enter.
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

// Operators returns the totals of operators, in the order of their names.
func (r *Result) Operators() []OperatorTotal { return slices.Clone(r.byOp) }

// added returns the result for sizes of symbols, with new sums.
func (r *Result) added(size func(symbol string) (dim.Dim, bool)) *Result {
	out := &Result{Shapes: r.Shapes, model: r.model, root: r.root, held: map[spot]Total{}, why: r.why, undecided: map[spot]bool{}}
	for _, p := range r.model.Places() {
		out.nodes = append(out.nodes, make([]Node, len(p.Graph.Nodes())))
	}
	a := &addition{result: out, byOp: map[operator]*operatorTally{}, dropped: map[*frame]bool{}, size: size, sized: map[string]dim.Dim{}}
	if r.root != nil {
		out.whole = a.frame(r.root)
		a.operators(r.root)
	}
	for op, t := range a.byOp {
		out.byOp = append(out.byOp, OperatorTotal{op.domain, op.name, t.nodes, t.total()})
	}
	slices.SortFunc(out.byOp, func(x, y OperatorTotal) int {
		return cmp.Or(cmp.Compare(x.Domain, y.Domain), cmp.Compare(x.Operator, y.Operator))
	})
	return out
}
