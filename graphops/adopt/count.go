package adopt

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// Changes counts, by operator, the nodes that an optimizer added and removed.
type Changes struct {
	Made map[string]int // only in the result, by operator
	Gone map[string]int // only in the original, by operator
}

// Operator returns the name of a node's operator. If its domain is not the default domain, the
// domain comes first: "com.microsoft::FusedConv".
func Operator(n *graphops.Node) string {
	if domain := graphops.NormalDomain(n.Domain()); domain != graphops.DefaultDomain {
		return domain + "::" + n.OpType()
	}
	return n.OpType()
}

// Compare counts the nodes that were added and removed. A node of the original counts as kept if its
// partner in the result has the same operator, or if another graph of the result has a node with
// this operator and the same name. Nodes of functions in the original count once for each call,
// because an optimizer may inline the calls.
func Compare(ctx context.Context, original, result *graphops.Model) (Changes, error) {
	places, err := diff.Match(ctx, original, result)
	if err != nil {
		return Changes{}, err
	}
	c := Changes{Made: map[string]int{}, Gone: map[string]int{}}
	gone := map[identity]int{}
	var made []*graphops.Node
	for _, p := range places {
		keptA, keptB := map[int]bool{}, map[int]bool{}
		for _, pair := range p.Nodes {
			if p.A.Graph.Nodes()[pair.A].Op() == p.B.Graph.Nodes()[pair.B].Op() {
				keptA[pair.A], keptB[pair.B] = true, true
			}
		}
		for _, n := range others(p.A, keptA) {
			c.Gone[Operator(n)]++
			gone[identityOf(n)]++
		}
		made = append(made, others(p.B, keptB)...)
	}
	inlined := expansion(original)
	for _, n := range made {
		switch op, is := Operator(n), identityOf(n); {
		case gone[is] > 0: // it was moved to another graph
			gone[is]--
			if c.Gone[op]--; c.Gone[op] == 0 {
				delete(c.Gone, op)
			}
		case inlined[op] > 0:
			inlined[op]--
		default:
			c.Made[op]++
		}
	}
	return c, nil
}

// others returns the nodes of a place that were not kept. It returns none for a function, or if p is
// nil.
func others(p *graphops.Place, kept map[int]bool) []*graphops.Node {
	var out []*graphops.Node
	if p != nil && p.Function == nil {
		for i, n := range p.Graph.Nodes() {
			if !kept[i] {
				out = append(out, n)
			}
		}
	}
	return out
}

// identity is the operator of a node, with its name or, if it has none, its first output.
type identity struct{ op, name, output string }

func identityOf(n *graphops.Node) identity {
	is := identity{op: Operator(n), name: n.Name()}
	if is.name == "" && len(n.Outputs()) > 0 {
		is.output = n.Output(0)
	}
	return is
}

// maxExpansion limits the counted number of nodes that result from inlining. If each of many
// functions calls the next one twice, the true number doubles with every level.
const maxExpansion = 1 << 30

// expansion counts the nodes that result if all function calls are inlined, by operator.
func expansion(m *graphops.Model) map[string]int {
	if len(m.Functions()) == 0 {
		return nil
	}
	x := &expander{functions: map[graphops.FunctionKey]*graphops.Function{}, known: map[graphops.FunctionKey]map[string]int{}}
	for _, f := range m.Functions() {
		x.functions[f.Key()] = f
	}
	out := map[string]int{}
	for _, p := range m.Places() {
		for _, n := range others(p, nil) {
			x.add(out, n, 0)
		}
	}
	return out
}

type expander struct {
	functions map[graphops.FunctionKey]*graphops.Function
	known     map[graphops.FunctionKey]map[string]int
}

// maxCalls is the maximum nesting of function calls that is followed. ONNX Runtime allows less.
const maxCalls = 128

// add adds the nodes that result from inlining n if n calls a function of the model; otherwise it
// adds nothing.
func (x *expander) add(to map[string]int, n *graphops.Node, depth int) {
	f := x.functions[n.Calls()]
	if f == nil || depth > maxCalls {
		return
	}
	inner, ok := x.known[f.Key()]
	if !ok {
		inner = map[string]int{}
		x.known[f.Key()] = inner // this ends the recursion if a function calls itself
		x.fill(inner, f.Graph(), depth)
	}
	for op, k := range inner {
		to[op] = min(to[op]+k, maxExpansion)
	}
}

func (x *expander) fill(to map[string]int, g *graphops.Graph, depth int) {
	for _, n := range g.Nodes() {
		if x.functions[n.Calls()] == nil {
			to[Operator(n)] = min(to[Operator(n)]+1, maxExpansion)
		}
		x.add(to, n, depth+1)
		for _, body := range n.Graphs() {
			x.fill(to, body, depth+1)
		}
	}
}
