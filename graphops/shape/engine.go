package shape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Options say how to infer.
type Options struct {
	// Fresh leaves out what the file declares of values that nodes make.
	Fresh bool
	// Visit is called for every node in the end, in the order of the visits:
	// a node of a function once for each call.
	Visit func(Visit)
	// Plain follows the elements of constants alone, not what nodes compute of them,
	// which is about what the standard's own inference knows.
	Plain bool
	// NameAxes gives axes of inputs that have neither number nor symbol a symbol, by
	// AxisName.
	NameAxes bool
	// Replaceable takes initializers that are inputs of the model, too, for inputs of
	// the type that is declared, where the IR version lets a caller replace them.
	Replaceable bool
	// Agreed leaves open the sizes that ONNX Runtime makes otherwise than the standard
	// says. Without it they are the standard's.
	Agreed bool
	// Unmet also reports the demands on two numbers that do not hold.
	Unmet bool
	// Limit is how many nodes a model may expand to; without it MaxVisits, or ten
	// times the nodes that the model holds.
	Limit int
	// Assume may have a constant that a node reads be another one for that node:
	// with other elements, which must be as many, or other sizes.
	Assume func(e Edge, c Constant) Constant
}

// Edge is an input of a node.
type Edge struct {
	Place *graphops.Place
	Node  int
	Input int
}

// Constant is an initializer or what a Constant node makes, as a node reads it.
type Constant struct {
	Value string
	Dims  []dim.Dim
	Sizes []dim.Dim // the elements, nil where they are not followed
	// OfData tells that the node's first input, which this is not, is one whose
	// elements are followed: what the node makes is a part of a shape, too.
	OfData bool
}

// MaxVisits is how many nodes a model may expand to, unless it holds a
// tenth as many.
const MaxVisits = 1_000_000

// ErrLimit is in the error about a model that expands to more nodes.
var ErrLimit = errors.New("which is as many as are looked at")

// Infer infers types and shapes. The error is that of ctx, or that the model
// expands to too much; what contradicts itself are Problems of the result.
func Infer(ctx context.Context, m *graphops.Model, o Options) (*Result, error) {
	e := &engine{ctx: ctx, model: m, options: o, rules: rules, functions: map[graphops.FunctionKey]*graphops.Place{}, recorded: map[*graphops.Place]int{}, symbols: map[string]int{}, named: map[string]bool{}, limits: map[limit]int{}}
	for _, p := range m.Places() {
		e.nodes += len(p.Graph.Nodes())
		if p.Kind == graphops.FunctionBody {
			e.functions[p.Function.Key()] = p
		}
	}
	main := newFrame(e, m.Places()[0], nil, versions(m.Opsets()))
	for _, v := range m.Graph().Inputs() {
		if id, ok := main.index.Value(v.Name()); ok && (!main.index.IsInitializer(id) || main.replaceable(id)) {
			main.values[id] = Value{Type: e.inputType(v)}
			e.noteSymbols(main.values[id].Type)
		}
	}
	main.run()
	if e.err != nil {
		return nil, e.err
	}
	return e.result(), nil
}

// AxisName is the symbol of an axis that has none of its own.
func AxisName(input string, axis int) string { return fmt.Sprintf("%s:%d", input, axis) }

func (e *engine) inputType(v *graphops.ValueInfo) Type {
	t := FromFile(v.Type())
	for i, d := range t.Dims {
		if e.options.NameAxes && d.IsUnknown() {
			t.Dims[i] = dim.Symbol(AxisName(v.Name(), i))
			e.named[AxisName(v.Name(), i)] = true
		}
	}
	return t
}

// noteSymbols numbers the symbols of an input.
func (e *engine) noteSymbols(t Type) {
	for _, d := range t.Dims {
		d.Symbols(func(name string) {
			if _, ok := e.symbols[name]; !ok {
				e.symbols[name] = len(e.symbols)
			}
		})
	}
	if t.Of != nil {
		e.noteSymbols(*t.Of)
	}
}

