package half

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Float16 converts a model to float16. The result shares unchanged parts with m. The weights are
// read once, to count the numbers that the bounds in the options change, and again when the result
// is saved. progress, if not nil, is called with the number of bytes read so far for the count, and
// with the total.
//
// If nothing can be converted, the error wraps ErrNothing, and the report is returned with it.
func Float16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	return convert(ctx, m, tensor.F16, o, progress)
}

// Bfloat16 converts a model to bfloat16, as Float16 does to float16. bfloat16 has only 8
// significant bits, and few kernels for CPUs support it.
func Bfloat16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	m, r, err := convert(ctx, m, tensor.BF16, o, progress)
	if r != nil {
		r.Departures = nil
	}
	return m, r, err
}

// converter is the state of one conversion: what is known about the original model, and what has
// been decided.
type converter struct {
	ctx   context.Context
	to    tensor.DType
	o     Options
	model *graphops.Model
	types *shape.Result
	defs  [][]*definition // by place and value

	functions     map[graphops.FunctionKey]*graphops.Place
	uncalled      map[graphops.FunctionKey]bool
	keptFunctions map[graphops.FunctionKey]string // functions that stay in float32, and why
	wideSequences bool                            // sequences stay in float32
	refused       map[site]string                 // nodes that must stay in float32, and why
	// outputs that stay float32 although the schema allows the target type, as inference of a
	// result showed
	wide  map[edge]bool
	again bool // an earlier part of the plan must be made again
	// the model had initializers without effect, because a later one has the same name
	overruled bool
	strange   map[*definition]bool // cached answers of undeclared

	plans  [][]plan                         // by place and node
	stored map[*definition]*graphops.Tensor // the original tensors of the constants that were converted
}

// maxRounds is the maximum number of times that the plan is made. It is made again if shape
// inference of the result contradicts it.
const maxRounds = 10

func convert(ctx context.Context, m *graphops.Model, to tensor.DType, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	c, result, r, err := settle(ctx, m, to, o)
	if err != nil {
		return nil, r, err
	}
	return result, r, c.count(r, progress)
}

// settle makes the plan and constructs the result, until shape inference of the result agrees with
// the plan. It reads no weights.
func settle(ctx context.Context, m *graphops.Model, to tensor.DType, o Options) (*converter, *graphops.Model, *Report, error) {
	c, err := newConverter(ctx, m.WithoutOverruled(), to, o)
	if err != nil {
		return nil, nil, nil, err
	}
	c.overruled = len(m.Graph().Index().Overruled) > 0
	for range maxRounds {
		if err := c.plan(); err != nil {
			return nil, nil, nil, err
		}
		e, result, err := c.emitAll()
		if err != nil {
			return nil, nil, nil, err
		}
		agrees, err := c.learn(e, result)
		if err != nil {
			return nil, nil, nil, err
		}
		if !agrees {
			continue
		}
		c.tell(e.report)
		if len(e.report.Converted) == 0 && len(c.stored) == 0 {
			return c, nil, e.report, c.nothing(e.report)
		}
		return c, result, e.report, nil
	}
	return nil, nil, nil, fmt.Errorf("no consistent choice of nodes in %s found after %d attempts; exclude the nodes that do not support it", c.to, maxRounds)
}

func newConverter(ctx context.Context, m *graphops.Model, to tensor.DType, o Options) (*converter, error) {
	if err := o.check(m, to); err != nil {
		return nil, err
	}
	for _, p := range m.Places() {
		if names := p.Graph.Index().Duplicates; len(names) > 0 {
			return nil, fmt.Errorf("value %q is produced by more than one node; the graph is not valid", names[0])
		}
	}
	types, err := shape.Infer(ctx, m, shape.Options{})
	if err != nil {
		return nil, err
	}
	c := &converter{
		ctx: ctx, to: to, o: o, model: m, types: types,
		functions:     map[graphops.FunctionKey]*graphops.Place{},
		uncalled:      map[graphops.FunctionKey]bool{},
		keptFunctions: map[graphops.FunctionKey]string{},
		refused:       map[site]string{}, wide: map[edge]bool{},
		strange: map[*definition]bool{},
	}
	c.define()
	c.findFunctions()
	c.findKeptSequences()
	return c, nil
}

