package adopt

import (
	"lathe/graphops"
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

// Compare counts the nodes that were added and removed. A node of the result counts as kept if the
// original has a node with the same operator and the same name, or, if no name matches, with the
// same first output. Nodes of functions in the original count once for each call, because an
// optimizer may inline the calls.
func Compare(original, result *graphops.Model) Changes {
	c := Changes{Made: map[string]int{}, Gone: map[string]int{}}
	stays := newCensus(original)
	inlined := expansion(original)
	for n := range graphNodes(result) {
		op := Operator(n)
		if stays.take(n) {
			continue
		}
		if inlined[op] > 0 {
			inlined[op]--
			continue
		}
		c.Made[op]++
	}
	for op, n := range stays.left {
		if n > 0 {
			c.Gone[op] = n
		}
	}
	return c
}

// graphNodes iterates over the nodes of the main graph and of its bodies. Functions are not
// included.
func graphNodes(m *graphops.Model) func(yield func(*graphops.Node) bool) {
	return func(yield func(*graphops.Node) bool) {
		for _, p := range m.Places() {
			if p.Function != nil {
				continue
			}
			for _, n := range p.Graph.Nodes() {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// identity is the key by which a node is found again: its operator with either its name or its
// first output.
type identity struct{ op, name, output string }

// census counts the nodes of the original for which no node of the result was found yet.
type census struct {
	byName, byOutput map[identity]int
	left             map[string]int // by operator
}

func newCensus(m *graphops.Model) *census {
	c := &census{map[identity]int{}, map[identity]int{}, map[string]int{}}
	for n := range graphNodes(m) {
		op := Operator(n)
		c.left[op]++
		if n.Name() != "" {
			c.byName[identity{op: op, name: n.Name()}]++
		}
		if o := firstOutput(n); o != "" {
			c.byOutput[identity{op: op, output: o}]++
		}
	}
	return c
}

func firstOutput(n *graphops.Node) string {
	for _, o := range n.Outputs() {
		if o != "" {
			return o
		}
	}
	return ""
}

// take reports whether the original has a node like n that was not found yet, and counts that node
// as found.
func (c *census) take(n *graphops.Node) bool {
	op := Operator(n)
	if c.left[op] == 0 {
		return false
	}
	for _, k := range []struct {
		of map[identity]int
		is identity
	}{
		{c.byName, identity{op: op, name: n.Name()}},
		{c.byOutput, identity{op: op, output: firstOutput(n)}},
	} {
		if k.of[k.is] > 0 {
			k.of[k.is]--
			c.left[op]--
			return true
		}
	}
	return false
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
	for n := range graphNodes(m) {
		x.add(out, n, 0)
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
