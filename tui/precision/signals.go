package precision

import (
	"context"
	"maps"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/quant"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// worstOf returns the error of the weight that is preserved worst, of all weights of a node. It is
// nil until all of them are measured.
func worstOf(c *quant.Candidate, known map[*quant.DraftWeight]*Fidelity) *Fidelity {
	var out *Fidelity
	for _, w := range c.Weights {
		f := known[w]
		switch {
		case f == nil:
			return nil
		case out == nil, out.err == nil && (f.err != nil || f.SNR() < out.SNR()):
			out = f
		}
	}
	return out
}

// signals returns how well the weights of each node survive, for the list of nodes.
func (f *quantizeFound) signals(how string, known map[*quant.DraftWeight]*Fidelity) *graph.NodeSignals {
	out := graph.NewNodeSignals(how)
	for i := range f.Candidates {
		c := &f.Candidates[i]
		if c.Reason != "" {
			continue
		}
		worst := worstOf(c, known)
		if worst == nil || worst.err != nil {
			continue
		}
		if p, index, ok := f.Where(c); ok {
			out.Add(p, index, worst.SNR())
		}
	}
	return out
}

// share shows the errors of the weights measured so far in the list of nodes, if there are new ones.
func (d *QuantizeDialog) share() tea.Cmd {
	if d.Ticks == nil || d.Measured == 0 || d.Measured == d.shared {
		return nil
	}
	d.shared = d.Measured
	ws, f, base, how, known := d.WS, d.Ticks.Found, d.Base, d.chosen(), maps.Clone(d.Known)
	return workspace.Once(ws, "noting how weights survive", func(context.Context) *graph.NodeSignals { return f.signals(how, known) },
		func(found *graph.NodeSignals) tea.Cmd { return workspace.TakeSignals(ws, base, found) })
}
