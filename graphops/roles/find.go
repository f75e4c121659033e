package roles

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Options are the options of Find.
type Options struct {
	// Shapes are the inferred shapes of the model. If it is nil, sizes that the file does not
	// declare are not known.
	Shapes *shape.Result
	// Given are roles that the user states. They replace what is found.
	Given []Given
}

// Find finds the role of each input and output. The error is that of ctx, or one of a given role.
func Find(ctx context.Context, m *graphops.Model, o Options) (*Roles, error) {
	f := newFinder(ctx, m, o.Shapes)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.findOutputs()
	f.findPasts()
	f.findCross()
	f.findInputs()
	f.findFilled()
	f.findNames()
	f.findPastNames()
	f.findResults()
	f.findCrossMasks()
	f.dropEmpty()
	f.number()
	if err := f.give(o.Given); err != nil {
		return nil, err
	}
	return &f.roles, ctx.Err()
}

// finder is a model whose roles are being found.
type finder struct {
	*flat
	o      *origins
	r      *reach
	shapes *shape.Result
	in     []value // of the inputs
	out    []value
	types  []graphops.Type // of the inputs
	roles  Roles
	// order is the node by which each pair was found, for the order of layers.
	order map[int]int32
}

func newFinder(ctx context.Context, m *graphops.Model, shapes *shape.Result) *finder {
	flat, main := flatten(ctx, m)
	f := &finder{flat: flat, shapes: shapes, order: map[int]int32{}}
	for _, in := range m.Graph().FeedInputs() {
		f.in = append(f.in, f.named(main, in.Name()))
		f.types = append(f.types, in.Type())
		f.roles.Inputs = append(f.roles.Inputs, Port{Name: in.Name(), Pair: -1})
	}
	for _, out := range m.Graph().Outputs() {
		f.out = append(f.out, f.named(main, out.Name()))
		f.roles.Outputs = append(f.roles.Outputs, Port{Name: out.Name(), Pair: -1})
	}
	f.roles.inputs, f.roles.outputs = index(f.roles.Inputs), index(f.roles.Outputs)
	f.o = flat.origins(f.in, f.types)
	f.r = flat.reaches(f.o)
	f.roles.Limits = flat.limits
	return f
}

// dims returns the sizes of a value, or nil if the rank is not known.
func (f *finder) dims(v value) []dim.Dim {
	if v == nothing {
		return nil
	}
	h := f.homes[v]
	if f.shapes != nil && h.place.Function == nil {
		if d := f.shapes.Value(h.place, h.id).Dims; d != nil {
			return d
		}
	}
	if t := h.place.Graph.Index().Initializer(h.id); t != nil {
		out := []dim.Dim{}
		for _, n := range t.Dims() {
			out = append(out, dim.Number(n))
		}
		return out
	}
	return shape.FromFile(h.place.Type(h.id)).Dims
}

// size returns the number that an axis has, 0 if it is not known. A negative axis counts from the
// end.
func (f *finder) size(v value, axis int) int64 {
	d := f.dims(v)
	if axis < 0 {
		axis += len(d)
	}
	if axis < 0 || axis >= len(d) {
		return 0
	}
	n, _ := d[axis].Number()
	return n
}

// holdsNumbers reports whether elements of a type can be those of a cache.
func holdsNumbers(t graphops.Type) bool {
	return t.Elem.Kind() == tensor.KindFloat || t.Elem.Bits() <= 8 && t.Elem != tensor.Bool && t.Elem != tensor.Undefined && t.Elem != tensor.String
}

// isInteger reports whether the elements of a type are integers or booleans.
func isInteger(t graphops.Type) bool {
	k := t.Elem.Kind()
	return k == tensor.KindSigned || k == tensor.KindUnsigned || k == tensor.KindBool
}

// found says by what a pair was found.
type found struct {
	form    *Form
	content Content
	growth  Growth
	cross   bool
	window  int64
	axis    int
	node    int32
	inPlace bool
	// past and present are the evidence for the input and the output.
	past, present []Evidence
	assumed       []string
}

