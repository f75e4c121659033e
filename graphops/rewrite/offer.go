package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Offers returns the schema that a node with this operator would have in the graph, according to
// the imported version of the domain. It is nil if there is none, or if a function of the model has
// the name of the operator. If the domain is not imported, and the graph is not part of a function,
// the version is otherwise, because Model.Import can add the import; 0 means that there is none.
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
