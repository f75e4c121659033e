package precision

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
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
	Step       string // the name of the step, such as "quantize dynamic"
	Weights    string // the type of weights, "" for the default
	PerChannel bool
	Data       string // a file of samples, "" for none
	method     string // the calibration method, "" for the default
}

// apply sets these options in a step. Options that the step does not have are skipped.
func (q quantizeSettings) apply(s session.Step) (err error) {
	for _, o := range []struct{ name, value string }{{"weight-type", q.Weights}, {"per-channel", trueOr(q.PerChannel)}, {"data", q.Data}, {"calibration", q.method}} {
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

// manyModes are the steps that try several modes, so that no nodes can be ticked for them in advance.
var manyModes = []string{sensitivity, workspace.QuantizePrefix + "auto", workspace.QuantizePrefix + "compare"}

// quantizeSteps returns the names of the steps that quantize a model in one mode, in the order of the
// palette.
func quantizeSteps(ws *workspace.Workspace) []string {
	var out []string
	for _, s := range ws.Options.Steps() {
		if workspace.IsQuantize(s.Name()) && !slices.Contains(manyModes, s.Name()) {
			out = append(out, s.Name())
		}
	}
	return out
}

// QuantizeRefusal explains why no node can be quantized now.
func QuantizeRefusal(ws *workspace.Workspace) string {
	names := quantizeSteps(ws)
	if len(names) == 0 {
		return "there is no step that quantizes"
	}
	return ws.StepRefusal(names[0])
}

// quantizeAnswer is a draft.
type quantizeAnswer struct {
	ticks *QuantizeTicks // for new settings; nil if the settings are unchanged
	lines []int32        // the order of the candidates; set together with ticks
	after int64          // the size of the result in bytes
	rough bool           // after is only an estimate
	// warnings are about the nodes that are ticked.
	warnings []string
	include  []string
	exclude  []string
}

// ask computes, after a pause, the exact size for the current selection. If anew is set, it also
// finds out which nodes can be quantized.
func (d *QuantizeDialog) ask(anew bool) tea.Cmd {
	ws := d.WS
	if d.Base != ws.Model() {
		d.Base, anew = ws.Model(), true
	}
	job := quantizeDrafting{
		settings: d.Settings, ticks: d.Ticks.copy(), anew: anew || d.Ticks == nil, order: d.order, costs: d.costs(),
		fresh: d.newStep,
	}
	if s, err := d.step(); err == nil {
		job.out = workspace.OutputName(ws, workspace.QuantizedSuffix(s))
	}
	if job.anew {
		d.Reading.Stop()
		d.sorting.Stop() // of other candidates
		if d.Ticks == nil {
			job.ticks = d.before
		}
		d.before, d.Ticks = job.ticks, nil
	}
	d.Err, d.Stopped = nil, false
	base := d.Base
	return d.Question.Ask(ws.Tasks, task.Question[quantizeAnswer]{
		Doing: "looking for what can be quantized", Pause: ws.Pause,
		Work: func(ctx context.Context, _ task.Report) (quantizeAnswer, error) { return job.run(ctx, base) },
		Take: d.takeDraft,
	})
}

// takeDraft shows a draft. The dialog takes it even while it is set aside.
func (d *QuantizeDialog) takeDraft(m quantizeAnswer, err error) tea.Cmd {
	if d.Err = err; err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.Exact, d.include, d.Exclude, d.warnings = m.after, m.include, m.exclude, m.warnings
	if m.ticks == nil {
		return nil
	}
	d.Ticks, d.Known, d.Measured, d.shared = m.ticks, map[*quant.DraftWeight]*Fidelity{}, 0, 0
	d.SetLines(m.lines)
	var cmd tea.Cmd
	if m.ticks.Found.bytes <= measuredUnasked {
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
func (d *QuantizeDialog) measure() tea.Cmd {
	rest := d.Ticks.Found.Weights[d.Measured:]
	if len(rest) == 0 {
		return nil
	}
	return d.Reading.Ask(d.WS.Tasks, task.Question[[]*Fidelity]{
		Doing: "measuring weights",
		Work: func(ctx context.Context, _ task.Report) (found []*Fidelity, err error) {
			for began := time.Now(); ctx.Err() == nil && len(found) < len(rest) && (len(found) == 0 || time.Since(began) < measureAtOnce); {
				f := &Fidelity{}
				f.Fidelity, f.err = rest[len(found)].Measure(ctx, nil)
				found = append(found, f)
			}
			return found, nil
		},
		Take: d.takeMeasured,
	})
}

// takeMeasured stores the errors of the weights that follow the measured ones.
func (d *QuantizeDialog) takeMeasured(found []*Fidelity, err error) tea.Cmd {
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	for i, f := range found {
		d.Known[d.Ticks.Found.Weights[d.Measured+i]] = f
	}
	d.Measured += len(found)
	cmd := d.measure()
	if d.Reading.IsOpen() {
		return cmd
	}
	cmd = d.share()
	if d.order == quantizeByError {
		cmd = tea.Batch(cmd, d.arrange())
	}
	return cmd
}

// arrange sorts the candidates in the background.
func (d *QuantizeDialog) arrange() tea.Cmd {
	if d.Ticks == nil {
		return nil
	}
	f, order, known, costs := d.Ticks.Found, d.order, maps.Clone(d.Known), d.costs()
	return workspace.Ask(d.WS, &d.sorting, "sorting", func(context.Context) []int32 { return f.Arranged(order, known, costs) }, func(lines []int32) tea.Cmd {
		d.lines = lines
		d.Rows.Reset(len(lines), 0)
		return nil
	})
}

// state returns the line below the totals: the progress, an error, or the warnings of the draft.
func (d *QuantizeDialog) state() string {
	keys := d.WS.Keys
	var words []string
	switch {
	case d.Err != nil:
		return d.Err.Error()
	case d.Ticks == nil && d.Question.IsOpen():
		return "looking for what can be quantized"
	case d.Ticks == nil || d.Stopped:
		return "stopped; " + keys.Key(PlaceQuantize, shell.ActionCancel) + " starts again"
	case d.Ticks.Found.Nothing != "":
		return d.Ticks.Found.Nothing
	}
	f := d.Ticks.Found
	if why := f.none(); why != "" {
		return why
	}
	if n := len(d.warnings); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		words = append(words, "warning: "+d.warnings[0]+more)
	}
	switch n := len(f.Weights); {
	case d.Reading.IsOpen():
		words = append(words, "measuring weights: "+text.Count(int64(d.Measured))+" of "+text.Count(int64(n)))
	case d.Measured < n:
		words = append(words, keys.Key(PlaceQuantize, shell.ActionCancel)+" reads "+text.Bytes(f.bytes)+" to measure the error of each weight")
	}
	words = append(words, "sorted "+quantizeOrderWords[d.order])
	key := keys.Key(PlaceQuantize, actionOutputs)
	switch costs := d.costs(); {
	case costs != nil:
		words = append(words, "the last column is the SNR "+costs.How)
	case key != "" && d.outputsRefusal() == "":
		words = append(words, "errors are those of the weights, and "+key+" measures what each node costs at the outputs")
	}
	return strings.Join(words, "; ")
}