// findFunctions determines which functions of the model can be converted. Such a function is
// called, and always with the same types.
func (c *converter) findFunctions() {
	for _, p := range c.model.Places() {
		if p.Kind == graphops.FunctionBody {
			key := p.Function.Key()
			c.functions[key], c.uncalled[key] = p, true
			c.keptFunctions[key] = "is in a function that nothing calls"
		}
	}
	for _, f := range c.model.CalledFunctions() {
		delete(c.uncalled, f.Key())
		delete(c.keptFunctions, f.Key())
	}
	for _, p := range c.model.Places() {
		if p.Function == nil || c.uncalled[p.Function.Key()] {
			continue
		}
		if why := c.lacksCast(p); why != "" {
			c.keptFunctions[p.Function.Key()] = fmt.Sprintf("is in function %q, which %s", p.Function.Key().Name, why)
		}
		if slices.ContainsFunc(c.defs[p.ID], func(d *definition) bool { return d != nil && d.form == unknown }) {
			key := p.Function.Key()
			c.keptFunctions[key] = fmt.Sprintf("is in function %q, which is called with values of several or unknown types", key.Name)
		}
	}
}

// findKeptSequences sets wideSequences if an input or output that keeps its type is a sequence of
// float32 tensors. No Cast can convert a sequence, so that all of them then stay in float32.
func (c *converter) findKeptSequences() {
	g := c.model.Graph()
	for _, v := range slices.Concat(g.Inputs(), g.Outputs()) {
		if d := c.lookup(c.model.Places()[0], v.Name()); d != nil && d.form == nested && c.o.keepsIO(v.Name()) {
			c.wideSequences = true
		}
	}
}

// typeOf returns the target type if narrow is set, otherwise float32.
func (c *converter) typeOf(narrow bool) tensor.DType {
	if narrow {
		return c.to
	}
	return tensor.F32
}

// keptPlace reports whether all nodes of a place stay in float32, because the enclosing node does
// or because the function does.
func (c *converter) keptPlace(p *graphops.Place) bool {
	for ; p.Kind == graphops.BodyGraph; p = p.Parent {
		if c.plans[p.Parent.ID][p.Node].kept != "" {
			return true
		}
	}
	return p.Kind == graphops.FunctionBody && c.keptFunctions[p.Function.Key()] != ""
}

func (c *converter) emitAll() (*emission, *graphops.Model, error) {
	c.stored = map[*definition]*graphops.Tensor{}
	e := &emission{
		c: c, names: graphops.NamesOf(c.model), called: map[*definition]string{},
		origins: make([][]int, len(c.model.Places())), report: &Report{},
	}
	m, err := e.model()
	if err != nil {
		return nil, nil, err
	}
	if e.names.Collided() {
		e.report.depart(NameCollision)
	}
	e.report.Casts = e.casts
	return e, m, nil
}

// nothing returns the error, which wraps ErrNothing, for a model in which nothing was converted.
func (c *converter) nothing(r *Report) error {
	counts := map[tensor.DType]int{}
	floats := false
	for _, list := range c.defs {
		for _, d := range list {
			if d != nil {
				counts[d.typ.Elem]++
				floats = floats || d.form == dense || d.form == nested
			}
		}
	}
	switch {
	case floats && len(r.Kept) == 1:
		return fmt.Errorf("%w: the only float32 node stays in float32: %s", ErrNothing, describe(r.Kept[0]))
	case floats && len(r.Kept) > 1:
		return fmt.Errorf("%w: all %d float32 nodes stay in float32; the first one: %s", ErrNothing, len(r.Kept), describe(r.Kept[0]))
	case floats:
		return fmt.Errorf("%w: no node reads or produces float32", ErrNothing)
	case counts[c.to] > 0:
		return fmt.Errorf("%w: the model is already in %s", ErrNothing, c.to)
	case counts[tensor.F16]+counts[tensor.BF16] > 0:
		return fmt.Errorf("%w: the model is already in another 16-bit type; start from the float32 model", ErrNothing)
	}
	return fmt.Errorf("%w: the model has no float32 values", ErrNothing)
}

func describe(k Kept) string {
	return fmt.Sprintf("%s %s", shape.NodeName(k.Index, k.Place.Graph.Nodes()[k.Index]), k.Reason)
}

var errCastClash = errors.New("an inserted Cast has an input of the wrong type")
