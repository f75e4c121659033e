package tui

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// quantizeSettings are the options that can be set in the dialog itself. All other options need the
// form.
type quantizeSettings struct {
	step       string // the name of the step, such as "quantize dynamic"
	weights    string // the type of weights, "" for the default
	perChannel bool
	data       string // a file of samples, "" for none
	method     string // the calibration method, "" for the default
}

// apply sets these options in a step. Options that the step does not have are skipped.
func (q quantizeSettings) apply(s session.Step) (err error) {
	for _, o := range []struct{ name, value string }{{"weight-type", q.weights}, {"per-channel", trueOr(q.perChannel)}, {"data", q.data}, {"calibration", q.method}} {
		if o.value != "" && workspace.HasOption(s, o.name) {
			err = cmp.Or(err, workspace.SetOption(s, o.name, o.value))
		}
	}
	return err
}

func trueOr(on bool) string {
	if on {
		return strconv.FormatBool(on)
	}
	return ""
}

// quantizeSteps returns the names of the steps that quantize, in the order of the palette.
func quantizeSteps(ws *workspace.Workspace) []string {
	var out []string
	for _, s := range ws.Options.Steps() {
		if workspace.IsQuantize(s.Name()) {
			out = append(out, s.Name())
		}
	}
	return out
}

// quantizeRefusal explains why no node can be quantized now.
func quantizeRefusal(ws *workspace.Workspace) string {
	names := quantizeSteps(ws)
	if len(names) == 0 {
		return "there is no step that quantizes"
	}
	return ws.StepRefusal(names[0])
}

// quantizeAnswer is a draft.
type quantizeAnswer struct {
	ticks   *quantizeTicks // for new settings; nil if the settings are unchanged
	lines   []int32        // the order of the candidates; set together with ticks
	after   int64          // the size of the result in bytes
	rough   bool           // after is only an estimate
	include []string
	exclude []string
}

// ask computes, after a pause, the exact size for the current selection. If anew is set, it also
// finds out which nodes can be quantized.
func (d *quantizeDialog) ask(anew bool) tea.Cmd {
	ws := d.WS
	if d.base != ws.Model() {
		d.base, anew = ws.Model(), true
	}
	job := quantizeDrafting{
		settings: d.settings, ticks: d.ticks.copy(), anew: anew || d.ticks == nil, order: d.order,
		fresh: d.newStep,
	}
	if s, err := d.step(); err == nil {
		job.out = workspace.OutputName(ws, workspace.QuantizedSuffix(s))
	}
	if job.anew {
		d.reading.Stop()
		d.sorting.Stop() // of other candidates
		if d.ticks == nil {
			job.ticks = d.before
		}
		d.before, d.ticks = job.ticks, nil
	}
	d.err, d.stopped = nil, false
	base := d.base
	return d.question.Ask(ws.Tasks, task.Question[quantizeAnswer]{
		Doing: "looking for what can be quantized", Pause: ws.Pause,
		Work: func(ctx context.Context, _ task.Report) (quantizeAnswer, error) { return job.run(ctx, base) },
		Take: d.takeDraft,
	})
}

// takeDraft shows a draft. The dialog takes it even while it is set aside.
func (d *quantizeDialog) takeDraft(m quantizeAnswer, err error) tea.Cmd {
	if d.err = err; err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.exact, d.include, d.exclude = m.after, m.include, m.exclude
	if m.ticks == nil {
		return nil
	}
	d.ticks, d.known, d.measured = m.ticks, map[*quant.DraftWeight]*fidelity{}, 0
	d.setLines(m.lines)
	var cmd tea.Cmd
	if m.ticks.found.bytes <= measuredUnasked {
		cmd = d.measure()
	}
	if m.rough {
		return tea.Batch(cmd, d.ask(false))
	}
	return cmd
}

// measuredUnasked is the total size of weights, in bytes, up to which their errors are measured
// without being asked for.
const measuredUnasked = 256 << 20

// measureAtOnce is for how long weights are measured between two updates of the screen.
const measureAtOnce = 60 * time.Millisecond

// measure measures, for a short time, the errors of the next weights that have not been measured
// yet. When they arrive it continues with the rest.
func (d *quantizeDialog) measure() tea.Cmd {
	rest := d.ticks.found.weights[d.measured:]
	if len(rest) == 0 {
		return nil
	}
	return d.reading.Ask(d.WS.Tasks, task.Question[[]*fidelity]{
		Doing: "measuring weights",
		Work: func(ctx context.Context, _ task.Report) (found []*fidelity, err error) {
			for began := time.Now(); ctx.Err() == nil && len(found) < len(rest) && (len(found) == 0 || time.Since(began) < measureAtOnce); {
				f := &fidelity{}
				f.Fidelity, f.err = rest[len(found)].Measure(ctx, nil)
				found = append(found, f)
			}
			return found, nil
		},
		Take: d.takeMeasured,
	})
}

// takeMeasured stores the errors of the weights that follow the measured ones.
func (d *quantizeDialog) takeMeasured(found []*fidelity, err error) tea.Cmd {
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	for i, f := range found {
		d.known[d.ticks.found.weights[d.measured+i]] = f
	}
	d.measured += len(found)
	cmd := d.measure()
	if !d.reading.IsOpen() && d.order == quantizeByError {
		return d.arrange()
	}
	return cmd
}

// arrange sorts the candidates in the background.
func (d *quantizeDialog) arrange() tea.Cmd {
	if d.ticks == nil {
		return nil
	}
	f, order, known := d.ticks.found, d.order, maps.Clone(d.known)
	return workspace.Ask(d.WS, &d.sorting, "sorting", func(context.Context) []int32 { return f.arranged(order, known) }, func(lines []int32) tea.Cmd {
		d.lines = lines
		d.rows.Reset(len(lines), 0)
		return nil
	})
}

// state returns the line below the totals: the progress, an error, or the warnings of the draft.
func (d *quantizeDialog) state() string {
	keys := d.WS.Keys
	var words []string
	switch {
	case d.err != nil:
		return d.err.Error()
	case d.ticks == nil && d.question.IsOpen():
		return "looking for what can be quantized"
	case d.ticks == nil || d.stopped:
		return "stopped; " + keys.Key(placeQuantize, shell.ActionCancel) + " starts again"
	case d.ticks.found.Nothing != "":
		return d.ticks.found.Nothing
	}
	f := d.ticks.found
	if n := len(f.Warnings); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		words = append(words, "warning: "+f.Warnings[0]+more)
	}
	switch n := len(f.weights); {
	case d.reading.IsOpen():
		words = append(words, "measuring weights: "+text.Count(int64(d.measured))+" of "+text.Count(int64(n)))
	case d.measured < n:
		words = append(words, keys.Key(placeQuantize, shell.ActionCancel)+" reads "+text.Bytes(f.bytes)+" to measure the error of each weight")
	}
	return strings.Join(append(words, "sorted "+quantizeOrderWords[d.order]), "; ")
}