// pair adds a pair of an input and an output. One of them can be -1. It does nothing if one of
// them already has a role.
func (f *finder) pair(in, out int, x found) {
	if in >= 0 && f.roles.Inputs[in].Kind != Unknown || out >= 0 && f.roles.Outputs[out].Kind != Unknown {
		return
	}
	at := len(f.roles.Pairs)
	p := Pair{Content: x.content, Form: x.form, Growth: cmp.Or(x.growth, x.form.Growth), Cross: x.cross, Window: x.window, Axis: x.axis, InPlace: x.inPlace}
	if in >= 0 {
		port := &f.roles.Inputs[in]
		p.Past = port.Name
		port.Kind, port.Content, port.Pair, port.Cross = Past, x.content, at, x.cross
		port.Evidence, port.Assumed = append(port.Evidence, x.past...), append(port.Assumed, x.assumed...)
	}
	if out >= 0 {
		port := &f.roles.Outputs[out]
		p.Present = port.Name
		port.Kind, port.Content, port.Pair, port.Cross = Present, x.content, at, x.cross
		port.Evidence, port.Assumed = append(port.Evidence, x.present...), append(port.Assumed, x.assumed...)
	}
	if in >= 0 && out >= 0 && p.Axis < 0 {
		p.Axis = f.axisBySizes(in, out)
	}
	f.roles.Pairs = append(f.roles.Pairs, p)
	f.order[at] = x.node
}

// axisBySizes returns the only axis in which the sizes of an input and an output differ, or -1.
func (f *finder) axisBySizes(in, out int) int {
	a, b := f.dims(f.in[in]), f.dims(f.out[out])
	at := -1
	for i := range a {
		if len(a) == len(b) && !a[i].Equal(b[i]) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// node describes a node for evidence.
func (f *finder) node(i int32) string {
	if i < 0 || f.nodes[i].op == nil {
		return "an If"
	}
	n := f.nodes[i].op
	name := n.Name()
	if name == "" && len(n.Outputs()) > 0 {
		name = n.Output(0)
	}
	return fmt.Sprintf("%s %s", n.OpType(), graphops.ShortQuoted(name))
}

func structure(format string, a ...any) Evidence {
	return Evidence{ByStructure, fmt.Sprintf(format, a...)}
}

func byOperator(format string, a ...any) Evidence {
	return Evidence{ByOperator, fmt.Sprintf(format, a...)}
}

// number gives the pairs their layers and puts them in order.
func (f *finder) number() {
	pairs := f.roles.Pairs
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.order[a], f.order[b]) })
	type group struct {
		form    *Form
		content Content
		cross   bool
	}
	counts := map[group]int{}
	for _, i := range order {
		g := group{pairs[i].Form, pairs[i].Content, pairs[i].Cross}
		pairs[i].Layer = counts[g]
		counts[g]++
	}
	f.numberByNames(order)
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &pairs[a], &pairs[b]
		return cmp.Or(cmp.Compare(x.Layer, y.Layer), compareBools(x.Cross, y.Cross), cmp.Compare(x.Content, y.Content))
	})
	sorted, position := make([]Pair, len(pairs)), make([]int, len(pairs))
	for to, from := range order {
		sorted[to], position[from] = pairs[from], to
	}
	f.roles.Pairs = sorted
	for _, list := range [][]Port{f.roles.Inputs, f.roles.Outputs} {
		for i := range list {
			if list[i].Pair >= 0 {
				list[i].Pair = position[list[i].Pair]
			}
		}
	}
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// numberByNames takes the numbers in names as layers, if they grow in the order of the nodes. Some
// models have caches of different forms in turn, or none in some layers.
func (f *finder) numberByNames(order []int) {
	pairs := f.roles.Pairs
	numbers := make([]int, len(pairs))
	last := map[bool]int{}
	for _, i := range order {
		n, ok := numberIn(cmp.Or(pairs[i].Past, pairs[i].Present))
		if !ok || n < last[pairs[i].Cross] {
			return
		}
		numbers[i], last[pairs[i].Cross] = n, n
	}
	for i := range pairs {
		pairs[i].Layer = numbers[i]
	}
}
