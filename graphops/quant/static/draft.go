package static

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// Draft describes what Quantize would do to a model. If ranges is nil, nothing is known about
// activations. It is then assumed that each Relu, and each Clip with constant bounds, can be
// replaced by saturation. If that turns out wrong, the result is some bytes larger, because the
// nodes remain.
func Draft(ctx context.Context, m *graphops.Model, ranges *calibration.Table, o Options) (*quant.Draft, error) {
	k, err := newMarker(ctx, m.WithoutOverruled(), ranges, o)
	if err != nil {
		return nil, err
	}
	if err := k.choose(); err != nil {
		return nil, err
	}
	if ranges == nil {
		k.supposeRanges()
	}
	k.adjustRanges()
	out := &quant.Draft{Supposed: ranges == nil}
	if out.Before, err = graphops.SavedSize(m, graphops.SaveOptions{}); err != nil {
		return nil, err
	}
	out.After = out.Before
	e := &emitter{marker: k, ctx: ctx, params: map[string]params{}, constants: map[string]*constant{}, replaced: map[int]map[string]string{}, sizesOnly: true}
	result, err := e.emit()
	if err != nil {
		return nil, err
	}
	if result == nil {
		out.Nothing = k.nothing().Error()
	} else {
		if out.After, err = graphops.SavedSize(result, graphops.SaveOptions{}); err != nil {
			return nil, err
		}
	}
	out.Warnings = k.report.Warnings
	shown := m
	if !quant.SameNodes(m, k.model) { // the conversion replaced a node by several nodes
		shown, out.Elsewhere = k.model, true
	}
	out.Candidates = e.candidates(shown.Places()[0])
	return out, ctx.Err()
}

// supposeRanges gives each value an assumed range.
func (k *marker) supposeRanges() {
	for name, t := range k.types {
		if t == tensor.F32 {
			k.ranges[name] = calibration.Range{Low: -1, High: 1}
			k.spreads[name] = tensor.Spread{Deviation: 1}
		}
	}
	for _, n := range k.nodes {
		if len(n.Inputs()) == 0 || len(n.Outputs()) == 0 {
			continue
		}
		switch n.StandardOp() {
		case "Relu":
			k.ranges[n.Output(0)] = calibration.Range{Low: 0, High: 1}
		case "Clip":
			low, ok := k.bound(n, 1, "min")
			high, also := k.bound(n, 2, "max")
			if ok && also && low != nil && high != nil && *low < *high {
				k.ranges[n.Output(0)] = calibration.Range{Low: *low, High: *high}
			}
		}
	}
}

// candidates returns the nodes that were considered.
func (e *emitter) candidates(main *graphops.Place) []quant.Candidate {
	weights := map[string]*quant.DraftWeight{}
	for name, c := range e.constants {
		weights[name] = &quant.DraftWeight{
			Name: name, Tensor: e.inits[name], Before: c.data.Len(), After: c.codesLen() + int64(len(c.by))*5,
			Rule: c.rule, Channels: c.channels(), LeastWidth: float32(e.o.MinimumRealRange),
		}
	}
	var out []quant.Candidate
	for _, q := range e.report.Quantized {
		c := quant.Candidate{Place: main, Index: q.Index}
		for _, name := range main.Graph.Nodes()[q.Index].Inputs() {
			if w := weights[name]; w != nil && !slices.Contains(c.Weights, w) {
				c.Weights = append(c.Weights, w)
			}
		}
		out = append(out, c)
	}
	for _, s := range e.report.Skipped {
		if s.Index >= 0 {
			out = append(out, quant.Candidate{Place: main, Index: s.Index, Reason: s.Reason})
		}
	}
	slices.SortStableFunc(out, func(a, b quant.Candidate) int { return a.Index - b.Index })
	return out
}
