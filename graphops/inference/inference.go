package inference

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Opsets in which operators changed how they state whether they are in training mode.
const (
	opsetTest  = 7  // earlier, an attribute is_test
	opsetMask  = 10 // earlier, masks are numbers
	opsetMode  = 12 // from here on, Dropout has the input training_mode
	opsetTrain = 14 // from here on, BatchNormalization has the attribute training_mode
)

// Change is a node that was removed or changed.
type Change struct {
	Op, Name string
	Place    *graphops.Place
	Node     int // its position
	What     string
	// Trains reports that the node was in training mode, or that this depends on a value that is
	// only known in a run.
	Trains bool
}

// Report says what was changed in a model.
type Report struct {
	Changes []Change
	// DroppedOutputs are the removed outputs of the model. They were statistics that training
	// updates.
	DroppedOutputs []string
	Warnings       []string
}

// Trains returns how many of the changed nodes were in training mode, or may have been.
func (r *Report) Trains() int {
	count := 0
	for _, c := range r.Changes {
		if c.Trains {
			count++
		}
	}
	return count
}

// Of returns the inference graph of a model. If no node has to change, it returns m itself. If a
// node cannot be part of an inference graph, the error names all such nodes.
func Of(m *graphops.Model) (*graphops.Model, *Report, error) {
	w := &writer{model: m, names: graphops.NamesOf(m), report: &Report{}, dropped: map[string]bool{}}
	next := m.EditPlaces(w.place)
	switch {
	case len(w.unable) > 0:
		return nil, nil, fmt.Errorf("no inference graph can be made: %s", strings.Join(w.unable, "; "))
	case len(w.report.Changes) == 0:
		return m, w.report, nil
	}
	slices.SortStableFunc(w.report.Changes, func(a, b Change) int { return a.Place.ID - b.Place.ID })
	next, err := w.pruned(next)
	if err != nil {
		return nil, nil, err
	}
	return next, w.report, nil
}

// writer is the state of one call of Of.
type writer struct {
	model   *graphops.Model
	names   *graphops.Names
	report  *Report
	dropped map[string]bool // outputs of the main graph
	unable  []string
}

// pruned returns the model without the dropped outputs, and without nodes and inputs that no
// remaining output needs.
func (w *writer) pruned(m *graphops.Model) (*graphops.Model, error) {
	var keep []string
	for _, o := range m.Graph().Outputs() {
		if w.dropped[o.Name()] {
			w.report.DroppedOutputs = append(w.report.DroppedOutputs, o.Name())
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("output %q is dropped: it was a statistic that training updates", o.Name()))
			continue
		}
		keep = append(keep, o.Name())
	}
	if len(keep) == 0 {
		return nil, fmt.Errorf("no inference graph can be made: all outputs are statistics that training updates")
	}
	next, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: keep})
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, v := range next.Graph().Inputs() {
		left[v.Name()] = true
	}
	for _, v := range m.Graph().Inputs() {
		if id, ok := m.Graph().Index().Value(v.Name()); !left[v.Name()] && ok && !m.Graph().Index().IsInitializer(id) {
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("input %q is dropped: nothing reads it for inference", v.Name()))
		}
	}
	return next, nil
}

// place rewrites the nodes of a place. It is passed to Model.EditPlaces, and reports whether it
// changed anything.
func (w *writer) place(p *graphops.Place, e *graphops.GraphEditor) bool {
	version, ok := w.model.Opset(graphops.DefaultDomain)
	if p.Function != nil {
		version, ok = p.Function.Opset(graphops.DefaultDomain)
	}
	if !ok {
		return false
	}
	s := &scope{writer: w, p: p, version: version, instead: map[string]string{}}
	for i, n := range e.Nodes {
		s.at = i
		if n.Domain() != graphops.DefaultDomain {
			s.nodes = append(s.nodes, n)
			continue
		}
		switch n.OpType() {
		case "Dropout":
			s.dropout(n)
		case "BatchNormalization":
			s.normalization(n)
		default:
			s.nodes = append(s.nodes, n)
		}
	}
	if slices.Equal(s.nodes, e.Nodes) {
		return false
	}
	s.follow()
	for i, n := range s.nodes {
		s.nodes[i] = n.Renamed(s.instead)
	}
	e.Nodes = s.nodes
	e.DropUndefined()
	return true
}

// scope is a place that is being rewritten.
type scope struct {
	*writer
	p       *graphops.Place
	version int64
	at      int // position of the current node
	nodes   []*graphops.Node
	instead map[string]string // maps values to their replacements
}

func (s *scope) changed(n *graphops.Node, trains bool, what string) {
	s.report.Changes = append(s.report.Changes, Change{n.OpType(), n.Name(), s.p, s.at, what, trains})
}

// cannot records that node n cannot be part of an inference graph, with the reason, which follows
// the node's name in the error.
func (s *scope) cannot(n *graphops.Node, why string) {
	where := fmt.Sprintf("%s %q", n.OpType(), n.Name())
	if n.Name() == "" {
		where = fmt.Sprintf("%s #%d", n.OpType(), s.at)
	}
	if s.p.Kind != graphops.MainGraph {
		where += fmt.Sprintf(" in %q", s.p.String())
	}
	s.unable = append(s.unable, where+" "+why)
	s.nodes = append(s.nodes, n)
}

