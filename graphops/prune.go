package graphops

import (
	"errors"
	"fmt"
	"slices"
)

// PruneOptions say what a pruned model keeps.
type PruneOptions struct {
	// Outputs are the values that become the graph's outputs, in this order. They can be any
	// values of the main graph. If it is empty, the outputs stay the same.
	Outputs []string
	// Inputs are the values that become inputs. Nodes that are only needed to compute these values
	// are removed.
	Inputs []string
}

// Pruning describes what Prune did to a model.
type Pruning struct {
	Keep         []bool // by index of the main graph's nodes
	KeptNodes    int    // in the main graph
	RemovedNodes int
	RemovedBytes int64        // of structure and weights
	Inputs       []*ValueInfo // inputs that a run of the result requires
	Outputs      []*ValueInfo
	LostInputs   []string // inputs of the original that are dropped
	// Untyped are the inputs and outputs of the result whose type is unknown: the model declares
	// none, and PrunePlan.Model was given none.
	Untyped  []string
	Warnings []string
}

// Prune returns the model with only the nodes that the outputs need, going back to the inputs. A
// value that a body captures counts as needed. A function is kept if a kept node calls it, and an
// entry of value_info if its value is kept.
func Prune(m *Model, o PruneOptions) (*Model, *Pruning, error) {
	p, err := PlanPrune(m, o)
	if err != nil {
		return nil, nil, err
	}
	return p.Model(nil)
}

// PrunePlan is what a prune keeps. It shows that the prune is possible before anybody infers the
// types of the values that become inputs and outputs, which takes longer.
type PrunePlan struct{ of pruner }

// PlanPrune decides what Prune keeps.
func PlanPrune(m *Model, o PruneOptions) (*PrunePlan, error) {
	p, err := newPruner(m, o)
	if err != nil {
		return nil, err
	}
	p.walk()
	if err := p.checkDefined(); err != nil {
		return nil, err
	}
	return &PrunePlan{*p}, nil
}

// Model returns the pruned model. types are the types of values that become inputs and outputs, by
// name. A type in it replaces the one that the model declares.
func (p *PrunePlan) Model(types map[string]Type) (*Model, *Pruning, error) {
	q, report := p.of, *p.of.report
	report.Warnings = slices.Clip(report.Warnings)
	q.types, q.report = types, &report
	return q.model()
}

func (p *pruner) model() (*Model, *Pruning, error) {
	e := Edit(p.source)
	p.filter(e)
	pruned, err := p.unshadow(e.Model())
	if err != nil {
		return nil, nil, err
	}
	p.report.Inputs, p.report.Outputs = pruned.graph.FeedInputs(), pruned.graph.outputs
	pruned.functions = pruned.CalledFunctions()
	if pruned.HasTraining() {
		pruned.training = nil
		p.warn(TrainingDropped)
	}
	p.report.RemovedBytes = weightOf(p.source) - weightOf(pruned)
	return pruned, p.report, nil
}

type pruner struct {
	source  *Model
	graph   *Graph
	index   *Index
	o       PruneOptions
	types   map[string]Type // of values that become inputs and outputs
	needed  []bool          // by value
	cut     []bool          // by value: becomes an input
	outputs []ValueID
	report  *Pruning
}

func newPruner(m *Model, o PruneOptions) (*pruner, error) {
	x := m.graph.Index()
	p := &pruner{
		source: m, graph: m.graph, index: x, o: o,
		needed: make([]bool, x.Values()), cut: make([]bool, x.Values()),
		report: &Pruning{Keep: make([]bool, len(m.graph.nodes))},
	}
	if len(o.Outputs) == 0 {
		for _, v := range m.graph.outputs {
			p.o.Outputs = append(slices.Clip(p.o.Outputs), v.name)
		}
	}
	for _, name := range p.o.Outputs {
		id, err := p.lookup("output", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(p.outputs, id) {
			p.warn("output %q is requested twice; the result has it once", name)
			continue
		}
		p.outputs = append(p.outputs, id)
	}
	for _, name := range o.Inputs {
		id, err := p.lookup("input", name)
		if err != nil {
			return nil, err
		}
		p.cut[id] = true
	}
	if len(p.outputs) == 0 {
		return nil, errors.New("the graph has no outputs, and none is requested")
	}
	return p, nil
}

// lookup finds a value of the main graph. A value of a body or function cannot be an input or
// output of the model, so the error for it says in which place it is.
func (p *pruner) lookup(what, name string) (ValueID, error) {
	id, err := p.index.Lookup(what, name)
	if err == nil {
		return id, nil
	}
	for _, at := range p.source.Places()[1:] {
		x := at.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) && name != "" {
			return -1, fmt.Errorf("%s %q: is a value inside of %q; only values of the main graph can be inputs and outputs", what, name, at)
		}
	}
	return -1, err
}

