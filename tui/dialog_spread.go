package tui

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

const placeSpread actions.Place = "spread"

func spreadActions() []actions.Action {
	type it = *spreadDialog
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

// spreadPicture is the distribution of a weight's or an activation's elements as a histogram, with
// the range that each calibration method chooses. It is immutable.
type spreadPicture struct {
	counts    []int64 // in bins of the same width; empty if nothing was counted
	low, high float64 // the ends of the bins
	ranges    map[string]calibration.Range
	order     []string          // names of the ranges
	without   map[string]string // why a method has no range
	beyond    map[string]string // share of numbers outside of a range
	what      string
	err       error
}

// spreadDialog draws the distribution of a weight or an activation, with the range that is mapped
// to integers.
type spreadDialog struct {
	workspace.Attached
	from     *quantizeDialog
	subjects []spreadSubject
	at       int
	pictures map[int]*spreadPicture
	method   string
	log      bool

	asking task.Task[*spreadPicture]
	w, h   int
}

// activations returns the inputs and outputs of a node of the main graph that are not constants.
func (d *quantizeDialog) activations(c *quant.Candidate) []string {
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
func openSpread(ws *workspace.Workspace, from *quantizeDialog, c *quant.Candidate) tea.Cmd {
	d := &spreadDialog{Attached: workspace.Attached{WS: ws}, from: from, pictures: map[int]*spreadPicture{}, method: cmp.Or(from.settings.method, string(calibration.MethodMinMax))}
	for _, w := range c.Weights {
		d.subjects = append(d.subjects, spreadSubject{weight: w})
	}
	for _, name := range from.activations(c) {
		d.subjects = append(d.subjects, spreadSubject{value: name})
	}
	ws.Host.Open(d)
	return d.ask()
}

func (d *spreadDialog) Place() actions.Place          { return placeSpread }
func (d *spreadDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *spreadDialog) picture() *spreadPicture       { return d.pictures[d.at] }

func (d *spreadDialog) Title() string {
	return fmt.Sprintf("%s, %d of %d", d.subjects[d.at].called(), d.at+1, len(d.subjects))
}

// ask starts to make the picture of the selected subject, unless it has been made before.
func (d *spreadDialog) ask() tea.Cmd {
	d.asking.Stop()
	if d.picture() != nil {
		return nil
	}
	ws, at, subject := d.WS, d.at, d.subjects[d.at]
	env, base := ws.Options.Env, d.from.base
	s, err := d.from.step()
	return d.asking.Ask(ws.Tasks, task.Question[*spreadPicture]{
		Doing: "looking at " + subject.called(), Watched: true,
		Work: func(ctx context.Context, report task.Report) (*spreadPicture, error) {
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
		Take: func(p *spreadPicture, err error) tea.Cmd {
			if err != nil {
				p = &spreadPicture{err: err}
			}
			d.pictures[at] = p
			if p.err != nil {
				ws.Log.Fail(p.err)
			}
			return nil
		},
	})
}

// weightPicture reads a weight.
func weightPicture(ctx context.Context, w *quant.DraftWeight) *spreadPicture {
	profile, err := weights.Profile(ctx, w.Tensor, nil)
	if err != nil {
		return &spreadPicture{err: err}
	}
	p := &spreadPicture{counts: profile.Histogram.Counts, what: text.Count(profile.Count) + " numbers"}
	p.low, p.high = profile.Histogram.Edge(0), profile.Histogram.Edge(len(p.counts))
	f := &fidelity{}
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
func activationPicture(s *calibrate.Spread, err error) *spreadPicture {
	if err != nil {
		return &spreadPicture{err: err}
	}
	p := &spreadPicture{ranges: map[string]calibration.Range{}, without: map[string]string{}, beyond: map[string]string{}}
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

func (d *spreadDialog) turnRefusal() string {
	return actions.Unless(len(d.subjects) > 1, "the node has no other weight or activation")
}

func (d *spreadDialog) methodRefusal() string {
	p := d.picture()
	return actions.Unless(p != nil && len(p.order) > 1, "a weight has only one range: from its smallest to its largest element")
}

func (d *spreadDialog) acceptRefusal() string {
	return actions.Unless(d.subjects[d.at].weight == nil && d.drawnMethod() != "", "a calibration method can be chosen only for activations")
}

func (d *spreadDialog) scaleRefusal() string {
	return actions.Unless(d.picture() != nil, "there is no histogram yet")
}

func (d *spreadDialog) readRefusal() string {
	return actions.Unless(d.picture() != nil || !d.asking.IsOpen(), "it is already being read")
}

func (d *spreadDialog) stopRefusal() string {
	return actions.Unless(d.asking.IsOpen(), "nothing is being read")
}

// turn shows the next or previous weight or activation.
func (d *spreadDialog) turn(by int) tea.Cmd {
	n := len(d.subjects)
	d.at = (d.at + n + by) % n
	return d.ask()
}

func (d *spreadDialog) nextMethod() { d.method = next(d.picture().order, d.drawnMethod()) }

// accept makes the drawn method that of the quantization.
func (d *spreadDialog) accept() tea.Cmd {
	d.close()
	d.from.settings.method = d.drawnMethod()
	return d.from.ask(true)
}

func (d *spreadDialog) readAgain() tea.Cmd {
	delete(d.pictures, d.at)
	return d.ask()
}

func (d *spreadDialog) close() {
	d.asking.Stop()
	d.WS.Host.Close(d)
}

// drawnMethod returns the calibration method whose range is drawn: the selected one, or the first
// one if the selected one has no range.
func (d *spreadDialog) drawnMethod() string {
	p := d.picture()
	if p == nil || len(p.order) == 0 {
		return ""
	}
	if _, ok := p.ranges[d.method]; ok {
		return d.method
	}
	return p.order[0]
}

// Interrupted implements worker.
func (d *spreadDialog) Interrupted() bool { return d.asking.Stop() }

// Clicked implements pointed. It draws the range of the method under the mouse.
func (d *spreadDialog) Clicked(_, y int) tea.Cmd {
	p := d.picture()
	if p == nil {
		return nil
	}
	if i := y - (d.h - len(d.legend())); i >= 0 && i < len(p.order) {
		d.method = p.order[i]
	}
	return nil
}

// Wheeled implements pointed. Nothing scrolls.
func (d *spreadDialog) Wheeled(int) {}

func (d *spreadDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	return nil
}
