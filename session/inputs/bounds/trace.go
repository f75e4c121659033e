package bounds

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxSteps limits how many nodes are examined for one input.
const maxSteps = 20_000

// point is a value whose elements are elements of the input, multiplied by scale and with offset
// added.
type point struct {
	frame         *frame
	value         graphops.ValueID
	scale, offset float64
	ordered       bool // has all elements of the columns, in their order
	columns       int  // index into selected of the columns it contains; 0 means all
	summed        bool // its elements are sums or means, of whose range only the sign is known
}

// tracer follows one input of the model through the nodes that read it, and collects the bounds
// that they set.
type tracer struct {
	model     *graphops.Model
	functions map[graphops.FunctionKey]*graphops.Function
	root      *frame
	fed       Inputs
	shapes    *shapes
	elem      tensor.DType // of the input
	sizes     []int64      // of the input; nil if unknown
	declared  graphops.Shape
	count     int64 // number of elements of the input; -1 if unknown
	todo      []point
	seen      map[point]bool
	found     Allowed
	selected  []columns         // entry 0 means all columns of the input
	apart     map[int64]Allowed // bounds that nodes set for single columns
}

func newTracer(s *shapes) *tracer {
	m := s.model
	t := &tracer{
		model: m, fed: s.fed, shapes: s,
		functions: map[graphops.FunctionKey]*graphops.Function{}, seen: map[point]bool{},
		selected: make([]columns, 1), apart: map[int64]Allowed{},
		root: &frame{graph: m.Graph(), inner: map[*graphops.Graph]map[*graphops.Node]*frame{}},
	}
	for _, f := range m.Functions() {
		t.functions[f.Key()] = f
	}
	return t
}

func (t *tracer) trace(input string) Allowed {
	if v, ok := t.root.graph.Index().Value(input); ok {
		typ := t.root.graph.Index().Type(v)
		t.elem, t.declared = typ.Elem, typ.Shape
	}
	t.count = -1
	if sizes, ok := t.fed[input]; ok {
		t.count, t.sizes = 1, sizes
		for _, n := range sizes {
			t.count *= n
		}
	}
	t.reach(point{frame: t.root, scale: 1, ordered: true}, input)
	for steps := 0; len(t.todo) > 0 && steps < maxSteps; {
		p := t.todo[0]
		t.todo = t.todo[1:]
		steps += t.readers(p)
	}
	return t.all()
}

// reach adds the value with this name to those that are followed. Its other properties are those of
// p.
func (t *tracer) reach(p point, name string) {
	v, ok := p.frame.graph.Index().Value(name)
	if p.value = v; !ok || t.seen[p] {
		return
	}
	t.seen[p] = true
	t.todo = append(t.todo, p)
}

// readers examines every node that reads a value, and returns their number.
func (t *tracer) readers(p point) int {
	x := p.frame.graph.Index()
	name := x.Name(p.value)
	readers := slices.Compact(slices.Clone(x.Readers(p.value)))
	for _, i := range readers {
		n := p.frame.graph.Nodes()[i]
		for at, in := range n.Inputs() {
			if in == name {
				t.read(use{t, p, n, at})
			}
		}
		for _, body := range n.Graphs() {
			if v, ok := body.Index().Value(name); ok && slices.Contains(body.Index().Captured(), v) {
				t.enter(p, n, body, nil, true, name)
			}
		}
	}
	if x.IsOutput(p.value) {
		t.leave(p, name)
	}
	return 1 + len(readers)
}

// enter follows a value into a body or a function, where it is called name.
func (t *tracer) enter(p point, n *graphops.Node, g *graphops.Graph, args []string, isBody bool, name string) {
	in := p.frame.enter(n, g, args, isBody)
	if in == nil {
		return
	}
	p.frame = in
	t.reach(p, name)
}

// leave follows an output of a function or branch to the corresponding output of the node that
// contains or calls it.
func (t *tracer) leave(p point, name string) {
	f := p.frame
	if f.caller == nil || f.outer != nil && !f.node.Is("If") {
		return
	}
	for i, o := range f.graph.Outputs() {
		if outputs := f.node.Outputs(); o.Name() == name && i < len(outputs) && outputs[i] != "" {
			p.frame = f.caller
			t.reach(p, outputs[i])
		}
	}
}

// read applies the rules for one input of a node, and follows the elements to the node's outputs.
func (t *tracer) read(u use) {
	if f := t.functions[u.node.Calls()]; f != nil {
		if inputs := f.Graph().Inputs(); u.at < len(inputs) {
			t.enter(u.point, u.node, f.Graph(), u.node.Inputs(), false, inputs[u.at].Name())
		}
		return
	}
	if rule := rules()[operator(u.node)][u.at]; rule != nil {
		if a, ok := u.before(rule(u)); ok {
			t.limit(u.point, a)
		}
	}
	if f := functions[operator(u.node)][u.at]; f != nil {
		t.limit(u.point, Allowed{Domain: u.domain(f)})
	}
	u.intoBodies()
	u.pass()
}

// before converts a bound on the elements that the node reads to a bound on the elements of the
// model's input. They differ by a scale and an offset.
func (u use) before(a Allowed) (Allowed, bool) {
	scale, wholeScale := wholeNumber(u.point.scale)
	offset, wholeOffset := wholeNumber(u.point.offset)
	if u.point.summed || !wholeScale || !wholeOffset || scale < 1 {
		return Allowed{}, false
	}
	return a.before(scale, offset)
}

// use is a place where a node reads elements of the model's input: at is the position of the node's
// input.
type use struct {
	*tracer
	point point
	node  *graphops.Node
	at    int
}

func (u use) frame() *frame { return u.point.frame }

// input returns the name of input i of the node, or "" if it is absent.
func (u use) input(i int) string {
	if in := u.node.Inputs(); i >= 0 && i < len(in) {
		return in[i]
	}
	return ""
}

// dimOf returns the size of an axis of one of the node's inputs.
func (u use) dimOf(input int, axis int64) (int64, bool) {
	if u.input(input) == "" {
		return 0, false
	}
	return u.dim(u.frame(), u.input(input), axis)
}

// int returns an integer attribute of the node, or without if the node does not have it.
func (u use) int(name string, without int64) int64 {
	if a, ok := u.node.Attribute(name); ok && a.RefName() == "" {
		return a.Int()
	}
	return without
}

// because returns a reason that ends with the node that gives it.
func (u use) because(format string, args ...any) string {
	at := fmt.Sprintf("%s %q", u.node.OpType(), u.node.Name())
	if u.node.Name() == "" && len(u.node.Outputs()) > 0 {
		at = fmt.Sprintf("the %s that makes %q", u.node.OpType(), u.node.Output(0))
	}
	return fmt.Sprintf(format, args...) + " at " + at
}

// operator returns the op type, preceded by the domain if that is not ONNX's default domain.
func operator(n *graphops.Node) string {
	if n.Domain() == graphops.DefaultDomain {
		return n.OpType()
	}
	return n.Domain() + "::" + n.OpType()
}
