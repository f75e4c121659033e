package nbits

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/quant"
)

// Draft describes what Quantize would do to a model, without reading weights. What only their numbers
// show, such as NaN, is unknown.
func Draft(ctx context.Context, m *graphops.Model, o Options) (*quant.Draft, error) {
	p, err := newPlan(ctx, m, o, map[stored]refusal{})
	if err != nil {
		return nil, err
	}
	out := &quant.Draft{}
	if out.Before, err = graphops.SavedSize(m, graphops.SaveOptions{}); err != nil {
		return nil, err
	}
	out.After = out.Before
	if len(p.weights) == 0 {
		out.Nothing = p.nothing().Error()
	} else {
		result, err := p.apply()
		if err != nil {
			return nil, err
		}
		if out.After, err = graphops.SavedSize(result, graphops.SaveOptions{}); err != nil {
			return nil, err
		}
	}
	out.Warnings = p.report.Warnings
	shown := p.inlined
	if !quant.SameNodes(shown, p.model) { // the conversion replaced a node by several nodes
		shown = p.model
	}
	out.Elsewhere = shown != m
	out.Candidates = p.candidates(shown)
	return out, ctx.Err()
}

// candidates returns the nodes that were considered, as nodes of the model m.
func (p *plan) candidates(m *graphops.Model) []quant.Candidate {
	drafts := map[*packed]*quant.DraftWeight{}
	for _, w := range p.weights {
		drafts[w] = &quant.DraftWeight{Name: w.name, Tensor: w.tensor, Before: w.before(), After: w.after(), Blocks: w}
	}
	skipped := p.report.Skipped
	var out []quant.Candidate
	for id, list := range p.nodes {
		at := m.Places()[id]
		name := p.model.Places()[id].String()
		for i, t := range list {
			switch {
			case t != nil:
				out = append(out, quant.Candidate{Place: at, Index: i, Weights: []*quant.DraftWeight{drafts[t.weight]}})
			case len(skipped) > 0 && skipped[0].Index == i && skipped[0].Place == name:
				out = append(out, quant.Candidate{Place: at, Index: i, Reason: skipped[0].Reason})
				skipped = skipped[1:]
			}
		}
	}
	return out
}
