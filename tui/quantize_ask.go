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
		if o.value != "" && hasOption(s, o.name) {
			err = cmp.Or(err, setOption(s, o.name, o.value))
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

// quantizePrefix starts the names of the steps that quantize.
const quantizePrefix = "quantize "

func isQuantize(step string) bool { return strings.HasPrefix(step, quantizePrefix) }

// quantizeSteps returns the names of the steps that quantize, in the order of the palette.
func (ws *workspace) quantizeSteps() []string {
	var out []string
	for _, s := range ws.o.Steps() {
		if isQuantize(s.Name()) {
			out = append(out, s.Name())
		}
	}
	return out
}

// quantizeRefusal explains why no node can be quantized now.
func (ws *workspace) quantizeRefusal() string {
	names := ws.quantizeSteps()
	if len(names) == 0 {
		return "there is no step that quantizes"
	}
	return ws.stepRefusal(names[0])
}

// quantizedSuffix returns the suffix for the name of the file that a step writes: the type of
// weights, or the mode.
func quantizedSuffix(s session.Step) string {
	if o, ok := optionNamed(s, "weight-type"); ok {
		return cmp.Or(strings.Join(o.Values(), ""), o.Default)
	}
	return strings.TrimPrefix(s.Name(), quantizePrefix)
}

// quantizeQuestion is the running computation of a draft.
type quantizeQuestion struct {
	cancel context.CancelFunc
	ended  bool
}

func (q *quantizeQuestion) isOpen() bool { return q != nil && !q.ended }

func (q *quantizeQuestion) stop() {
	if q.isOpen() {
		q.ended = true
		q.cancel()
	}
}

// quantizeMsg delivers a draft, or why there is none.
type quantizeMsg struct {
	dialog   *quantizeDialog
	question *quantizeQuestion
	ticks    *quantizeTicks // for new settings; nil if the settings are unchanged
	lines    []int32        // the order of the candidates; set together with ticks
	after    int64          // the size of the result in bytes
	rough    bool           // after is only an estimate
	include  []string
	exclude  []string
	err      error
}

// ask computes, after a pause, the exact size for the current selection. If anew is set, it also
// finds out which nodes can be quantized.
func (d *quantizeDialog) ask(anew bool) tea.Cmd {
	d.question.stop()
	ws := d.app.ws
	if d.base != ws.model() {
		d.base, anew = ws.model(), true
	}
	job := quantizeDrafting{
		settings: d.settings, ticks: d.ticks.copy(), anew: anew || d.ticks == nil, order: d.order,
		fresh: d.newStep,
	}
	if s, err := d.step(); err == nil {
		job.out = ws.outputName(quantizedSuffix(s))
	}
	if job.anew {
		d.stopMeasuring()
		if d.ticks == nil {
			job.ticks = d.before
		}
		d.before, d.ticks = job.ticks, nil
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	q := &quantizeQuestion{cancel: cancel}
	d.question, d.err, d.stopped = q, nil, false
	m := quantizeMsg{dialog: d, question: q}
	base, pause := d.base, ws.pause
	return guarded("looking for what can be quantized", func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		m.err = job.run(ctx, base, &m)
		return m
	})
}

// take implements answer. The dialog takes the answer even while it is set aside.
func (m quantizeMsg) take(*App) tea.Cmd {
	d := m.dialog
	if m.question != d.question || !m.question.isOpen() {
		return nil
	}
	m.question.stop()
	if d.err = m.err; m.err != nil {
		d.app.ws.log.fail(m.err)
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

// measuring is the background work that measures the errors of the weights.
type measuring struct {
	ctx    context.Context
	cancel context.CancelFunc
	ended  bool
}

func (r *measuring) isOn() bool { return r != nil && !r.ended }

// measuredMsg delivers the errors of some weights.
type measuredMsg struct {
	dialog  *quantizeDialog
	reading *measuring
	found   []*fidelity // the errors of the weights that follow the measured ones
}

// measure measures the errors of the weights that have not been measured yet.
func (d *quantizeDialog) measure() tea.Cmd {
	ctx, cancel := context.WithCancel(d.app.ws.ctx)
	d.reading = &measuring{ctx: ctx, cancel: cancel}
	return d.measureOn()
}

// measureOn reads the next weights for a short time.
func (d *quantizeDialog) measureOn() tea.Cmd {
	r := d.reading
	rest := d.ticks.found.weights[d.measured:]
	if len(rest) == 0 {
		r.ended = true
		return nil
	}
	m := measuredMsg{dialog: d, reading: r}
	return guarded("measuring weights", func() tea.Msg {
		for began := time.Now(); len(m.found) < len(rest) && (len(m.found) == 0 || time.Since(began) < measureAtOnce); {
			f := &fidelity{}
			f.Fidelity, f.err = rest[len(m.found)].Measure(r.ctx, nil)
			if r.ctx.Err() != nil {
				return nil
			}
			m.found = append(m.found, f)
		}
		return m
	})
}

// take implements answer. It stores the errors of some weights, and measures the next ones.
func (m measuredMsg) take(*App) tea.Cmd {
	d := m.dialog
	if m.reading != d.reading || !m.reading.isOn() {
		return nil
	}
	for i, f := range m.found {
		d.known[d.ticks.found.weights[d.measured+i]] = f
	}
	d.measured += len(m.found)
	cmd := d.measureOn()
	if !m.reading.isOn() && d.order == quantizeByError {
		return d.arrange()
	}
	return cmd
}

// stopMeasuring stops reading the weights; it returns false if nothing was being read.
func (d *quantizeDialog) stopMeasuring() bool {
	if !d.reading.isOn() {
		return false
	}
	d.reading.ended = true
	d.reading.cancel()
	return true
}

// quantizeArrangedMsg delivers the candidates in another order.
type quantizeArrangedMsg struct {
	dialog *quantizeDialog
	ticks  *quantizeTicks
	order  int
	lines  []int32
}

// arrange sorts the candidates in the background.
func (d *quantizeDialog) arrange() tea.Cmd {
	if d.ticks == nil {
		return nil
	}
	m := quantizeArrangedMsg{dialog: d, ticks: d.ticks, order: d.order}
	f, known := d.ticks.found, maps.Clone(d.known)
	return guarded("sorting", func() tea.Msg {
		m.lines = f.arranged(m.order, known)
		return m
	})
}

// take implements answer. It shows the candidates in the new order, unless the order has changed
// again.
func (m quantizeArrangedMsg) take(*App) tea.Cmd {
	if d := m.dialog; m.ticks == d.ticks && m.order == d.order {
		d.lines = m.lines
		d.rows.Reset(len(m.lines), 0)
	}
	return nil
}

// state returns the line below the totals: the progress, an error, or the warnings of the draft.
func (d *quantizeDialog) state() string {
	keys := d.app.ws.keys
	var words []string
	switch {
	case d.err != nil:
		return d.err.Error()
	case d.ticks == nil && d.question.isOpen():
		return "looking for what can be quantized"
	case d.ticks == nil || d.stopped:
		return "stopped; " + keys.Key(placeQuantize, actionCancel) + " starts again"
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
	case d.reading.isOn():
		words = append(words, "measuring weights: "+text.Count(int64(d.measured))+" of "+text.Count(int64(n)))
	case d.measured < n:
		words = append(words, keys.Key(placeQuantize, actionCancel)+" reads "+text.Bytes(f.bytes)+" to measure the error of each weight")
	}
	return strings.Join(append(words, "sorted "+quantizeOrderWords[d.order]), "; ")
}
