package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Offers returns the schema that a node of the operator would have in the graph, in the imported
// version; nil if there is none, or if a function of the model has the operator's name. If the
// domain is not imported, the main graph and its bodies get the schema of version otherwise, unless
// that is 0, because Model.Import can add it.
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
