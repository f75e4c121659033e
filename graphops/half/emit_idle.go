package half

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// dropIdle removes a Cast of the original model that no longer changes the type, because its input
// and output both have the target type. Readers of its output then read its input. It reports
// whether it removed the node. A Cast that produces an output of the graph is kept.
func (e *emission) dropIdle(s *scope, n, made *graphops.Node, p plan) bool {
	if !n.Is("Cast") || len(n.Inputs()) != 1 || len(n.Outputs()) != 1 || made.Inputs()[0] == "" {
		return false
	}
	in, out := e.c.lookup(s.place, n.Inputs()[0]), e.c.lookup(s.place, n.Outputs()[0])
	to, ok := made.Attribute("to")
	if in == nil || out == nil || !ok || tensor.DType(to.Int()) != e.c.to || !p.in[0] && !e.isNarrow(in) || !e.isNarrow(out) {
		return false
	}
	if id, ok := s.place.Graph.Index().Value(out.name); !ok || s.place.Graph.Index().IsOutput(id) {
		return false
	}
	e.called[out] = made.Inputs()[0]
	s.dropped[out.name] = true
	e.report.Dropped++
	e.report.depart(IdleCast)
	return true
}

// isNarrow reports whether a value is a tensor of the target type after the conversion. It may have
// been one before.
func (e *emission) isNarrow(d *definition) bool {
	if d.form == dense {
		return d.narrow
	}
	return d.typ.Kind == graphops.TypeTensor && d.typ.Elem == e.c.to
}
