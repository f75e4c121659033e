package timing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"lathe/bench"
	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/sizing"
	"lathe/session/text"
)

// load starts a worker for every combination of launcher, model, provider, batch size and number of
// threads.
func (s *Benchmark) load(ctx context.Context, env session.Env, over sweep) ([]*Subject, error) {
	var out []*Subject
	for on, launcher := range orDefault(s.On) {
		for i, path := range s.Models {
			targets, err := s.loadModel(ctx, env, &Subject{Path: path, launcher: launcher, place: bench.Place{Model: i, On: on}}, over)
			out = append(out, targets...)
			if err != nil {
				return out, err
			}
		}
	}
	tellApart(out)
	return out, s.SameSizes(ctx, env, out)
}

// tellApart numbers targets with equal names, such as a model that is named twice.
func tellApart(targets []*Subject) {
	count := map[string]int{}
	for _, t := range targets {
		name := t.Name()
		count[name]++
		t.number = count[name]
	}
}

// orDefault returns the list, or a list of one "" that selects the default.
func orDefault(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// loadModel opens the model of a target once, on the machine where it runs, and loads it for every
// provider chain, batch size and number of threads.
func (s *Benchmark) loadModel(ctx context.Context, env session.Env, of *Subject, over sweep) (out []*Subject, err error) {
	how, err := s.ExecutionAt(env, of.launcher)
	if err != nil {
		return nil, err
	}
	m, err := env.OpenFor(ctx, of.Path, how)
	if err != nil {
		return nil, err
	}
	for i, chain := range orDefault(s.EP) {
		for k, batch := range over.batches {
			for l, threads := range over.threads {
				env.Progress(session.Progress{Phase: "loading " + of.Path})
				one := *of
				one.Model, one.Chain, one.batch, one.several = m, chain, batch, s.several()
				one.threads, one.severalThreads = threads, len(over.threads) > 1
				one.place.EP, one.place.Batch, one.place.Threads = i, k, l
				t, err := s.Load(ctx, env, m, &one)
				if t != nil {
					out = append(out, t)
				}
				if err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// Load loads a model, binds its inputs and runs it once. The session must be closed even if there
// is an error.
func (s *Benchmark) Load(ctx context.Context, env session.Env, m *graphops.Model, t *Subject) (*Subject, error) {
	how, err := s.WithChain(env, t.Chain, t.launcher)
	if err != nil {
		return nil, err
	}
	how.Threads = cmp.Or(t.threads, how.Threads)
	var idle []string
	if flags.BeyondCPU(how.Providers) {
		placed, err := s.place(ctx, env, m, how)
		if err != nil {
			return nil, err
		}
		how, idle, t.placement = placed.How, placed.Notes, *placed.Placement
	} else {
		how.Placement = true
	}
	l, err := env.Runtime.Load(ctx, m, how)
	if err != nil {
		return nil, err
	}
	t.Session, t.how, t.binding = l, how, s.bindingOf()
	if how.Placement {
		if t.placement, err = l.Placement(ctx); err != nil {
			return t, err
		}
	}
	if err := s.firstRun(ctx, env, m, t); err != nil {
		return t, err
	}
	t.notes = append(t.notes, idle...)
	t.notes = append(t.notes, reporting.Remarks(t.Session.Facts())...)
	if s.Captures {
		if err := t.proveReplay(ctx); err != nil {
			return t, err
		}
	}
	if s.Rate > 0 {
		return t, l.Bind(ctx, t.feeds, t.binding)
	}
	return t, nil
}

// firstRun makes the inputs of a target, binds them and measures the first run. If the runtime
// rejects the chosen sizes of free axes, it tries others.
func (s *Benchmark) firstRun(ctx context.Context, env session.Env, m *graphops.Model, t *Subject) error {
	request, err := s.Request(m, 1, t.batch)
	if err != nil {
		return err
	}
	request.Purpose = sizing.Measure
	if len(t.pinned) > 0 {
		request.Dims = maps.Clone(request.Dims)
		if request.Dims == nil {
			request.Dims = map[string]int64{}
		}
		maps.Copy(request.Dims, t.pinned)
		request.Files.Dims = request.Dims
	}
	types, broken := t.Session.(runtime.Loaded).Inputs(), false
	err = s.Fitted(ctx, env, m, types, request, s.Timeout, func(cases inputs.Cases) error {
		if broken { // a crash ended the worker
			if err := s.reload(ctx, env, m, t); err != nil {
				return err
			}
		}
		s.feed(t, m, cases)
		err := s.checkSizes(ctx, t)
		if err == nil {
			err = t.Session.Bind(ctx, t.feeds, t.unqueued())
		}
		var first []time.Duration
		if err == nil {
			first, err = t.Session.Block(ctx, 1, time.Nanosecond)
		}
		if err == nil && len(first) == 0 {
			err = errors.New("the runtime reported no time for the first run")
		}
		if broken = err != nil; !broken {
			t.first = first[0]
		}
		return err
	})
	var data *inputs.DataError
	if errors.As(err, &data) && len(s.Models) > 1 {
		return fmt.Errorf("%w (for %s)", err, t.Path)
	}
	return s.ofCapture(t, err)
}

// reload loads a target's model in a new session. It is used after a run has ended the worker.
func (s *Benchmark) reload(ctx context.Context, env session.Env, m *graphops.Model, t *Subject) error {
	if err := t.Session.Close(); err != nil {
		return err
	}
	l, err := env.Runtime.Load(ctx, m, t.how)
	if err != nil {
		return err
	}
	t.Session = l
	return nil
}

// unqueued returns the binding without a request rate, so that runs follow each other immediately.
func (t *Subject) unqueued() ort.Binding {
	b := t.binding
	b.Rate = 0
	return b
}

// feed makes a target run on the first case of inputs.
func (s *Benchmark) feed(t *Subject, m *graphops.Model, cases inputs.Cases) {
	t.notes = cases.Notes
	if n := len(cases.Cases); n > 1 {
		t.notes = append(t.notes, fmt.Sprintf("measured on the first of %d cases", n))
	}
	t.feeds = cases.Cases[0].Feeds
	if cases.Fit != nil {
		t.roles = cases.Fit.Roles()
	}
	t.counted = samplesIn(m, t)
	t.sizes = cases.SizesAt(graphops.NamedTypes(m.Graph().FeedInputs()), 0)
	for i, size := range t.sizes {
		if _, pinned := t.pinned[size.Name]; pinned {
			t.sizes[i].Chosen = true // by Lathe, for the other targets too
		}
	}
}

// several reports whether there may be several targets with the same path, because several
// launchers, provider chains, batch sizes or numbers of threads are measured.
func (s *Benchmark) several() bool {
	return len(s.EP) > 1 || len(s.On) > 1 || strings.Contains(s.Batch, ",") || strings.Contains(s.ThreadCounts, ",")
}

// timed is a loaded model in the form that the measurement uses. It is implemented by a model in a
// worker and by a model in PyTorch.
type timed interface {
	Facts() runtime.Facts
	Bind(ctx context.Context, in graphops.Feeds, b ort.Binding) error
	Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error)
	BlockAt(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
	Stages(ctx context.Context, runs int, d time.Duration) (*ort.Stages, error)
	Queue() ort.Queue
	Machine(ctx context.Context) (machine.State, error)
	Close() error
}

// Subject is one of the measured models, loaded and with its inputs bound.
type Subject struct {
	Model    *graphops.Model // nil for a model in PyTorch
	Path     string
	number   int         // position among targets of the same name, from 1; 0 if not known yet
	place    bench.Place // position among all targets
	launcher string      // "" for this machine
	Chain    string
	batch    int64            // as the user asks for it; 0 if nobody does
	counted  int64            // samples in the inputs; 0 if not known
	threads  int64            // within an operator; 0 leaves the number to the runtime
	sizes    dim.Sizes        // sizes of the inputs' free axes
	pinned   map[string]int64 // sizes that other targets have, by the name of the axis
	several  bool
	// severalThreads is set if the name has to contain the number of threads.
	severalThreads bool
	Session        timed
	first          time.Duration
	graph          *bench.GraphCapture // set if runs replay a captured graph
	newShape       *time.Duration      // the first run with another batch size, or nil
	notes          []string            // what was assumed about the inputs

	placement ort.Placement
	how       runtime.Execution
	feeds     graphops.Feeds
	roles     *roles.Roles // what inputs and outputs are for; nil if the inputs are given as data
	binding   ort.Binding
}

// Name implements bench.Target.
func (t *Subject) Name() string {
	name := t.Path
	if t.several && t.Chain != "" {
		name += " on " + t.Chain
	}
	if t.several && t.launcher != "" {
		name += " by " + t.launcher
	}
	if t.several && t.batch > 0 {
		name += fmt.Sprintf(" at batch %d", t.batch)
	}
	if t.severalThreads {
		name += " with " + text.Plural(int(t.threads), "thread")
	}
	if t.number > 1 {
		name += fmt.Sprintf(" #%d", t.number)
	}
	return name
}

// Block implements bench.Target.
func (t *Subject) Block(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error) {
	return t.Session.BlockAt(ctx, place, runs, d)
}

func (t *Subject) facts() bench.Facts {
	f := t.Session.Facts()
	asked := t.Chain
	if t.Model == nil {
		asked = f.Provider
	}
	if asked == "" {
		asked = ep.CPU
	}
	load, first := milliseconds(f.LoadTime), milliseconds(t.first)
	out := bench.Facts{
		Model: t.Path, On: t.launcher, EP: asked, EPAttached: &f.Provider, Batch: t.samples(), Concurrency: int64(t.binding.Lanes), Rate: bench.Number(t.binding.Rate),
		NodesByEP: reporting.NodesByProvider(t.placement), Place: t.place, Sizes: t.sizes, Threads: cmp.Or(t.how.Threads, t.threads),
		SessionMS: &load, FirstRunMS: &first,
	}
	out.GraphCapture = t.graph
	if t.newShape != nil {
		ms := milliseconds(*t.newShape)
		out.NewShapeMS = &ms
	}
	return out
}

// meetsShapeOf runs a warm session once on the inputs of a target with another batch size, and
// binds its own inputs again. The time of the run includes what a session does once for every new
// shape.
func (t *Subject) meetsShapeOf(ctx context.Context, other *Subject) error {
	if err := t.Session.Bind(ctx, other.feeds, t.unqueued()); err != nil {
		return err
	}
	times, err := t.Session.Block(ctx, 1, time.Nanosecond)
	if err == nil && len(times) > 0 {
		t.newShape = &times[0]
	}
	if err != nil {
		return err
	}
	return t.Session.Bind(ctx, t.feeds, t.binding)
}

// The stages of a run on a device (copying inputs, enqueueing, computing, copying outputs) are
// measured for at most this many runs and this long. Those of a captured graph are not measured,
// because a replay neither copies nor starts anything else.
const (
	stageRuns = 100
	stageTime = time.Second
)

// stages measures how long each stage of a run on a device takes. It returns nil if the target runs
// on the CPU or in PyTorch.
func (t *Subject) stages(ctx context.Context) (*bench.DevicePhases, error) {
	if t.Model == nil || t.graph != nil || t.Session.Facts().Provider == ep.CPU {
		return nil, nil
	}
	st, err := t.Session.Stages(ctx, stageRuns, stageTime)
	if st == nil || err != nil {
		return nil, err
	}
	return bench.NewDevicePhases(st.ToDevice, st.Enqueued, st.Complete, st.ToHost), nil
}

func milliseconds(d time.Duration) tensor.Number {
	return tensor.Number(d.Seconds() * 1000)
}

// ShapesOf returns the shapes of the inputs.
func ShapesOf(feeds graphops.Feeds) map[string][]int64 {
	out := map[string][]int64{}
	for name, v := range feeds {
		if v.IsTensor() {
			out[name] = v.Tensor.Shape
		}
	}
	return out
}
