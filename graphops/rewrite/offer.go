package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Offers is what a node of the operator would be in the graph: its schema in the
// imported version; nil where there is none, or where a function of the model has
// the operator's name. A domain that is not imported offers nothing, but for one
// that Model.Import can add: the main graph and its bodies are offered that of the
// version given as otherwise, if it is not 0.
func (g *Graph) Offers(domain, op string, otherwise int64) *opschema.Schema {
	domain = graphops.NormalDomain(domain)
	if g.model.hides(graphops.FunctionKey{Domain: domain, Name: op}) {
		return nil
	}
	version := g.Opset(domain)
	if version == 0 && g.place.Function == nil {
		version = otherwise
	}
	if version == 0 {
		return nil
	}
	s, _ := opschema.Find(domain, op, version)
	return s
}
