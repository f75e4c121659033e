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

// Float16 makes a model one of float16. progress, if set, hears how many bytes of
// weights have been read to count what the bounds change; they are read again when the
// result is saved. The result shares what it does not change with m.
//
// Where nothing can be converted the error is ErrNothing, and the report is there all
// the same.
func Float16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	return convert(ctx, m, tensor.F16, o, progress)
}

// Bfloat16 is Float16 for bfloat16. Numbers have 8 digits in base 2 then; few kernels
// for CPUs take them.
func Bfloat16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	m, r, err := convert(ctx, m, tensor.BF16, o, progress)
	if r != nil {
		r.Departures = nil
	}
	return m, r, err
}

// converter is one conversion: what is known of the original, and what was decided.
type converter struct {
	ctx   context.Context
	to    tensor.DType
	o     Options
	model *graphops.Model
	types *shape.Result
	defs  [][]*definition // by place and value

	functions     map[graphops.FunctionKey]*graphops.Place
	uncalled      map[graphops.FunctionKey]bool
	keptFunctions map[graphops.FunctionKey]string // that stay in float32, and why
	wideSequences bool                            // sequences stay in float32
	refused       map[site]string                 // nodes that must stay in float32, and why
	wide          map[edge]bool                   // outputs that are float32 whatever the schema says
	again         bool                            // what has been planned holds no more
	overruled     bool                            // the model had constants that no runtime reads
	strange       map[*definition]bool            // of what undeclared has been asked

	plans  [][]plan                         // by place and node
	stored map[*definition]*graphops.Tensor // the constants that were converted, as they were
}

// maxRounds bounds how often a plan gives in to what its result is inferred to be.
const maxRounds = 10

func convert(ctx context.Context, m *graphops.Model, to tensor.DType, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	c, result, r, err := settle(ctx, m, to, o)
	if err != nil {
		return nil, r, err
	}
	return result, r, c.count(r, progress)
}

// settle finds a plan that agrees with itself, and what comes of it. No weight is read.
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
	return nil, nil, nil, fmt.Errorf("no choice of nodes in %s agrees with itself after %d attempts; exclude the nodes that do not take it", c.to, maxRounds)
}

func newConverter(ctx context.Context, m *graphops.Model, to tensor.DType, o Options) (*converter, error) {
	if err := o.check(m, to); err != nil {
		return nil, err
	}
	for _, p := range m.Places() {
		if names := p.Graph.Index().Duplicates; len(names) > 0 {
			return nil, fmt.Errorf("value %q is made by more than one node; the graph is not valid", names[0])
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

// findFunctions looks which functions can be converted: those that are called, always
// with values of the same types.
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

// findKeptSequences has sequences stay in float32 where one is an input or output that
// keeps its type.
func (c *converter) findKeptSequences() {
	g := c.model.Graph()
	for _, v := range slices.Concat(g.Inputs(), g.Outputs()) {
		if d := c.lookup(c.model.Places()[0], v.Name()); d != nil && d.form == nested && c.o.keepsIO(v.Name()) {
			c.wideSequences = true
		}
	}
}

// typeOf is the type of what is narrow, or not.
func (c *converter) typeOf(narrow bool) tensor.DType {
	if narrow {
		return c.to
	}
	return tensor.F32
}

// keptPlace reports whether a place stays in float32 as a whole.
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

// nothing is the error of a model of which nothing was converted.
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
		return fmt.Errorf("%w: the only node of float32 stays as it is: %s", ErrNothing, describe(r.Kept[0]))
	case floats && len(r.Kept) > 1:
		return fmt.Errorf("%w: all %d nodes of float32 stay as they are, the first of them: %s", ErrNothing, len(r.Kept), describe(r.Kept[0]))
	case floats:
		return fmt.Errorf("%w: no node reads or makes float32", ErrNothing)
	case counts[c.to] > 0:
		return fmt.Errorf("%w: the model is in %s already", ErrNothing, c.to)
	case counts[tensor.F16]+counts[tensor.BF16] > 0:
		return fmt.Errorf("%w: the model is in another type of 16 bits already; start from the float32 model", ErrNothing)
	}
	return fmt.Errorf("%w: the model has no values of float32", ErrNothing)
}

func describe(k Kept) string {
	return fmt.Sprintf("%s %s", shape.NodeName(k.Index, k.Place.Graph.Nodes()[k.Index]), k.Reason)
}

var errCastClash = errors.New("a Cast does not fit where it stands")
