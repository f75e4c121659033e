package precision

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/weights"
	"lathe/session/calibrate"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// PlaceSpread is the place of the distribution of a weight or an activation.
const PlaceSpread actions.Place = "spread"

// SpreadActions are the actions of the distribution of a weight or an activation.
func SpreadActions() []actions.Action {
	type it = *SpreadDialog
	return actions.Of([]actions.Row[it]{
		actions.New("next-value", "next weight or activation", actions.Keys("tab", "j", "down", "l", "right"), func(d it) tea.Cmd { return d.turn(1) }, it.turnRefusal),
		actions.New("previous-value", "one before", actions.Keys("shift+tab", "k", "up", "h", "left"), func(d it) tea.Cmd { return d.turn(-1) }, it.turnRefusal),
		actions.Now("next-method", "next method", actions.Keys("m"), it.nextMethod, it.methodRefusal),
		actions.New(shell.ActionAccept, "calibrate by this method", actions.Keys("enter"), it.accept, it.acceptRefusal),
		actions.Now("scale", "logarithmic scale or not", actions.Keys("z"), func(d it) { d.log = !d.log }, it.scaleRefusal),
		actions.New(tensors.ActionReadAgain, "read it again", actions.Keys("A"), it.readAgain, it.readRefusal),
		actions.Now(shell.ActionCancel, "stop", actions.Keys("x"), func(d it) { d.asking.Stop() }, it.stopRefusal),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		shell.HelpRow[it](),
	})
}

// spreadSubject is the weight or the activation whose distribution is drawn. An activation is given
// by the name of its value; weight is then nil.
type spreadSubject struct {
	weight *quant.DraftWeight
	value  string
}

func (s spreadSubject) called() string {
	if s.weight != nil {
		return "weight " + cells.Label(s.weight.Name)
	}
	return "activation " + cells.Label(s.value)
}

// SpreadPicture is the distribution of a weight's or an activation's elements as a histogram, with
// the range that each calibration method chooses. It is immutable.
type SpreadPicture struct {
	counts    []int64 // in bins of the same width; empty if nothing was counted
	low, high float64 // the ends of the bins
	ranges    map[string]calibration.Range
	order     []string          // names of the ranges
	without   map[string]string // why a method has no range
	beyond    map[string]string // share of numbers outside of a range
	what      string
	Err       error
}

// SpreadDialog draws the distribution of a weight or an activation, with the range that is mapped
// to integers.
type SpreadDialog struct {
	workspace.Attached
	from     *QuantizeDialog
	subjects []spreadSubject
	At       int
	Pictures map[int]*SpreadPicture
	method   string
	log      bool

	asking task.Task[*SpreadPicture]
	w, H   int
}

// activations returns the inputs and outputs of a node of the main graph that are not constants.
func (d *QuantizeDialog) activations(c *quant.Candidate) []string {
	if c.Place.Kind != graphops.MainGraph || !workspace.HasOption(d.newStep(), "calibration") {
		return nil
	}
	x := c.Place.Graph.Index()
	var out []string
	for _, names := range [][]string{c.Node().Inputs(), c.Node().Outputs()} {
		for _, name := range names {
			id, ok := x.Value(name)
			if name == "" || !ok || x.IsInitializer(id) {
				continue
			}
			if at := x.Producer(id); at >= 0 && c.Place.Graph.Nodes()[at].Is("Constant") {
				continue
			}
			out = append(out, name)
		}
	}
	return out
}

// openSpread opens the dialog for a candidate: first for the weights of the node, then for its
// activations.
func openSpread(ws *workspace.Workspace, from *QuantizeDialog, c *quant.Candidate) tea.Cmd {
	d := &SpreadDialog{Attached: workspace.Attached{WS: ws}, from: from, Pictures: map[int]*SpreadPicture{}, method: cmp.Or(from.Settings.method, string(calibration.MethodMinMax))}
	for _, w := range c.Weights {
		d.subjects = append(d.subjects, spreadSubject{weight: w})
	}
	for _, name := range from.activations(c) {
		d.subjects = append(d.subjects, spreadSubject{value: name})
	}
	ws.Host.Open(d)
	return d.ask()
}

// Place implements shell.Pane.
func (d *SpreadDialog) Place() actions.Place { return PlaceSpread }

