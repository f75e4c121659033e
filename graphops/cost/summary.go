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
		for _, n := range g.Nodes() {
			s.countNode(n)
		}
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

func (s *Summary) countNode(n *graphops.Node) {
	s.Ops[n.OpType()]++
	domain := cmp.Or(n.Domain(), graphops.StandardDomain)
	if s.Domains[domain] == nil {
		s.Domains[domain] = map[string]int{}
	}
	s.Domains[domain][n.OpType()]++
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
