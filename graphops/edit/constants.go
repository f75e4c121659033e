package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// These say in a report where a constant is stored.
const (
	asNode        = "Constant"
	asInitializer = "initializer"
	asInput       = "input"
	asOptional    = "optional input"
)

// irSparse is the first IR version with sparse initializers.
const irSparse = 6

// constants is the state of an edit that changes where constants are stored.
type constants struct {
	*edit
	twice     map[string]bool // names with several definitions, which no runtime accepts
	overruled map[string]bool // names with several definitions, the last of which applies
	infos     map[string]*graphops.ValueInfo
}

func beginConstants(m *graphops.Model, p *graphops.Place) *constants {
	e := &constants{edit: begin(m, p), twice: map[string]bool{}, overruled: map[string]bool{}, infos: map[string]*graphops.ValueInfo{}}
	for _, name := range e.index.Duplicates {
		e.twice[name] = true
	}
	for _, name := range e.index.Overruled {
		e.overruled[name] = true
	}
	for _, v := range e.graph.ValueInfo() {
		e.infos[v.Name()] = v
	}
	return e
}

// ConstantsToInitializers replaces Constant nodes by initializers: the nodes that produce the named
// values, or, without names, all for which this is possible. The elements stay in their file.
func ConstantsToInitializers(m *graphops.Model, p *graphops.Place, values []string) (*graphops.Model, *Report, error) {
	e := beginConstants(m, p)
	if err := e.holdsInitializers(); err != nil {
		return nil, nil, err
	}
	chosen, err := e.chosen(values, e.constantNodes(), e.keepsConstant)
	if err != nil {
		return nil, nil, err
	}
	e.dropConstants(chosen)
	for _, id := range chosen {
		if err := e.addInitializer(id); err != nil {
			return nil, nil, err
		}
	}
	e.mentionBodies(values, "Constant node", func(g *graphops.Graph) int {
		return len(slices.DeleteFunc(slices.Clone(g.Nodes()), func(n *graphops.Node) bool { return !n.IsConstant() }))
	})
	next, report := e.finish()
	return next, report, nil
}

// holdsInitializers returns an error if the place is a function, which cannot have initializers.
func (e *constants) holdsInitializers() error {
	if e.place.Kind == graphops.FunctionBody {
		return fmt.Errorf("%q: a function has no initializers; its constants are nodes", e.place)
	}
	return nil
}

// constantNodes returns the outputs of all Constant nodes that are in effect.
func (e *constants) constantNodes() []graphops.ValueID {
	var out []graphops.ValueID
	for i, n := range e.graph.Nodes() {
		if !n.IsConstant() {
			continue
		}
		if id, ok := e.index.Value(n.Output(0)); ok && e.index.Producer(id) == i {
			out = append(out, id)
		}
	}
	return out
}

// keepsConstant returns why the value cannot become an initializer, or "" if it can.
func (e *constants) keepsConstant(id graphops.ValueID) string {
	i := e.index.Producer(id)
	switch {
	case i < 0 && !e.index.IsDefined(id):
		return "is defined in an enclosing graph, expected a Constant of this one"
	case i < 0:
		return "is an " + e.kindOf(id) + " already, and no node makes it"
	case !e.graph.Nodes()[i].IsConstant():
		return fmt.Sprintf("is made by node %s, expected a Constant", nodeLabel(e.graph, i))
	case e.twice[e.index.Name(id)]:
		return definedTwice
	}
	ir := e.model.IRVersion()
	switch c, why := constantOf(e.graph.Nodes()[i]); {
	case why != "":
		return why
	case ir < graphops.OptionalInputsIR && e.place.Kind == graphops.BodyGraph:
		return fmt.Sprintf("is in a body, which cannot have initializers in IR version %d, only from version %d on", ir, graphops.OptionalInputsIR)
	case c.Sparse() != nil && ir < irSparse:
		return fmt.Sprintf("is sparse: IR version %d has no sparse initializers, only versions from %d on", ir, irSparse)
	}
	return ""
}

// definedTwice is the reason for values that several nodes, inputs or initializers define.
const definedTwice = "is defined more than once, which no runtime accepts; rename one"

// dropConstants removes the Constant nodes of the chosen values. It also removes initializers,
// inputs and earlier Constant nodes of the same names, which have no effect.
func (e *constants) dropConstants(chosen []graphops.ValueID) {
	gone := e.names(chosen)
	var several []string
	for _, id := range chosen {
		if name := e.index.Name(id); e.overruled[name] {
			several = append(several, name)
		}
	}
	if len(several) > 0 {
		e.report.warn("%s: defined more than once; the last one is kept; %s", graphops.QuoteNames(several), graphops.OverruledNote)
	}
	for i, n := range e.graph.Nodes() {
		if n.IsConstant() && gone[n.Output(0)] {
			e.remove(i)
		}
	}
	e.dropInitializers(gone)
	e.dropInputs(gone)
}

func (e *constants) dropInitializers(gone map[string]bool) {
	e.next.Initializers = slices.DeleteFunc(e.next.Initializers, func(t *graphops.Tensor) bool { return gone[t.Name()] })
	e.next.Sparse = slices.DeleteFunc(e.next.Sparse, func(s *graphops.SparseTensor) bool { return gone[s.Name()] })
}

func (e *constants) dropInputs(gone map[string]bool) {
	e.next.Inputs = slices.DeleteFunc(e.next.Inputs, func(v *graphops.ValueInfo) bool { return gone[v.Name()] })
}

// addInitializer adds an initializer with the value of a Constant node.
func (e *constants) addInitializer(id graphops.ValueID) error {
	name := e.index.Name(id)
	c, _ := constantOf(e.graph.Nodes()[e.index.Producer(id)])
	e.report.changed("constant", name, asNode, asInitializer)
	if s := c.Sparse(); s != nil {
		e.next.Sparse = append(e.next.Sparse, s.WithName(name))
		return nil
	}
	t, err := c.Dense(name)
	if err != nil {
		return fmt.Errorf("value %q: %w", name, err)
	}
	e.next.Initializers = append(e.next.Initializers, t)
	if e.model.IRVersion() < graphops.OptionalInputsIR {
		e.next.Inputs = append(e.next.Inputs, e.inputFor(t))
	}
	return nil
}

// inputFor returns the graph input that lists an initializer. It takes documentation and metadata
// from value_info.
func (e *constants) inputFor(t *graphops.Tensor) *graphops.ValueInfo {
	if v := e.infos[t.Name()]; v != nil {
		return v.WithType(typeOf(t))
	}
	return graphops.NewValueInfo(t.Name(), typeOf(t))
}

// typeOf returns the type of an initializer.
func typeOf(t *graphops.Tensor) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims())}
}

// finish returns the edited model. It removes values that have become inputs from value_info.
func (e *constants) finish() (*graphops.Model, *Report) {
	inputs := map[string]bool{}
	for _, v := range e.next.Inputs {
		inputs[v.Name()] = true
	}
	for _, v := range e.graph.Inputs() {
		delete(inputs, v.Name())
	}
	e.next.ValueInfo = slices.DeleteFunc(e.next.ValueInfo, func(v *graphops.ValueInfo) bool { return inputs[v.Name()] })
	return e.edit.finish()
}
