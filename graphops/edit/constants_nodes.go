package edit

import (
	"fmt"

	"lathe/graphops"
)

// InitializersToConstants replaces initializers by Constant nodes at the start of the graph: the
// named ones, or, without names, all for which this is possible. The elements stay in their file.
// The default of an optional input stays an initializer.
func InitializersToConstants(m *graphops.Model, p *graphops.Place, values []string) (*graphops.Model, *Report, error) {
	e := beginConstants(m, p)
	if err := e.holdsInitializers(); err != nil {
		return nil, nil, err
	}
	chosen, err := e.chosen(values, e.initializers(), e.keepsInitializer)
	if err != nil {
		return nil, nil, err
	}
	dense, sparse := e.counted()
	for _, id := range chosen {
		name := e.index.Name(id)
		value := graphops.SparseAttribute("sparse_value", sparse[name])
		if t := dense[name]; t != nil {
			value = graphops.TensorAttribute("value", t)
		}
		e.insert(atFront, graphops.NewNode(graphops.NodeSpec{
			Op: asNode, Name: e.fresh().Node(name), Outputs: []string{name},
			Attributes: []*graphops.Attribute{value},
		}))
		e.report.changed("constant", name, asInitializer, asNode)
	}
	gone := e.names(chosen)
	e.dropInitializers(gone)
	if e.model.IRVersion() < graphops.OptionalInputsIR {
		e.dropInputs(gone) // in that version each initializer is listed as an input
	}
	e.mentionBodies(values, asInitializer, func(g *graphops.Graph) int {
		return len(g.Initializers()) + len(g.SparseInitializers())
	})
	next, report := e.finish()
	return next, report, nil
}

// initializers returns all initializers of the place, first the dense ones and then the sparse
// ones. A name that occurs several times is returned once.
func (e *constants) initializers() []graphops.ValueID {
	var out []graphops.ValueID
	seen := map[graphops.ValueID]bool{}
	add := func(name string) {
		if id, ok := e.index.Value(name); ok && name != "" && e.index.IsInitializer(id) && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	for _, t := range e.graph.Initializers() {
		add(t.Name())
	}
	for _, s := range e.graph.SparseInitializers() {
		add(s.Name())
	}
	return out
}

// counted returns the initializers that are in effect, by name. If a name occurs several times, the
// last initializer is in effect, and a sparse one before a dense one.
func (e *constants) counted() (dense map[string]*graphops.Tensor, sparse map[string]*graphops.SparseTensor) {
	dense, sparse = map[string]*graphops.Tensor{}, map[string]*graphops.SparseTensor{}
	for _, t := range e.graph.Initializers() {
		dense[t.Name()] = t
	}
	for _, s := range e.graph.SparseInitializers() {
		sparse[s.Name()] = s
		delete(dense, s.Name())
	}
	return dense, sparse
}

// names returns the names of the values as a set.
func (e *constants) names(list []graphops.ValueID) map[string]bool {
	out := map[string]bool{}
	for _, id := range list {
		out[e.index.Name(id)] = true
	}
	return out
}

// keepsInitializer returns why the value cannot become a Constant node, or "" if it can.
func (e *constants) keepsInitializer(id graphops.ValueID) string {
	switch {
	case !e.index.IsInitializer(id):
		return e.notInitializer(id)
	case e.isOptional(id):
		return "is the default of an optional input; fix it first with from-inputs"
	case e.definedAround(id):
		return "has the name of a value in an enclosing graph, which an initializer may hide but a node may not; rename it first"
	case e.twice[e.index.Name(id)]:
		return definedTwice
	}
	return e.lacksConstant(id)
}

// notInitializer says, for an error, what the value is instead of an initializer.
func (e *constants) notInitializer(id graphops.ValueID) string {
	if i := e.index.Producer(id); i >= 0 {
		return fmt.Sprintf("is made by node %s, expected an initializer", nodeLabel(e.graph, i))
	}
	if !e.index.IsDefined(id) {
		return "is defined in an enclosing graph, expected an initializer of this one"
	}
	return "is an input without a value, expected an initializer"
}

// isOptional reports whether the value is an input with a default that callers may replace.
func (e *constants) isOptional(id graphops.ValueID) bool {
	return e.index.IsInput(id) && e.index.IsInitializer(id) && e.model.IRVersion() >= graphops.OptionalInputsIR
}

// definedAround reports whether a place that encloses this one defines a value with the same name.
func (e *constants) definedAround(id graphops.ValueID) bool {
	for around := e.place.Parent; around != nil; around = around.Parent {
		x := around.Graph.Index()
		if outer, ok := x.Value(e.index.Name(id)); ok && x.IsDefined(outer) {
			return true
		}
	}
	return false
}

// lacksConstant returns a message if a Constant with the value needs a later opset than the place
// imports; otherwise "".
func (e *constants) lacksConstant(id graphops.ValueID) string {
	what := "sparse"
	need, known := sparseSince()
	if t := e.index.Initializer(id); t != nil {
		what = t.DType().String()
		need, known = constantSince(t.DType())
	}
	opset, _ := e.opset(graphops.DefaultDomain)
	switch {
	case !known:
		return fmt.Sprintf("is of type %s, which no Constant can have", what)
	case opset < need:
		return fmt.Sprintf("is %s: opset %d has no such Constant, only opsets from %d on", what, opset, need)
	}
	return ""
}