// uses reports whether a node reads the value, and whether it is an output of the graph.
func (s *scope) uses(name string) (read, output bool) {
	x := s.p.Graph.Index()
	id, ok := x.Value(name)
	if name == "" || !ok {
		return false, false
	}
	return len(x.Readers(id)) > 0, x.IsOutput(id)
}

// replace lets all readers of the value name read the value with. If name is an output of the
// graph, an Identity produces it from with.
func (s *scope) replace(name, with string) {
	read, output := s.uses(name)
	if with == "" || !read && !output {
		return
	}
	if !output {
		s.instead[name] = with
		return
	}
	s.nodes = append(s.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "Identity", Name: s.names.Node(name + "_Identity"), Inputs: []string{with}, Outputs: []string{name},
	}))
}

// follow completes s.instead: if the replacement of a value was itself replaced, it maps the value
// to the last replacement.
func (s *scope) follow() {
	for name, with := range s.instead {
		for range len(s.instead) {
			to, ok := s.instead[with]
			if !ok {
				break
			}
			with = to
		}
		s.instead[name] = with
	}
}

// output returns the name of output i of a node; "" if it has none or leaves it out.
func output(n *graphops.Node, i int) string {
	if i < len(n.Outputs()) {
		return n.Outputs()[i]
	}
	return ""
}

func (s *scope) dropout(n *graphops.Node) {
	if len(n.Inputs()) == 0 || n.Inputs()[0] == "" || output(n, 0) == "" && output(n, 1) == "" {
		s.nodes = append(s.nodes, n)
		return
	}
	mask := output(n, 1)
	read, isOutput := s.uses(mask)
	if (read || isOutput) && s.version < opsetMask {
		s.cannot(n, fmt.Sprintf("has a mask %q that is read, but masks have a defined meaning only from opset %d on", mask, opsetMask))
		return
	}
	x := n.Inputs()[0]
	s.replace(output(n, 0), x)
	what := "is removed"
	if read || isOutput {
		what = "is removed, and its mask is true everywhere"
		s.allTrue(x, mask)
	}
	s.changed(n, s.drops(n), what)
}

// allTrue adds nodes that produce mask, which has the shape of x and is true everywhere.
func (s *scope) allTrue(x, mask string) {
	sizes := s.names.Value(mask + "_shape")
	one := graphops.NewTensorOf("", tensor.FromSlice([]bool{true}, 1))
	s.nodes = append(s.nodes,
		graphops.NewNode(graphops.NodeSpec{Op: "Shape", Name: s.names.Node(mask + "_Shape"), Inputs: []string{x}, Outputs: []string{sizes}}),
		graphops.NewNode(graphops.NodeSpec{
			Op: "ConstantOfShape", Name: s.names.Node(mask + "_ConstantOfShape"), Inputs: []string{sizes}, Outputs: []string{mask},
			Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", one)},
		}))
}

// drops reports whether a Dropout is in training mode, or may be because that is only known in a
// run.
func (s *scope) drops(n *graphops.Node) bool {
	switch {
	case s.version < opsetTest:
		a, ok := n.Attribute("is_test")
		return !ok || a.Int() == 0
	case s.version < opsetMode || len(n.Inputs()) < 3 || n.Inputs()[2] == "":
		return false
	}
	t, _ := s.p.Constant(n.Inputs()[2])
	if t == nil {
		return true
	}
	if count, err := t.Elements(); err != nil || count != 1 {
		return true
	}
	x, err := t.Read()
	if err != nil {
		return true
	}
	values, err := x.Float64s()
	return err != nil || values[0] != 0
}

// statistics maps outputs of a BatchNormalization with updated statistics to the inputs with the
// old ones. Both are positions.
var statistics = map[int]int{1: 3, 2: 4}

func (s *scope) normalization(n *graphops.Node) {
	mode, stated := n.Attribute("training_mode")
	test, tested := n.Attribute("is_test")
	more := slices.ContainsFunc(n.Outputs()[min(1, len(n.Outputs())):], func(name string) bool { return name != "" })
	trains := s.version >= opsetTrain && stated && (mode.Int() != 0 || mode.RefName() != "") || s.version >= opsetTest && s.version < opsetTrain && more ||
		s.version < opsetTest && (!tested || test.Int() == 0)
	if !trains && !more {
		s.nodes = append(s.nodes, n)
		return
	}
	if len(n.Inputs()) != 5 {
		s.cannot(n, fmt.Sprintf("has %d inputs, expected 5", len(n.Inputs())))
		return
	}
	for i := 3; i < len(n.Outputs()); i++ {
		if read, isOutput := s.uses(n.Outputs()[i]); read || isOutput {
			s.cannot(n, fmt.Sprintf("makes %q, which is a statistic of the batch and is read", n.Outputs()[i]))
			return
		}
	}
	attributes := slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return a.Name() == "training_mode" || a.Name() == "is_test" })
	if s.version < opsetTest {
		attributes = append(attributes, graphops.IntAttribute("is_test", 1))
	}
	s.nodes = append(s.nodes, n.WithAttributes(attributes).WithOutputs(n.Outputs()[:1]))
	for i := 1; i < min(3, len(n.Outputs())); i++ {
		name := n.Outputs()[i]
		if _, isOutput := s.uses(name); isOutput && s.p.Kind == graphops.MainGraph {
			s.dropped[name] = true
		}
		s.replace(name, n.Inputs()[statistics[i]])
	}
	s.changed(n, trains, "normalizes by its running statistics")
}