// engine is one inference.
type engine struct {
	ctx       context.Context
	model     *graphops.Model
	options   Options
	rules     map[operator]rule
	functions map[graphops.FunctionKey]*graphops.Place
	calling   []graphops.FunctionKey
	recorded  map[*graphops.Place]int // position among the records
	symbols   map[string]int          // of the inputs, numbered
	named     map[string]bool         // those of axes that the file leaves open
	limits    map[limit]int           // positions among the demands
	nodes     int                     // in all places
	visited   int
	err       error
	effects
}

// effects are what an inference says; those of a round that is repeated are
// taken back.
type effects struct {
	problems []Problem
	demands  []Demand
	visits   []Visit
	records  []record
	settled  int // how many of the records no rewinding takes back
}

// record are the values of a place after an inference of it.
type record struct {
	place  *graphops.Place
	values []Value
	joined bool // of several
}

// mark is a state of the effects to go back to. Records before it do not change
// until it is settled.
func (e *engine) mark() effects {
	was := e.effects
	e.effects.settled = len(e.records)
	return was
}

// rewind takes back what was said since a mark.
func (e *engine) rewind(to effects) { e.effects = to }

// settle lets what was said since a mark stand.
func (e *engine) settle(since effects) { e.effects.settled = since.settled }

// keep records the values of a place. One of a function that is called again joins
// the record that is there: calls can be as many as MaxVisits.
func (e *engine) keep(r record) {
	at, ok := e.recorded[r.place]
	if ok && at >= e.effects.settled && at < len(e.records) && e.records[at].place == r.place {
		if old := &e.records[at]; !old.joined { // visits look at the values of the frame
			old.values, old.joined = slices.Clone(old.values), true
		}
		e.records[at].join(r.values)
		return
	}
	e.recorded[r.place] = len(e.records)
	e.records = append(e.records, r)
}

// join leaves of the record what other values of the place agree on.
func (r record) join(values []Value) {
	for v := range values {
		r.values[v] = joinValues(r.values[v], values[v])
	}
}

