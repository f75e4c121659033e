package quant

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
)

// Opsets that operators appeared or changed in.
const (
	opsetDynamicQuantizeLinear = 11
	opsetDequantizeAxis        = 13
)

// irInitializersAlone is the IR version from which on an initializer need not
// be an input of the graph.
const irInitializersAlone = 4

// Dynamic quantizes weights to 8 bits now, and what they are multiplied with
// while the model runs. progress, if set, hears how many bytes of weights have
// been read to find their ranges; they are read again when the result is saved,
// so that no weight is ever held. The result shares what it does not change
// with m.
//
// Nodes in bodies and functions are left alone. Where nothing can be quantized
// the error is ErrNothing, and the report is there all the same.
func Dynamic(ctx context.Context, m *graphops.Model, o DynamicOptions, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	d, err := newDynamic(ctx, m.WithoutOverruled(), o)
	if err != nil {
		return nil, nil, err
	}
	if err := d.choose(); err != nil {
		return nil, d.report, err
	}
	d.meter = &meter{ctx: ctx, total: d.bytesToRead(), hear: progress}
	for _, i := range d.order {
		if err := d.visit(i); err != nil {
			return nil, nil, err
		}
	}
	for _, v := range d.graph.Outputs() {
		d.dequantize(v.Name())
	}
	result, err := d.finish()
	return result, d.report, err
}

// dynamic is one run of Dynamic: the original on one side, what it becomes on
// the other.
type dynamic struct {
	o     DynamicOptions
	model *graphops.Model
	graph *graphops.Graph
	index *graphops.Index
	order []int // of the nodes
	opset int64
	names *graphops.Names
	meter *meter

	choices  []choice        // by node
	captured map[string]bool // values that bodies of the main graph take
	types    elementTypes    // computed when first asked for

	at     int                // the node that is visited
	nodes  []*graphops.Node   // emitted so far
	added  []*graphops.Tensor // constants made so far
	values map[string]value   // quantized forms, by the name of the original
	// tables are quantized forms with one scale of constants that values holds
	// per channel.
	tables map[string]value
	// transposes are the names that transposed copies of constants go by.
	transposes map[string]string
	// products are the products of two scales, for nodes without a name.
	products map[[2]string]string
	// dequantized are values that a DequantizeLinear makes now.
	dequantized map[string]bool
	// sources are the sizes of the constants that were quantized, in bytes.
	sources map[string]int64

	report *Report
}

func newDynamic(ctx context.Context, m *graphops.Model, o DynamicOptions) (*dynamic, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	opset, ok := m.Opset(graphops.DefaultDomain)
	if !ok {
		return nil, fmt.Errorf("the model imports no version of the standard operators; opset_import must name one")
	}
	if opset < opsetDynamicQuantizeLinear {
		return nil, fmt.Errorf("the model uses opset %d, dynamic quantization needs %d, the first with DynamicQuantizeLinear; export it again with a later opset",
			opset, opsetDynamicQuantizeLinear)
	}
	g := m.Graph()
	d := &dynamic{
		o: o, model: m, graph: g, index: g.Index(), opset: opset, names: graphops.NamesOf(m),
		captured:    map[string]bool{},
		values:      map[string]value{},
		tables:      map[string]value{},
		transposes:  map[string]string{},
		products:    map[[2]string]string{},
		dequantized: map[string]bool{},
		sources:     map[string]int64{},
		report:      &Report{},
	}
	if names := d.index.Duplicates; len(names) > 0 {
		return nil, fmt.Errorf("value %q is made by more than one node; the graph is not valid", names[0])
	}
	var err error
	if d.order, err = g.Order(); err != nil {
		return nil, err
	}
	for at, i := range d.order {
		if at != i {
			d.report.depart(Unsorted)
		}
		for _, name := range g.Nodes()[i].Captured() {
			d.captured[name] = true
		}
	}
	if IsQuantized(m) {
		d.warn("the model computes with quantized values already; what is left of it is quantized now")
	}
	return d, ctx.Err()
}

func (d *dynamic) warn(format string, args ...any) {
	d.report.Warnings = append(d.report.Warnings, fmt.Sprintf(format, args...))
}

// visit emits what takes the place of node i.
func (d *dynamic) visit(i int) error {
	n := d.graph.Nodes()[i]
	if !d.choices[i].take {
		d.keep(n)
		return nil
	}
	d.at = i
	if err := families[n.OpType()].rewrite(d, n); err != nil {
		return fmt.Errorf("node %q (%s): %w", n.Name(), n.OpType(), err)
	}
	return nil
}

// done reports the node that is being visited as quantized.
func (d *dynamic) done(n *graphops.Node, w weight) {
	d.report.Quantized = append(d.report.Quantized, Quantized{d.at, n.Name(), n.OpType(), w.name, w.before, w.after})
}

// meter lets a read be cancelled and tells how far reading is.
type meter struct {
	ctx         context.Context
	done, total int64
	hear        func(done, total int64)
}

// reader reads from r under the meter.
func (m *meter) reader(r io.Reader) io.Reader { return meteredReader{m, r} }

type meteredReader struct {
	m *meter
	r io.Reader
}

func (r meteredReader) Read(b []byte) (int, error) {
	if err := r.m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	r.m.done = min(r.m.done+int64(n), r.m.total) // a constant may be read twice
	if r.m.hear != nil {
		r.m.hear(r.m.done, r.m.total)
	}
	return n, err
}
