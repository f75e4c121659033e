package cost

import (
	"cmp"
	"slices"

	"lathe/graphops"
)

// Summary has the numbers and sizes of a model's parts.
type Summary struct {
	Nodes         int // of the main graph
	SubgraphNodes int // of bodies at any depth
	Functions     int
	Initializers  int            // dense and sparse, including those in bodies
	WeightBytes   int64          // of all initializers, including external ones
	Ops           map[string]int // by name only
	// Domains has the number of nodes by domain and operator name. The standard domain is
	// "ai.onnx".
	Domains map[string]map[string]int
	// Odd has errors about initializers with an invalid type or shape. WeightBytes does not
	// include these initializers.
	Odd []error
}

// Summarize counts the parts of a model. It reads no weights.
func Summarize(m *graphops.Model) Summary {
	s := Summary{Nodes: len(m.Graph().Nodes()), Functions: len(m.Functions()), Ops: map[string]int{}, Domains: map[string]map[string]int{}}
	for _, p := range m.Places() {
		g := p.Graph
		if p.Kind == graphops.FunctionBody {
			continue // functions have no initializers, and their nodes are not counted
		}
		if p.Kind == graphops.BodyGraph {
			s.SubgraphNodes += len(g.Nodes())
		}
		s.countNodes(g.Index(), len(g.Nodes()))
		for _, t := range g.Initializers() {
			s.count(t)
		}
		for _, sp := range g.SparseInitializers() {
			if values := sp.Values(); values != nil {
				s.count(values)
			}
		}
	}
	return s
}

// countNodes counts the n nodes of a graph.
func (s *Summary) countNodes(x *graphops.Index, n int) {
	counts := make([]int, len(x.Operators()))
	for i := range n {
		counts[x.Operator(i)]++
	}
	for i, op := range x.Operators() {
		s.Ops[op.Name] += counts[i]
		domain := cmp.Or(op.Domain, graphops.StandardDomain)
		if s.Domains[domain] == nil {
			s.Domains[domain] = map[string]int{}
		}
		s.Domains[domain][op.Name] += counts[i]
	}
}

func (s *Summary) count(t *graphops.Tensor) {
	s.Initializers++
	size, err := t.ByteLen()
	if err != nil {
		s.Odd = append(s.Odd, err)
		return
	}
	s.WeightBytes += size
}

// OpCount is an operator and the number of nodes that use it.
type OpCount struct {
	Op    string
	Count int
}

// ByCount lists the operators, the most frequent first. If two domains have an operator with the
// same name, the one outside the standard domain is listed with its domain, such as
// "com.microsoft::DequantizeLinear".
func (s Summary) ByCount() []OpCount {
	out := make([]OpCount, 0, len(s.Ops))
	for domain, ops := range s.Domains {
		for op, n := range ops {
			name := op
			if n < s.Ops[op] && domain != graphops.StandardDomain {
				name = domain + "::" + op
			}
			out = append(out, OpCount{name, n})
		}
	}
	slices.SortFunc(out, func(a, b OpCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Op, b.Op))
	})
	return out
}
