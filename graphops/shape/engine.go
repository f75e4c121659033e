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

// Options are the options of Infer.
type Options struct {
	// Fresh ignores the declarations of values that nodes produce.
	Fresh bool
	// Visit is called for every node at the end, in the order of the visits. A node of a
	// function is visited once for each call.
	Visit func(Visit)
	// Plain only traces the elements of constants, not results computed from them. This is about
	// what the standard's own inference knows.
	Plain bool
	// NameAxes gives axes of inputs without a number or symbol a symbol, by AxisName.
	NameAxes bool
	// Replaceable treats initializers that are also inputs of the model as inputs with the
	// declared type, if the IR version lets a caller replace them.
	Replaceable bool
	// Agreed leaves sizes unknown for which ONNX Runtime and the standard differ. If it is not set,
	// these sizes are those of the standard.
	Agreed bool
	// Unmet also reports demands on two numbers that do not hold.
	Unmet bool
	// Limit is the maximum number of nodes that a model may expand to. The default is maxVisits,
	// or ten times the number of nodes of the model if that is more.
	Limit int
	// Assume may replace a constant as seen by one node that reads it. The replacement has other
	// elements, in the same number, or other sizes.
	Assume func(e Edge, c Constant) Constant
}

// Edge is an input of a node.
type Edge struct {
	Place *graphops.Place
	Node  int
	Input int
}

// Constant is an initializer or the output of a Constant node, as read by a node.
type Constant struct {
	Value string
	Dims  []dim.Dim
	Sizes []dim.Dim // the elements, nil if they are not traced
	// OfData is set if this is not the node's first input and the elements of the first input are
	// traced. The output of the node is then part of a computed shape.
	OfData bool
}

// maxVisits is the maximum number of nodes that a model may expand to, unless it has more than a
// tenth of that number.
const maxVisits = 1_000_000

// ErrLimit is part of the error for a model that expands to more nodes.
var ErrLimit = errors.New("which is the limit of shape inference")

// Infer infers types and shapes. The error is that of ctx, or says that the model expands to too
// many nodes. Contradictions are Problems of the result.
func Infer(ctx context.Context, m *graphops.Model, o Options) (*Result, error) {
	e := &engine{ctx: ctx, model: m, options: o, rules: rules(), functions: map[graphops.FunctionKey]*graphops.Place{}, recorded: map[*graphops.Place]int{}, symbols: map[string]int{}, named: map[string]bool{}, limits: map[limit]int{}}
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

// AxisName returns the symbol for an axis that has none.
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
	rules     map[graphops.Op]rule
	functions map[graphops.FunctionKey]*graphops.Place
	calling   []graphops.FunctionKey
	recorded  map[*graphops.Place]int // index into the records
	symbols   map[string]int          // of the inputs, numbered
	named     map[string]bool         // symbols of axes that the file leaves open
	limits    map[limit]int           // indices into the demands
	nodes     int                     // in all places
	visited   int
	err       error
	effects
}

// effects are the results of an inference. If a body is inferred again, the effects of the previous
// round are discarded.
type effects struct {
	problems []Problem
	demands  []Demand
	visits   []Visit
	records  []record
	settled  int // number of records that are never discarded
}

// record has the values of a place after it was inferred.
type record struct {
	place  *graphops.Place
	values []Value
	joined bool // combined from several inferences
}

// mark returns the current state of the effects, so that rewind can restore it. Records made before
// the mark do not change until settle is called.
func (e *engine) mark() effects {
	was := e.effects
	e.effects.settled = len(e.records)
	return was
}

// rewind discards the effects since a mark.
func (e *engine) rewind(to effects) { e.effects = to }

// settle ends the protection that mark gave to earlier records: later inferences of a place change
// its record again.
func (e *engine) settle(since effects) { e.effects.settled = since.settled }

