package graphops

import (
	"cmp"
	"slices"
)

// Summary counts what a model consists of.
type Summary struct {
	Nodes         int // of the main graph
	SubgraphNodes int // of bodies, at any depth, those in functions included
	Functions     int
	Initializers  int            // dense and sparse, bodies included
	Parameters    int64          // elements of all initializers
	WeightBytes   int64          // of all initializers, external ones included
	Ops           map[string]int // by name alone
	// Domains are the same by domain, the standard's as "ai.onnx", and name.
	Domains map[string]map[string]int
	// Odd are initializers whose type or shape makes no sense; they count
	// nothing above.
	Odd []error
}

// Summarize counts without reading any weight.
func Summarize(m *Model) Summary {
	s := Summary{Nodes: len(m.graph.nodes), Functions: len(m.functions), Ops: map[string]int{}, Domains: map[string]map[string]int{}}
	for _, p := range m.Places() {
		g := p.Graph
		if p.Kind == FunctionBody {
			continue // has no initializers, and its nodes are no part of the graph
		}
		if p.Kind == BodyGraph {
			s.SubgraphNodes += len(g.nodes)
		}
		for _, n := range g.nodes {
			s.countNode(n)
		}
		for _, t := range g.initializers {
			s.count(t)
		}
		for _, sp := range g.sparse {
			if sp.values != nil {
				s.count(sp.values)
			}
		}
	}
	return s
}

func (s *Summary) countNode(n *Node) {
	s.Ops[n.opType]++
	domain := cmp.Or(n.Domain(), StandardDomain)
	if s.Domains[domain] == nil {
		s.Domains[domain] = map[string]int{}
	}
	s.Domains[domain][n.opType]++
}

func (s *Summary) count(t *Tensor) {
	s.Initializers++
	n, err := t.Elements()
	var size int64
	if err == nil {
		size, err = t.ByteLen()
	}
	if err != nil {
		s.Odd = append(s.Odd, err)
		return
	}
	s.Parameters += n
	s.WeightBytes += size
}

// OpCount is how often an operator occurs.
type OpCount struct {
	Op    string
	Count int
}

// ByCount lists the operators, the most frequent first. One outside of the standard that
// has the name of another is listed with its domain, as "com.microsoft::DequantizeLinear".
func (s Summary) ByCount() []OpCount {
	out := make([]OpCount, 0, len(s.Ops))
	for domain, ops := range s.Domains {
		for op, n := range ops {
			name := op
			if n < s.Ops[op] && domain != StandardDomain {
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
