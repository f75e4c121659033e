package half

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/aside"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Float16 converts a model to float16. The result shares unchanged parts with m. The weights are
// read when the result is saved, and before that to count the numbers that change by more than
// rounding (see Options.CountLater). progress, if not nil, is called with the number of bytes read so
// far for the count, and with the total.
//
// If nothing can be converted, the report is returned with the error.
func Float16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	return convert(ctx, m, tensor.F16, o, progress)
}

// Bfloat16 converts a model to bfloat16, as Float16 does to float16. bfloat16 has only 8
// significant bits, and few kernels for CPUs support it.
func Bfloat16(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	return convert(ctx, m, tensor.BF16, o, progress)
}

// converter is the state of one conversion: what is known about the original model, and what has
// been decided.
type converter struct {
	ctx    context.Context
	to     tensor.DType
	o      Options
	source *graphops.Model
	types  *shape.Result // of the source

	uncalled      map[graphops.FunctionKey]bool
	keptFunctions map[graphops.FunctionKey]string // functions that stay in float32, and why
	wideSequences bool                            // sequences stay in float32
	refused       map[rewrite.Site]string         // nodes that must stay in float32, and why
	// outputs that stay float32 although the schema allows the target type, as inference of a
	// result showed
	wide    map[edge]bool
	kernels opschema.Answers
	asked   []graphops.Type // of the node that kernels are asked about
	again   bool            // an earlier part of the plan must be made again
	// integers is set if the source has operators for integers, as quantized models have.
	integers bool

	model   *rewrite.Model                    // the source, loaded anew for each result
	values  []*value                          // by number; nil for a value that no graph defines
	plans   []*plan                           // by the number of the node; nil for a Cast that was inserted
	ordered []*plan                           // in the order of the file
	casts   map[*rewrite.Value]*rewrite.Value // the Casts of values to the other type
	stored  map[*rewrite.Value]source         // the originals of the constants that were converted
	dropped int                               // Casts of the source that were removed
}

// maxRounds is the maximum number of times that the plan is made. It is made again if shape
// inference of the result contradicts it.
const maxRounds = 10

func convert(ctx context.Context, m *graphops.Model, to tensor.DType, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	c, result, r, err := settle(ctx, m, to, o)
	if err != nil {
		return nil, r, err
	}
	c.list(r)
	if o.CountLater {
		return result, r, nil
	}
	return result, r, r.Count(ctx, progress)
}

// settle makes the plan and constructs the result, until shape inference of the result agrees with
// the plan. It reads no weights.
func settle(ctx context.Context, m *graphops.Model, to tensor.DType, o Options) (*converter, *graphops.Model, *Report, error) {
	c, err := newConverter(ctx, m.WithoutOverruled(), to, o)
	if err != nil {
		return nil, nil, nil, err
	}
	for range maxRounds {
		if err := c.plan(); err != nil {
			return nil, nil, nil, err
		}
		result, err := c.apply()
		if err != nil {
			return nil, nil, nil, err
		}
		agrees, err := c.learn(result)
		if err != nil {
			return nil, nil, nil, err
		}
		if !agrees {
			c.load()
			continue
		}
		r := c.tell()
		if len(r.Converted) == 0 && len(c.stored) == 0 {
			return c, nil, r, c.nothing(r)
		}
		result, err = result.Ordered() // ONNX requires it, even if the source is not in order
		return c, result, r, err
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
		if _, err := p.Graph.Order(); err != nil {
			return nil, err
		}
	}
	inferred := aside.Start(func() (*shape.Result, error) { return shape.Infer(ctx, m, shape.Options{}) })
	c := &converter{
		ctx: ctx, to: to, o: o, source: m, integers: hasIntegers(m),
		uncalled:      map[graphops.FunctionKey]bool{},
		keptFunctions: map[graphops.FunctionKey]string{},
		refused:       map[rewrite.Site]string{}, wide: map[edge]bool{},
	}
	c.model = rewrite.LoadAsIs(m)
	var err error
	if c.types, err = inferred(); err != nil {
		return nil, err
	}
	c.describeValues()
	c.findFunctions()
	c.findKeptSequences()
	return c, nil
}

// findFunctions determines which functions of the model can be converted. Such a function is
// called, and always with the same types.
func (c *converter) findFunctions() {
	for _, f := range c.source.Functions() {
		c.uncalled[f.Key()] = true
		c.keptFunctions[f.Key()] = "is in a function that nothing calls"
	}
	for _, f := range c.source.CalledFunctions() {
		delete(c.uncalled, f.Key())
		delete(c.keptFunctions, f.Key())
	}
	for _, g := range c.model.Graphs() {
		f := g.Place().Function
		if f == nil || c.isUncalled(g) {
			continue
		}
		if why := c.lacksCast(g); why != "" {
			c.keptFunctions[f.Key()] = fmt.Sprintf("is in function %q, which %s", f.Key().Name, why)
		}
		if slices.ContainsFunc(g.Values(), func(v *rewrite.Value) bool { return c.of(v).form == unknown }) {
			c.keptFunctions[f.Key()] = fmt.Sprintf("is in function %q, which is called with values of several or unknown types", f.Key().Name)
		}
	}
}

// isUncalled reports whether the graph belongs to a function that nothing calls.
func (c *converter) isUncalled(g *rewrite.Graph) bool {
	f := g.Place().Function
	return f != nil && c.uncalled[f.Key()]
}

// findKeptSequences sets wideSequences if an input or output that keeps its type is a sequence of
// float32 tensors. No Cast can convert a sequence, so that all of them then stay in float32.
func (c *converter) findKeptSequences() {
	main := c.model.Graphs()[0]
	for _, v := range slices.Concat(main.Inputs(), main.Outputs()) {
		if c.of(v).form == nested && c.o.keepsIO(v.Name()) {
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

// nothing returns the error, which wraps errNothing, for a model in which nothing was converted.
func (c *converter) nothing(r *Report) error {
	counts := map[tensor.DType]int{}
	floats := false
	for _, v := range c.values {
		if v == nil {
			continue
		}
		counts[v.typ.Elem]++
		floats = floats || v.floats()
	}
	switch {
	case floats && len(r.Kept) == 1:
		return fmt.Errorf("%w: the only float32 node stays in float32: %s", errNothing, describe(r.Kept[0]))
	case floats && len(r.Kept) > 1:
		return fmt.Errorf("%w: all %d float32 nodes stay in float32; the first one: %s", errNothing, len(r.Kept), describe(r.Kept[0]))
	case floats:
		return fmt.Errorf("%w: no node reads or produces float32", errNothing)
	case counts[c.to] > 0:
		return fmt.Errorf("%w: the model is already in %s", errNothing, c.to)
	case counts[tensor.F16]+counts[tensor.BF16] > 0:
		return fmt.Errorf("%w: the model is already in another 16-bit type; start from the float32 model", errNothing)
	}
	return fmt.Errorf("%w: the model has no float32 values", errNothing)
}

func describe(k Kept) string {
	return fmt.Sprintf("%s %s", shape.NodeName(k.Index, k.Place.Graph.Nodes()[k.Index]), k.Reason)
}

var errCastClash = errors.New("an inserted Cast has an input of the wrong type")
