package check

import "lathe/graphops"

// isCalled reports whether ONNX Runtime examines a place at all. It skips functions that are not
// called, whatever they contain.
func (s *subject) isCalled(p *graphops.Place) bool {
	return p.Function == nil || s.called()[p.Function.Key()]
}

// orWarning returns the severity of something that ONNX Runtime rejects wherever it examines the
// model.
func (s *subject) orWarning(p *graphops.Place) Severity {
	if s.isCalled(p) {
		return Error
	}
	return Warning
}

// isEmpty reports whether a node has neither inputs nor outputs. In the main graph ONNX Runtime
// drops such a node, with its bodies, before it examines it.
func isEmpty(n *graphops.Node) bool { return len(n.Inputs())+len(n.Outputs()) == 0 }

// isDroppedUnseen reports whether a node, or a node around its place, is dropped before ONNX
// Runtime examines it.
func isDroppedUnseen(p *graphops.Place, node int) bool {
	for ; p != nil; p, node = p.Parent, p.Node {
		if p.Kind == graphops.MainGraph && node >= 0 && isEmpty(p.Graph.Nodes()[node]) {
			return true
		}
	}
	return false
}

// live returns what the outputs of a place depend on.
func (s *subject) live(p *graphops.Place) graphops.Reach {
	if r, ok := s.alive[p]; ok {
		return r
	}
	x := p.Graph.Index()
	var outputs []graphops.Point
	for _, o := range p.Graph.Outputs() {
		if v, ok := x.Value(o.Name()); ok && o.Name() != "" {
			outputs = append(outputs, graphops.ValuePoint(v))
		}
	}
	r := x.Ancestors(outputs...)
	s.alive[p] = r
	return r
}

// isLive reports whether an output of the model depends on a node.
func (s *subject) isLive(p *graphops.Place, node int) bool {
	return s.isPlaceLive(p) && s.live(p).Nodes[node]
}

func (s *subject) isPlaceLive(p *graphops.Place) bool {
	for ; p.Parent != nil; p = p.Parent {
		if !s.live(p.Parent).Nodes[p.Node] {
			return false
		}
	}
	return s.isCalled(p)
}

// mayNotRun reports whether a node may not run in some runs, or in any run: it is in a branch,
// in a Loop that may have no iterations, or no requested output depends on it.
func (s *subject) mayNotRun(p *graphops.Place, node int) bool {
	if !s.isLive(p, node) {
		return true
	}
	for ; p.Parent != nil; p = p.Parent {
		if n := (site{p.Holder(), p.Parent, p.Node}); n.Is("If") || n.Is("Loop") && !s.turns(n) {
			return true
		}
	}
	return false
}

// turns reports whether a Loop certainly runs its body: the number of iterations is a constant
// above 0, and the condition is constantly true.
func (s *subject) turns(n site) bool {
	in := n.Inputs()
	if len(in) < 2 {
		return false
	}
	return (in[0] == "" || s.startsAbove0(n.place, in[0])) && (in[1] == "" || s.startsAbove0(n.place, in[1]))
}

// startsAbove0 reports whether the first element of a constant is true or above 0.
func (s *subject) startsAbove0(p *graphops.Place, name string) bool {
	t, known := s.inferred(p, name).Constant()
	if !known {
		return false
	}
	list, err := t.Int64s()
	return err == nil && len(list) > 0 && list[0] > 0
}
