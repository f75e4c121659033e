package precision

import (
	"cmp"
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// quantizeDrafting computes in the background which nodes a quantization would change and how large
// the result would be.
type quantizeDrafting struct {
	settings quantizeSettings
	ticks    *QuantizeTicks // the current selection, nil for none; if anew is set, it is for other settings
	anew     bool           // find out again which nodes can be selected
	order    int
	costs    *graph.NodeSignals // see QuantizeDialog.costs
	out      string
	fresh    func() session.Step
}

// quickFrom is the number of nodes from which the list is shown before the size is known.
const quickFrom = 20_000

func (j quantizeDrafting) run(ctx context.Context, m *graphops.Model) (answer quantizeAnswer, err error) {
	ticks := j.ticks
	if j.anew {
		d, err := j.draft(ctx, m, nil, nil, len(m.Graph().Nodes()) > quickFrom)
		if err != nil {
			return answer, err
		}
		f := NewQuantizeFound(m, d)
		f.out = forms.FreePath(j.out)
		m.Graph().Index() // the workbench uses it to find what a node reads
		ticks = NewQuantizeTicks(f, j.ticks)
		answer.ticks, answer.lines = ticks, f.Arranged(j.order, nil, j.costs)
	}
	answer.include, answer.exclude = ticks.Lists()
	answer.after, answer.warnings = ticks.Found.After, ticks.Found.Warnings
	if answer.rough = ticks.Found.Unsized && j.anew; answer.rough || ticks.Out == 0 && !ticks.Found.Unsized {
		return answer, nil
	}
	d, err := j.draft(ctx, m, answer.include, answer.exclude, false)
	if err == nil {
		answer.after, answer.warnings = d.After, d.Warnings
	}
	return answer, err
}

// draft returns the draft of the step for the given names of nodes to include or exclude. A quick
// draft lacks the exact size.
func (j quantizeDrafting) draft(ctx context.Context, m *graphops.Model, include, exclude []string, quick bool) (*quant.Draft, error) {
	s := j.fresh()
	step, ok := s.(drafting)
	if !ok {
		return nil, fmt.Errorf("step %s cannot say in advance which nodes it changes", s.Name())
	}
	if err := cmp.Or(j.settings.apply(s), workspace.SetOption(s, "include", include...), workspace.SetOption(s, "exclude", exclude...)); err != nil {
		return nil, err
	}
	return step.Draft(ctx, m, quick)
}