// Box implements shell.Dialog.
func (d *SpreadDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Picture returns what is drawn of the tensor at the cursor, or nil.
func (d *SpreadDialog) Picture() *SpreadPicture { return d.Pictures[d.At] }

// Title implements shell.Dialog.
func (d *SpreadDialog) Title() string {
	return fmt.Sprintf("%s, %d of %d", d.subjects[d.At].called(), d.At+1, len(d.subjects))
}

// ask starts to make the picture of the selected subject, unless it has been made before.
func (d *SpreadDialog) ask() tea.Cmd {
	d.asking.Stop()
	if d.Picture() != nil {
		return nil
	}
	ws, at, subject := d.WS, d.At, d.subjects[d.At]
	env, base := ws.Options.Env, d.from.Base
	s, err := d.from.step()
	return d.asking.Ask(ws.Tasks, task.Question[*SpreadPicture]{
		Doing: "looking at " + subject.called(), Watched: true,
		Work: func(ctx context.Context, report task.Report) (*SpreadPicture, error) {
			if err != nil {
				return nil, err
			}
			if subject.weight != nil {
				return weightPicture(ctx, subject.weight), nil
			}
			step, ok := s.(drafting)
			if !ok {
				return nil, fmt.Errorf("step %s reads no activations", s.Name())
			}
			env.Progress = report
			spread, err := step.Spread(ctx, env, base, subject.value)
			return activationPicture(spread, err), nil
		},
		Take: func(p *SpreadPicture, err error) tea.Cmd {
			if err != nil {
				p = &SpreadPicture{Err: err}
			}
			d.Pictures[at] = p
			if p.Err != nil {
				ws.Log.Fail(p.Err)
			}
			return nil
		},
	})
}

// weightPicture reads a weight.
func weightPicture(ctx context.Context, w *quant.DraftWeight) *SpreadPicture {
	profile, err := weights.Profile(ctx, w.Tensor, nil)
	if err != nil {
		return &SpreadPicture{Err: err}
	}
	p := &SpreadPicture{counts: profile.Histogram.Counts, what: text.Count(profile.Count) + " numbers"}
	p.low, p.high = profile.Histogram.Edge(0), profile.Histogram.Edge(len(p.counts))
	f := &Fidelity{}
	if f.Fidelity, f.err = w.Measure(ctx, nil); f.err != nil {
		p.without = map[string]string{w.Type().String(): f.err.Error()}
		return p
	}
	name := w.Type().String()
	p.order, p.ranges = []string{name}, map[string]calibration.Range{name: {Low: f.Low, High: f.High}}
	p.beyond = map[string]string{name: inPercent(float64(f.Cut)/float64(max(f.Elements, 1))) + " saturated"}
	p.what += ": " + f.words()
	return p
}

// activationPicture converts the distribution of an activation to a picture. It has no histogram if
// only stored ranges are known.
func activationPicture(s *calibrate.Spread, err error) *SpreadPicture {
	if err != nil {
		return &SpreadPicture{Err: err}
	}
	p := &SpreadPicture{ranges: map[string]calibration.Range{}, without: map[string]string{}, beyond: map[string]string{}}
	p.what = "no histogram, because the ranges come from a file; samples would give one"
	if h := s.Histogram; h != nil && len(h.Edges) > 1 {
		p.counts, p.low, p.high = trimmedCounts(h)
		n := int64(0)
		for _, c := range h.Counts {
			n += c
		}
		p.what = fmt.Sprintf("%s numbers in %s", text.Count(n), text.Plural(s.Samples, "sample"))
	}
	for _, m := range calibration.Methods() {
		name := string(m)
		r, ok := s.Ranges[m]
		if !ok {
			p.without[name] = cmp.Or(s.Without[m], "the range is not known")
			continue
		}
		p.order, p.ranges[name] = append(p.order, name), r
		if share, ok := s.Saturated(r); ok {
			p.beyond[name] = inPercent(share) + " saturated"
		}
	}
	return p
}

// trimmedCounts returns the bins of a histogram without the empty bins at both ends.
func trimmedCounts(h *calibration.Histogram) (counts []int64, low, high float64) {
	from, to := 0, len(h.Counts)
	for from < to-1 && h.Counts[from] == 0 {
		from++
	}
	for to-1 > from && h.Counts[to-1] == 0 {
		to--
	}
	return h.Counts[from:to], h.Edges[from], h.Edges[to]
}

func (d *SpreadDialog) turnRefusal() string {
	return actions.Unless(len(d.subjects) > 1, "the node has no other weight or activation")
}

func (d *SpreadDialog) methodRefusal() string {
	p := d.Picture()
	return actions.Unless(p != nil && len(p.order) > 1, "a weight has only one range: from its smallest to its largest element")
}

func (d *SpreadDialog) acceptRefusal() string {
	return actions.Unless(d.subjects[d.At].weight == nil && d.DrawnMethod() != "", "a calibration method can be chosen only for activations")
}

func (d *SpreadDialog) scaleRefusal() string {
	return actions.Unless(d.Picture() != nil, "there is no histogram yet")
}

func (d *SpreadDialog) readRefusal() string {
	return actions.Unless(d.Picture() != nil || !d.asking.IsOpen(), "it is already being read")
}

func (d *SpreadDialog) stopRefusal() string {
	return actions.Unless(d.asking.IsOpen(), "nothing is being read")
}

// turn shows the next or previous weight or activation.
func (d *SpreadDialog) turn(by int) tea.Cmd {
	n := len(d.subjects)
	d.At = (d.At + n + by) % n
	return d.ask()
}

func (d *SpreadDialog) nextMethod() { d.method = next(d.Picture().order, d.DrawnMethod()) }

// accept makes the drawn method that of the quantization.
func (d *SpreadDialog) accept() tea.Cmd {
	d.close()
	d.from.Settings.method = d.DrawnMethod()
	return d.from.ask(true)
}

func (d *SpreadDialog) readAgain() tea.Cmd {
	delete(d.Pictures, d.At)
	return d.ask()
}

func (d *SpreadDialog) close() {
	d.asking.Stop()
	d.WS.Host.Close(d)
}

// DrawnMethod returns the calibration method whose range is drawn: the selected one, or the first
// one if the selected one has no range.
func (d *SpreadDialog) DrawnMethod() string {
	p := d.Picture()
	if p == nil || len(p.order) == 0 {
		return ""
	}
	if _, ok := p.ranges[d.method]; ok {
		return d.method
	}
	return p.order[0]
}

// Interrupted implements shell.Worker.
func (d *SpreadDialog) Interrupted() bool { return d.asking.Stop() }

// Clicked implements shell.Pointed. It draws the range of the method under the mouse.
func (d *SpreadDialog) Clicked(_, y int) tea.Cmd {
	p := d.Picture()
	if p == nil {
		return nil
	}
	if i := y - (d.H - len(d.Legend())); i >= 0 && i < len(p.order) {
		d.method = p.order[i]
	}
	return nil
}

// Wheeled implements shell.Pointed. Nothing scrolls.
func (d *SpreadDialog) Wheeled(int) {}

// Sync implements shell.Pane.
func (d *SpreadDialog) Sync(w, h int) tea.Cmd {
	d.w, d.H = w, h
	return nil
}