// enter counts a visit, and reports whether the inference goes on.
func (e *engine) enter() bool {
	if e.err != nil {
		return false
	}
	e.visited++
	if limit := cmp.Or(e.options.Limit, max(MaxVisits, 10*e.nodes)); e.visited > limit {
		e.err = fmt.Errorf("functions and bodies expand to more than %d nodes, %w", limit, ErrLimit)
		return false
	}
	if e.visited%1024 == 0 {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

func (e *engine) result() *Result {
	r := &Result{model: e.model, values: make([][]Value, len(e.model.Places())), Problems: e.problems, Demands: e.demands, symbols: e.symbols, named: e.named}
	r.possible = sync.OnceValue(r.findPossible)
	for _, rec := range e.records {
		if old := r.values[rec.place.ID]; old != nil {
			rec.values = slices.Clone(rec.values)
			rec.join(old)
		}
		r.values[rec.place.ID] = rec.values
	}
	if e.options.Visit != nil {
		for _, v := range e.visits {
			e.options.Visit(v)
		}
	}
	return r
}

// frame is a place during an inference of it.
type frame struct {
	*engine
	place  *graphops.Place
	parent *frame // of the node that holds a body
	index  *graphops.Index
	values []Value
	opsets map[string]int64               // versions by domain
	attrs  map[string]*graphops.Attribute // of the call, in a function
	times  dim.Dim                        // how often it runs
	memory *memory                        // of the loops in it, nil where no loop repeats it
}

func newFrame(e *engine, p *graphops.Place, parent *frame, opsets map[string]int64) *frame {
	x := p.Graph.Index()
	f := &frame{engine: e, place: p, parent: parent, index: x, values: make([]Value, x.Values()), opsets: opsets, times: dim.Number(1)}
	for _, t := range p.Graph.Initializers() {
		if id, ok := x.Value(t.Name()); ok && x.Initializer(id) == t {
			f.values[id] = Value{Type: tensorOf(t.DType(), numbers(t.Dims()...))}
		}
	}
	for _, t := range p.Graph.SparseInitializers() {
		if id, ok := x.Value(t.Name()); ok {
			f.values[id] = Value{Type: tensorOf(t.DType(), numbers(t.Dims()...))}
		}
	}
	for _, c := range p.Captures() {
		f.values[c.Value] = parent.outer(c)
	}
	return f
}

// replaceable reports whether a value is a constant that is not to be relied on, because
// the caller can feed another one.
func (f *frame) replaceable(v graphops.ValueID) bool {
	return f.options.Replaceable && f.place.Kind == graphops.MainGraph && f.model.IRVersion() >= graphops.OptionalInputsIR && f.index.IsInput(v)
}

// versions are those of operator sets by domain.
func versions(list []graphops.Opset) map[string]int64 {
	out := map[string]int64{}
	for _, o := range list {
		out[o.Domain] = o.Version
	}
	return out
}

// outer is a value from around a body; f may be nil.
func (f *frame) outer(c graphops.Capture) Value {
	for ; f != nil; f = f.parent {
		if f.place == c.From {
			return f.value(c.Outer)
		}
	}
	return Value{}
}

// value is a value with the elements of a small constant.
func (f *frame) value(v graphops.ValueID) Value {
	out := &f.values[v]
	if out.elems == nil {
		if t := f.index.Initializer(v); t != nil && !f.replaceable(v) {
			out.elems = elementsOf(t)
		}
	}
	return *out
}

// run infers the values of a frame whose inputs are set.
func (f *frame) run() {
	nodes := f.place.Graph.Nodes()
	order, err := f.place.Graph.Order()
	if err != nil {
		f.problems = append(f.problems, Problem{Place: f.place, Node: -1, Other: -1, Kind: Endless, Text: err.Error()})
	}
	for i := range nodes {
		if order != nil {
			i = order[i]
		}
		if !f.enter() {
			return
		}
		f.visit(i, nodes[i])
	}
	f.keep(record{place: f.place, values: f.values})
}

// outputs are the values that the frame's place gives back.
func (f *frame) outputs() []Value {
	var out []Value
	for _, v := range f.place.Graph.Outputs() {
		var value Value
		if id, ok := f.index.Value(v.Name()); ok {
			value = f.value(id)
		}
		out = append(out, value)
	}
	return out
}

// visit infers what one node makes.
func (f *frame) visit(i int, n *graphops.Node) {
	c := f.call(i, n)
	c.infer()
	if f.options.Plain && n.OpType() != "Constant" {
		for k := range c.out {
			c.out[k].elems = nil
		}
	}
	for k, name := range n.Outputs() {
		if id, ok := f.index.Value(name); ok && name != "" && f.index.Producer(id) == i {
			f.values[id] = f.declared(c, id, c.out[k])
		}
	}
	if f.options.Visit != nil {
		f.visits = append(f.visits, Visit{Place: f.place, Index: i, Node: n, Times: f.allTimes(), In: slices.Clone(c.in), Out: f.made(n), given: f.attrs})
	}
}

// made are the values of a node's outputs.
func (f *frame) made(n *graphops.Node) []Value {
	out := make([]Value, len(n.Outputs()))
	for k, name := range n.Outputs() {
		if id, ok := f.index.Value(name); ok && name != "" {
			out[k] = f.values[id]
		}
	}
	return out
}

// allTimes is how often a node of the frame runs, the frames around it counted
// in.
func (f *frame) allTimes() dim.Dim {
	t := f.times
	for p := f.parent; p != nil; p = p.parent {
		t = t.Mul(p.times)
	}
	return t
}

// declared puts together what is inferred of a value and what the file says.
func (f *frame) declared(c *call, id graphops.ValueID, v Value) Value {
	for i, d := range v.Dims {
		if n, ok := d.Number(); d.Err() != nil || ok && n < 0 {
			c.badSize(f.index.Name(id), i, d)
			v.Dims = slices.Clone(v.Dims)
			v.Dims[i] = dim.Unknown()
			v.elems = nil
		}
	}
	info := f.index.Info(id)
	if f.options.Fresh || info == nil {
		return v
	}
	said := FromFile(info.Type())
	if conflict := Contradiction(v.Type, said); conflict != "" {
		text := fmt.Sprintf("output %q is %s by its inputs, and declared as %s: %s", f.index.Name(id), v.Type.brief(), said.brief(), conflict)
		c.problems = append(c.problems, Problem{Place: c.place, Node: c.pos, Other: -1, Value: id, Kind: Misdeclared, Text: text})
		return v
	}
	v.Type = v.fill(said)
	return v
}
