package quant

import (
	"context"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opset"
	"lathe/graphops/region"
	"lathe/graphops/shape"
)

// The opsets in which operators were added or changed.
const (
	opsetDynamicQuantizeLinear = 11
	opsetDequantizeAxis        = 13
)

// Dynamic quantizes weights to 8 bits, and adds nodes that quantize the values multiplied with
// them while the model runs. progress, if set, is called with the number of bytes of weights read
// so far to find their ranges. The weights are read again when the result is saved, so that they
// are never held in memory. The result shares unchanged parts with m.
//
// Calls of functions that contain nodes to quantize are inlined, as region.Inlined does it, with
// nodes named after the call; calls that cannot be inlined are left alone. Nodes in bodies are
// quantized only if the options ask for it. A weight that holds NaN or an infinity stays in
// float32, as do the nodes that read it. If nothing can be quantized, the error is ErrNothing, and
// the report is still returned.
func Dynamic(ctx context.Context, m *graphops.Model, o DynamicOptions, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	inlined, calls := withoutCalls(m)
	raised, added, err := opset.AtLeast(ctx, inlined, opsetDynamicQuantizeLinear)
	if err != nil {
		return nil, nil, err
	}
	raised = raised.WithoutOverruled()
	notFinite := NotFinite{}
	for {
		d, err := newDynamic(ctx, raised, o)
		if err != nil {
			return nil, nil, err
		}
		d.notFinite = notFinite
		d.noteOpset(m, added)
		if calls > 0 {
			d.report.depart(functionBody)
			d.warn("%d calls of functions were inlined, because nodes in functions cannot be quantized", calls)
		}
		known := len(notFinite)
		result, report, err := d.quantize(progress)
		if len(notFinite) == known || ctx.Err() != nil {
			return result, report, err
		}
	}
}

// quantize makes one attempt. If it adds to notFinite, its result is not used, and the next
// attempt leaves these constants alone.
func (d *dynamic) quantize(progress func(done, total int64)) (*graphops.Model, *Report, error) {
	main, err := d.newScope(d.model.Places()[0], nil)
	if err != nil {
		return nil, nil, err
	}
	if err := d.choose(main); err != nil {
		return nil, d.report, err
	}
	d.meter = &meter{ctx: d.ctx, total: d.bytesToRead(), hear: progress}
	main.markCaptured()
	if err := main.rewrite(); err != nil {
		return nil, nil, err
	}
	result, err := d.finish(main)
	return result, d.report, err
}

// withoutCalls inlines calls of functions if some function contains nodes to quantize. It also
// returns the number of inlined calls.
func withoutCalls(m *graphops.Model) (*graphops.Model, int) {
	if !functionsHoldCandidates(m) {
		return m, 0
	}
	inlined, calls, _ := region.Inlined(m)
	return inlined, calls
}

// functionsHoldCandidates reports whether a function of the model contains a node with an
// operator that is quantized and has weights.
func functionsHoldCandidates(m *graphops.Model) bool {
	return slices.ContainsFunc(m.CalledFunctions(), func(f *graphops.Function) bool {
		return slices.ContainsFunc(f.Graph().Nodes(), func(n *graphops.Node) bool {
			f, known := families[n.OpType()]
			return known && f.domain == n.Domain() && !n.Is("Transpose")
		})
	})
}

// dynamic is the state of one run of Dynamic.
type dynamic struct {
	ctx    context.Context
	o      DynamicOptions
	model  *graphops.Model
	opset  int64
	names  *graphops.Names
	meter  *meter
	filter *nodeFilter
	scopes []*scope      // outer before inner
	types  *shape.Result // inferred on first use
	report *Report
	sketch *sketch // set for a Draft; nil if weights are read
	// notFinite holds the constants found to contain NaN or infinities.
	notFinite NotFinite
	latest    *scales // of the constant that was quantized last, if they are found later
}

func newDynamic(ctx context.Context, m *graphops.Model, o DynamicOptions) (*dynamic, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	opset, _ := m.Opset(graphops.DefaultDomain)
	filter, err := newNodeFilter(m, o)
	if err != nil {
		return nil, err
	}
	d := &dynamic{ctx: ctx, o: o, model: m, opset: opset, names: graphops.NamesOf(m), filter: filter, report: &Report{}, notFinite: NotFinite{}}
	if already := Already(m); already.Nodes > 0 {
		d.warn("the model is already quantized in part, %s; the rest is quantized now", already)
	}
	return d, ctx.Err()
}

// noteOpset reports the departures of a model that had an earlier opset.
func (d *dynamic) noteOpset(original *graphops.Model, added bool) {
	opset, _ := original.Opset(graphops.DefaultDomain)
	if opset == opsetDynamicQuantizeLinear-1 {
		d.report.depart(opsetTen)
	} else if added {
		d.report.depart(opsetConverter)
	}
	if opset < d.opset {
		d.warn("opset %d became %d, the first with DynamicQuantizeLinear; the nodes have the same meaning in both", opset, d.opset)
	}
}

func (d *dynamic) warn(format string, args ...any) {
	d.report.Warnings = append(d.report.Warnings, fmt.Sprintf(format, args...))
}

// meter makes reading cancellable and reports progress.
type meter struct {
	ctx         context.Context
	done, total int64
	hear        func(done, total int64)
}

// reader wraps r so that reads are counted.
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
