package static

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Quantize makes the model compute in integers where the options ask for it. ranges has the ranges
// of the values that Wanted returns. The result shares unchanged parts with m. If nothing can be
// quantized, the error is quant.ErrNothing, and the report is still returned.
//
// A weight or bias that holds NaN or an infinity stays in float32, and so do the nodes that read
// it.
func Quantize(ctx context.Context, m *graphops.Model, ranges *calibration.Table, o Options) (*graphops.Model, *Report, error) {
	m = m.WithoutOverruled()
	notFinite := quant.NotFinite{}
	for {
		known := len(notFinite)
		result, report, err := quantize(ctx, m, ranges, o, notFinite)
		if len(notFinite) == known || ctx.Err() != nil {
			return result, report, err
		}
	}
}

// quantize makes one attempt, which leaves the nodes alone that read a constant in notFinite. If it
// adds a constant there, its result is not used.
func quantize(ctx context.Context, m *graphops.Model, ranges *calibration.Table, o Options, notFinite quant.NotFinite) (*graphops.Model, *Report, error) {
	k, err := newMarker(ctx, m, ranges, o)
	if err != nil {
		return nil, nil, err
	}
	k.notFinite = notFinite
	if err := k.choose(); err != nil {
		return nil, nil, err
	}
	k.keepFloats(ranges)
	k.adjustRanges()
	e := &emitter{marker: k, ctx: ctx, params: map[string]params{}, constants: map[string]*constant{}, replaced: map[int]map[string]string{}}
	result, err := e.emit()
	if err != nil {
		return nil, nil, err
	}
	if result == nil {
		return nil, k.report, k.nothing()
	}
	return result, k.report, nil
}

// marker is the state of one run of Quantize: the original model, the nodes as they change, and
// what is to be quantized.
type marker struct {
	o      Options
	model  *graphops.Model
	graph  *graphops.Graph
	order  []int
	opset  int64
	names  *graphops.Names
	report *Report

	types    map[string]tensor.DType // of values and initializers
	inits    map[string]*graphops.Tensor
	inputs   map[string]bool // of the graph
	outputs  map[string]bool // of the graph
	captured map[string]bool // read by bodies
	empty    map[string]bool // values and initializers without elements
	ranges   map[string]calibration.Range
	spreads  map[string]tensor.Spread
	kept     map[string]string // values that stay in float32, and why
	// notFinite holds the constants found to contain NaN or infinities.
	notFinite quant.NotFinite

	nodes    []*graphops.Node // as they change; nil if removed
	chosen   []bool
	producer map[string]int
	readers  map[string][]int // with one entry for each occurrence
	reads    map[string]int   // how often remaining nodes read a value
	numbered map[string]int   // the next free number to append to a name; nil until first needed
	// receivers holds the chosen readers, in the order of marking.
	receivers map[string][]int

	marks  map[string]*mark
	marked []string // in the order of marking; some may have lost their mark
	biases []bias
	isBias map[string]bool
	added  []*graphops.Tensor // constants created so far
	// current is the node being marked.
	current int
}

// mark says how a value becomes integers.
type mark struct {
	weight     bool
	perChannel bool
	axis       int
	shared     string // the value whose parameters it shares; "" for its own
	by         int    // the node that produces it from that value
}

// bias is a constant that is added to the products of x and w.
type bias struct {
	name, x, w string
	node       int
	beta       float64
}

func newMarker(ctx context.Context, m *graphops.Model, table *calibration.Table, o Options) (*marker, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if s := quant.Already(m); s.Nodes > 0 {
		return nil, fmt.Errorf("the model is already quantized: %s, the first of them %s; start from the float32 model", s, firstQuantized(m))
	}
	report := &Report{}
	m, added, err := quantizable(ctx, m)
	if err != nil {
		return nil, err
	}
	if added {
		report.depart(carriedAttribute)
	}
	m, err = raised(ctx, m, o, report)
	if err != nil {
		return nil, err
	}
	return markerOf(ctx, m, table, o, report)
}

// markerOf is newMarker for a model whose opset supports all types.
func markerOf(ctx context.Context, m *graphops.Model, table *calibration.Table, o Options, report *Report) (*marker, error) {
	opset, _ := m.Opset(graphops.DefaultDomain)
	g := m.Graph()
	if names := g.Index().Duplicates; len(names) > 0 {
		return nil, fmt.Errorf("value %q is produced by more than one node; the graph is not valid", names[0])
	}
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	k := &marker{
		o: o, model: m, graph: g, order: order, opset: opset, names: graphops.NamesOf(m), report: report,
		inits: map[string]*graphops.Tensor{}, inputs: map[string]bool{}, outputs: map[string]bool{}, captured: map[string]bool{},
		ranges: map[string]calibration.Range{}, spreads: map[string]tensor.Spread{}, kept: map[string]string{}, producer: map[string]int{}, readers: map[string][]int{}, reads: map[string]int{}, receivers: map[string][]int{},
		marks: map[string]*mark{}, isBias: map[string]bool{}, notFinite: quant.NotFinite{},
		nodes: append([]*graphops.Node(nil), g.Nodes()...), chosen: make([]bool, len(g.Nodes())),
	}
	if table != nil {
		if err := k.takeTable(table); err != nil {
			return nil, err
		}
	}
	k.index()
	if err := k.findTypes(ctx); err != nil {
		return nil, err
	}
	return k, k.checkOverrides()
}

func firstQuantized(m *graphops.Model) string {
	for n := range m.AllNodes() {
		if quant.Computes(n) {
			return fmt.Sprintf("node %q, which produces %q", n.Name(), strings.Join(n.Outputs(), ", "))
		}
	}
	return ""
}

const (
	opsetQuantize = 10
	opsetEarly    = 11 // to which earlier models are converted
	opsetAxis     = 13
	opsetWide     = 21 // the first that supports 4 and 16 bits
)

func (k *marker) index() {
	for _, t := range k.graph.Initializers() {
		k.inits[t.Name()] = t
	}
	for _, v := range k.graph.Inputs() {
		k.inputs[v.Name()] = true
	}
	for _, v := range k.graph.Outputs() {
		k.outputs[v.Name()] = true
	}
	for i, n := range k.nodes {
		for _, name := range n.Inputs() {
			k.readers[name] = append(k.readers[name], i)
			k.reads[name]++
		}
		for _, name := range n.Outputs() {
			k.producer[name] = i
		}
		for _, name := range n.Captured() {
			k.captured[name] = true
		}
	}
}

// findTypes finds the element types of all values.
func (k *marker) findTypes(ctx context.Context) error {
	var names []string
	for name := range k.readers {
		names = append(names, name)
	}
	for name := range k.producer {
		names = append(names, name)
	}
	types, err := shape.Types(ctx, k.model, names)
	if err != nil {
		return err
	}
	k.types, k.empty = make(map[string]tensor.DType, len(types)), map[string]bool{}
	for name, t := range types {
		if t.Kind == graphops.TypeTensor {
			k.types[name] = t.Elem
			k.empty[name] = slices.Contains(t.Shape, graphops.FixedDim(0))
		}
	}
	for name, t := range k.inits {
		k.types[name] = t.DType()
	}
	return nil
}

func (k *marker) warn(format string, args ...any) {
	k.report.Warnings = append(k.report.Warnings, fmt.Sprintf(format, args...))
}

func (k *marker) nothing() error {
	if len(k.report.Skipped) > 0 {
		return quant.LeftOut(k.report.Skipped)
	}
	return fmt.Errorf("%w: no operator to quantize reads or produces float32", quant.ErrNothing)
}