func (p *pruner) warn(format string, args ...any) {
	p.report.Warnings = append(p.report.Warnings, fmt.Sprintf(format, args...))
}

// walk marks every value and node that the outputs need.
func (p *pruner) walk() {
	stack := slices.Clone(p.outputs)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.needed[v] {
			continue
		}
		p.needed[v] = true
		i := p.index.Producer(v)
		if i < 0 || p.cut[v] || p.report.Keep[i] {
			continue
		}
		p.report.Keep[i] = true
		n := p.graph.nodes[i]
		for _, list := range [][]string{n.inputs, n.Captured()} {
			for _, name := range list {
				if name != "" {
					stack = append(stack, p.index.number(name))
				}
			}
		}
	}
	for _, keep := range p.report.Keep {
		if keep {
			p.report.KeptNodes++
		}
	}
	p.report.RemovedNodes = len(p.report.Keep) - p.report.KeptNodes
}

// checkDefined returns an error if the result needs a value that is not defined, or that is defined
// more than once. Parts of the model that are removed may be invalid.
func (p *pruner) checkDefined() error {
	for v := range p.needed {
		id := ValueID(v)
		if p.needed[v] && !p.cut[v] && !p.index.IsDefined(id) {
			return fmt.Errorf("%svalue %q is neither produced by a node nor an input or initializer; if the weights were saved separately, add them with lathe export --weights", p.reader(id), p.index.Name(id))
		}
	}
	for _, name := range p.index.Duplicates {
		if id := p.index.number(name); p.needed[id] && !p.cut[id] {
			return fmt.Errorf("%svalue %q is defined more than once, which no runtime accepts; rename one of them, or make the value an input", p.reader(id), name)
		}
	}
	var again []string
	for _, name := range p.index.Overruled {
		if p.needed[p.index.number(name)] && !slices.Contains(again, name) {
			again = append(again, name)
		}
	}
	if len(again) > 0 {
		p.warn("%s: defined more than once; the last one is kept; %s", QuoteNames(again), OverruledNote)
	}
	return nil
}

// reader names a kept node that reads a value, as the beginning of a message. It returns an empty
// string if no kept node does.
func (p *pruner) reader(id ValueID) string {
	for _, i := range p.index.Readers(id) {
		if p.report.Keep[i] {
			return fmt.Sprintf("node %d %q: ", i, p.graph.nodes[i].name)
		}
	}
	return ""
}

// stays reports whether the result contains a value, because it is needed or because it is an
// unneeded output of a kept node.
func (p *pruner) stays(id ValueID) bool {
	i := p.index.Producer(id)
	return p.needed[id] || i >= 0 && p.report.Keep[i]
}

func (p *pruner) filter(e *Editor) {
	p.detachCuts(e)
	nodes := e.Nodes[:0]
	for i, n := range e.Nodes {
		if p.report.Keep[i] {
			nodes = append(nodes, n)
		}
	}
	e.Nodes = slices.Clip(nodes)
	p.keepConstants(e)
	e.Inputs = p.inputs()
	e.Outputs = p.outputInfos()
	e.ValueInfo = p.valueInfo()
	e.keepAnnotations(func(name string) bool {
		id, ok := p.index.Value(name)
		return ok && p.stays(id)
	})
}

// keepConstants removes the initializers that are not needed or that have no effect because a later
// constant has the same name.
func (p *pruner) keepConstants(e *Editor) {
	var dense []*Tensor
	for i, t := range e.Initializers {
		id := p.index.number(t.name)
		if p.index.isConstantAt(id, i) && p.needed[id] && !p.cut[id] {
			dense = append(dense, t)
		}
	}
	e.Initializers = dense
	e.Sparse = slices.DeleteFunc(e.Sparse, func(s *SparseTensor) bool {
		id := p.index.number(s.Name())
		return !p.index.IsInitializer(id) || !p.needed[id] || p.cut[id]
	})
}

// weightOf returns the size in bytes of a model with its external data.
func weightOf(m *Model) int64 {
	n := encodedSize(m)
	for t := range m.ExternalTensors() {
		if size, err := t.ByteLen(); err == nil {
			n += size
		}
	}
	return n
}
