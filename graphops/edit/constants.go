package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// Where a constant is kept, as reports say it.
const (
	asNode        = "Constant"
	asInitializer = "initializer"
	asInput       = "input"
	asOptional    = "optional input"
)

// irSparse is the IR version from which on a graph has sparse initializers.
const irSparse = 6

// constants is an edit of where constants are kept.
type constants struct {
	*edit
	twice     map[string]bool // names with several definitions, which no runtime takes
	overruled map[string]bool // names with several, the last of which counts
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

// ConstantsToInitializers makes initializers of Constant nodes: of those that
// make the named values, or of all that can be. Elements stay where they lie.
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
		return len(slices.DeleteFunc(slices.Clone(g.Nodes()), func(n *graphops.Node) bool { return !isConstant(n) }))
	})
	next, report := e.finish()
	return next, report, nil
}

// holdsInitializers refuses places that have none.
func (e *constants) holdsInitializers() error {
	if e.place.Kind == graphops.FunctionBody {
		return fmt.Errorf("%q: a function has no initializers; its constants are nodes", e.place)
	}
	return nil
}

// isConstant reports whether the node is a Constant of the standard operators.
func isConstant(n *graphops.Node) bool {
	return n.OpType() == asNode && n.Domain() == graphops.DefaultDomain && len(n.Outputs()) == 1 && n.Outputs()[0] != ""
}

// constantNodes are the values that a Constant makes.
func (e *constants) constantNodes() []graphops.ValueID {
	var out []graphops.ValueID
	for i, n := range e.graph.Nodes() {
		if !isConstant(n) {
			continue
		}
		if id, ok := e.index.Value(n.Outputs()[0]); ok && e.index.Producer(id) == i {
			out = append(out, id)
		}
	}
	return out
}

// keepsConstant tells what keeps a value from being an initializer, "" for
// nothing.
func (e *constants) keepsConstant(id graphops.ValueID) string {
	i := e.index.Producer(id)
	switch {
	case i < 0 && !e.index.IsDefined(id):
		return "comes from around, expected a Constant of this place"
	case i < 0:
		return "is an " + e.kindOf(id) + " already, made by no node"
	case !isConstant(e.graph.Nodes()[i]):
		return fmt.Sprintf("is made by node %s, expected a Constant", nodeLabel(e.graph, i))
	case e.twice[e.index.Name(id)]:
		return definedTwice
	}
	ir := e.model.IRVersion()
	switch c, why := constantOf(e.graph.Nodes()[i]); {
	case why != "":
		return why
	case ir < graphops.OptionalInputsIR && e.place.Kind == graphops.BodyGraph:
		return fmt.Sprintf("stands in a body, which has no initializers in IR version %d; version %d brought them", ir, graphops.OptionalInputsIR)
	case c.Sparse() != nil && ir < irSparse:
		return fmt.Sprintf("is sparse: IR version %d has no sparse initializers, version %d brought them", ir, irSparse)
	}
	return ""
}

// definedTwice is told of values that no runtime would take.
const definedTwice = "is defined more than once, which no runtime takes; rename one"

// dropConstants takes out the Constants of the chosen values, and whatever else
// defines their names and does not count: initializers, inputs, earlier Constants.
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
		if isConstant(n) && gone[n.Outputs()[0]] {
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

// addInitializer makes an initializer of a Constant's value.
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

// inputFor is the input entry of an initializer, with what value_info says of it
// beside its type.
func (e *constants) inputFor(t *graphops.Tensor) *graphops.ValueInfo {
	if v := e.infos[t.Name()]; v != nil {
		return v.WithType(typeOf(t))
	}
	return graphops.NewValueInfo(t.Name(), typeOf(t))
}

// typeOf is the type of an initializer.
func typeOf(t *graphops.Tensor) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims())}
}

// finish is the edited model. What became an input leaves value_info.
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