// keep records the values of a place. If a function is called again, its record is combined with
// the existing one, because there can be up to maxVisits calls.
func (e *engine) keep(r record) {
	at, ok := e.recorded[r.place]
	if ok && at >= e.effects.settled && at < len(e.records) && e.records[at].place == r.place {
		if old := &e.records[at]; !old.joined { // visits refer to the values of the frame
			old.values, old.joined = slices.Clone(old.values), true
		}
		e.records[at].join(r.values)
		return
	}
	e.recorded[r.place] = len(e.records)
	e.records = append(e.records, r)
}

// join keeps of the record only what agrees with other values of the same place.
func (r record) join(values []Value) {
	for v := range values {
		r.values[v] = joinValues(r.values[v], values[v])
	}
}

// enter counts a visit, and reports whether the inference continues.
func (e *engine) enter() bool {
	if e.err != nil {
		return false
	}
	e.visited++
	if limit := cmp.Or(e.options.Limit, max(maxVisits, 10*e.nodes)); e.visited > limit {
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

// frame is a place while it is inferred.
type frame struct {
	*engine
	place  *graphops.Place
	parent *frame // the frame of the node with this body
	index  *graphops.Index
	values []Value
	opsets map[string]int64               // versions by domain
	attrs  map[string]*graphops.Attribute // attributes of the call, in a function
	times  dim.Dim                        // how often it runs
	memory *memory                        // of the loops inside; nil if no loop repeats it

	operators []operator // by their number in the index, nil before the first question
	current   call       // the node that is visited
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

// replaceable reports whether a value is a constant that the caller can replace, so that it must
// not be relied on.
func (f *frame) replaceable(v graphops.ValueID) bool {
	return f.options.Replaceable && f.place.Kind == graphops.MainGraph && f.model.IRVersion() >= graphops.OptionalInputsIR && f.index.IsInput(v)
}

// versions returns the versions of operator sets by domain.
func versions(list []graphops.Opset) map[string]int64 {
	out := map[string]int64{}
	for _, o := range list {
		out[o.Domain] = o.Version
	}
	return out
}

// outer returns a captured value. f may be nil.
func (f *frame) outer(c graphops.Capture) Value {
	for ; f != nil; f = f.parent {
		if f.place == c.From {
			return f.value(c.Outer)
		}
	}
	return Value{}
}

// value returns a value, including the elements of a small constant.
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

// outputs returns the output values of the frame's place.
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

// visit infers the outputs of one node.
func (f *frame) visit(i int, n *graphops.Node) {
	c := &f.current
	c.take(f, i, n)
	c.infer()
	if f.options.Plain && !n.Is("Constant") {
		for k := range c.out {
			c.out[k].elems = nil
		}
	}
	for k, id := range f.index.Outputs(i) {
		if id >= 0 && f.index.Producer(id) == i {
			f.values[id] = f.declared(c, id, c.out[k])
		}
	}
	if f.options.Visit != nil {
		f.visits = append(f.visits, Visit{Place: f.place, Index: i, Node: n, Times: f.allTimes(), In: slices.Clone(c.in), Out: f.made(i), given: f.attrs})
	}
}

// made returns the values of a node's outputs.
func (f *frame) made(node int) []Value {
	out := make([]Value, len(f.index.Outputs(node)))
	for k, id := range f.index.Outputs(node) {
		if id >= 0 {
			out[k] = f.values[id]
		}
	}
	return out
}

// allTimes returns how often a node of the frame runs in one run of the model, including the
// repetitions of the frames around it.
func (f *frame) allTimes() dim.Dim {
	t := f.times
	for p := f.parent; p != nil; p = p.parent {
		t = t.Mul(p.times)
	}
	return t
}

// declared combines what is inferred for a value with its declaration.
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
		text := fmt.Sprintf("output %q is %s according to its inputs, but declared as %s: %s", f.index.Name(id), v.Type.brief(), said.brief(), conflict)
		c.problems = append(c.problems, Problem{Place: c.place, Node: c.pos, Other: -1, Value: id, Kind: Misdeclared, Text: text})
		return v
	}
	v.Type = v.fill(said)
	return v
}
