package measure

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/sizing"
	"lathe/session/text"
	"lathe/session/timing"
)

// Profile shows where the time of a run goes.
type Profile struct {
	Seconds float64
	Runs    int64
	Top     int64
	Peaks   string
	Trace   string // file for ONNX Runtime's trace, or ""
	Force   bool
	flags.Keeping
	flags.Feeding
	flags.Execution
}

// The values of --peaks.
const (
	peaksAgain = "again"
	peaksNone  = "none"
)

// Name implements session.Step.
func (*Profile) Name() string { return "profile" }

// Summary implements session.Step.
func (*Profile) Summary() string { return "measure time per node and operator, and what limits it" }

// Options implements session.Step.
func (s *Profile) Options() []session.Option {
	options := []session.Option{
		session.Float(&s.Seconds, "seconds", "run the model for at most this many `SECONDS`, half of them without profiling").WithDefault("4").AsUsual(),
		session.Int(&s.Runs, "runs", "profile exactly `N` runs", 1).WithDefault("as many as fit into --seconds").AsUsual(),
		session.Int(&s.Top, "limit", "print `N` lines of each table", 1).WithDefault("8").In(session.GroupResult).AsUsual().Formerly("top"),
		session.Choice(&s.Peaks, "peaks", "choose `WHEN` to measure the machine's peak performance, which shows what limits a node: again measures it and keeps the higher values", peaksAgain, peaksNone).WithDefault("measured once and stored"),
		session.Path(&s.Trace, "save-trace", "write ONNX Runtime's trace to this `FILE`").WithDefault("not kept").AsTarget().In(session.GroupResult).AsUsual().Formerly("trace"),
		session.Switch(&s.Force, "force", "replace an existing file").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	}
	return slices.Concat(options, s.Keeping.Options(), s.Feeding.Options(), s.Execution.Options())
}

// Preview implements session.Step. A profile changes nothing, so it is the same as Run, except that
// it writes no files.
func (s *Profile) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.Trace, draft.NoStore = "", true
	r, err := draft.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// OpenModel opens the model on the machine that runs it.
func (s *Profile) OpenModel(ctx context.Context, env session.Env, path string) (*graphops.Model, error) {
	o, err := s.Value(env)
	if err != nil {
		return nil, err
	}
	return env.OpenFor(ctx, path, o)
}

// Run implements session.Step.
func (s *Profile) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.checkTarget(ctx, m); err != nil {
		return session.Result{}, err
	}
	o, err := s.Value(env)
	if err != nil {
		return session.Result{}, err
	}
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	request, err := s.Request(m, 1, 0)
	if err != nil {
		return session.Result{}, err
	}
	request.Purpose = sizing.Measure
	r, top := &profileReport{}, int(cmp.Or(s.Top, defaultTop))
	var trace *profile.Trace
	var subject profile.Subject
	err = s.Fitted(ctx, env, m, types, request, s.Timeout, func(cases inputs.Cases) (err error) {
		cases = noteFirst(cases)
		*r = profileReport{Schema: "lathe.profile/1", Model: m.Path(), On: s.Launcher(), Case: cases.Cases[0].Name, Notes: reporting.OrEmpty(cases.Notes), top: top}
		r.Sizes = cases.SizesAt(types, 0)
		trace, subject, err = s.measure(ctx, env, m, o, cases.Cases[0], r)
		return err
	})
	if err != nil {
		return session.Result{}, err
	}
	r.Result = profile.Explain(trace, subject)
	if s.Peaks != peaksNone {
		if err := s.peaks(ctx, env, o, r, trace, subject); err != nil {
			return session.Result{}, err
		}
	}
	if err := s.store(ctx, env, m, r); err != nil {
		return session.Result{}, err
	}
	result := session.Result{Report: r}
	if s.Trace != "" {
		result.Files = []string{s.Trace}
	}
	return result, nil
}

// defaultTop is how many lines of each table are printed, so that two tables fit a screen.
const defaultTop = 8

// checkTarget returns an error if the file for the trace would replace another file.
func (s *Profile) checkTarget(ctx context.Context, m *graphops.Model) error {
	if s.Trace == "" {
		return nil
	}
	if s.Trace == "-" {
		return session.UsageError("--save-trace -: the trace cannot be written to standard output; name a file")
	}
	if err := graphops.RefuseSources(m, s.Trace); err != nil {
		return err
	}
	if err := s.RefuseTarget(s.Trace); err != nil {
		return err
	}
	return graphops.CheckTarget(ctx, s.Trace, graphops.WriteOptions{Overwrite: s.Force})
}

// measure runs the model with and without profiling, alternately, and reads the trace.
func (s *Profile) measure(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution, c inputs.Case, r *profileReport) (t *profile.Trace, subject profile.Subject, err error) {
	plain, err := s.plain(ctx, env, m, &o, r)
	if err != nil {
		return nil, subject, err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	timed, optimized, err := s.timed(ctx, env, m, o, r)
	if err != nil {
		return nil, subject, err
	}
	defer func() { err = errors.Join(err, timed.Close()) }()
	for _, l := range []runtime.Loaded{plain, timed} {
		// Settle makes a run end only when all threads are idle. Otherwise work after a run of one
		// session would count as time of the other session.
		if err := l.Bind(ctx, c.Feeds, ort.Binding{Settle: true}); err != nil {
			return nil, subject, err
		}
	}
	turns := turns{plain: plain, timed: timed, runs: int(s.Runs), limit: seconds(cmp.Or(s.Seconds, defaultProfileSeconds)), most: mostRuns(cmp.Or(optimized, m)), env: env}
	if err := turns.take(ctx); err != nil {
		return nil, subject, err
	}
	if t, err = s.read(ctx, timed, turns.skip); err != nil {
		return nil, subject, err
	}
	r.compare(turns.plainRuns, turns.timedRuns)
	subject = profile.Subject{Model: m, Optimized: optimized}
	costs, err := cost.Analyze(ctx, m, 0)
	if err != nil {
		r.Notes = append(r.Notes, "the cost of nodes is unknown: "+err.Error())
		return t, subject, ctx.Err()
	}
	subject.Costs = costs.At(profile.SizesOf(m, timing.ShapesOf(c.Feeds)))
	return t, subject, nil
}

const defaultProfileSeconds = 4

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// plain loads the model without profiling, and reads where its nodes run. It takes providers that run
// none out of the chain in o.
func (s *Profile) plain(ctx context.Context, env session.Env, m *graphops.Model, o *runtime.Execution, r *profileReport) (runtime.Loaded, error) {
	env.Progress(session.Progress{Phase: "loading"})
	if flags.BeyondCPU(o.Providers) {
		w, err := flags.Place(ctx, env, m, *o)
		if err != nil {
			return nil, err
		}
		if w.Placement != nil {
			r.NodesByEP = reporting.NodesByProvider(*w.Placement)
		}
		o.Providers = w.How.Providers
		r.Notes = append(r.Notes, w.Notes...)
	}
	l, err := env.Runtime.Load(ctx, m, *o)
	if err != nil {
		return nil, err
	}
	facts := l.Facts()
	r.Provider, r.Refused, r.Version = facts.Provider, facts.Refused, facts.LibraryVersion
	r.Notes = append(r.Notes, reporting.Remarks(facts)...)
	if facts.Provider != ep.CPU {
		r.Notes = append(r.Notes, "on a device, the time of a node is the time to start its work, unless the provider waits until the work is done")
	}
	return l, nil
}

// timed loads the model with profiling, and returns the graph that runs. Execution providers that
// compile parts of the graph cannot return it.
func (s *Profile) timed(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution, r *profileReport) (runtime.Loaded, *graphops.Model, error) {
	env.Progress(session.Progress{Phase: "loading with a profile"})
	o.Profile, o.Dump = true, true
	l, err := env.Runtime.Load(ctx, m, o)
	if err == nil {
		optimized, err := l.Optimized(ctx)
		if err == nil {
			return l, optimized, nil
		}
		r.Notes = append(r.Notes, "nodes are matched by name only: "+err.Error())
		return l, nil, ctx.Err()
	}
	if ctx.Err() != nil {
		return nil, nil, err
	}
	r.Notes = append(r.Notes, "nodes are matched by name only, because the runtime does not report the graph that it runs: "+err.Error())
	o.Dump = false
	l, err = env.Runtime.Load(ctx, m, o)
	return l, nil, err
}

// read reads the trace, and writes it to the file of --save-trace if there is one.
func (s *Profile) read(ctx context.Context, l runtime.Loaded, skip int) (*profile.Trace, error) {
	take := func(keep io.Writer) (*profile.Trace, error) {
		in, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			err := l.EndProfile(ctx, io.MultiWriter(keep, out))
			_ = out.CloseWithError(err) // never fails
			done <- err
		}()
		t, err := profile.Read(in, skip)
		_ = in.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // stops the writer if reading failed
		if sent := <-done; err == nil {
			err = sent
		}
		return t, err
	}
	if s.Trace == "" {
		return take(io.Discard)
	}
	var t *profile.Trace
	err := graphops.WriteFile(ctx, s.Trace, graphops.WriteOptions{Overwrite: s.Force}, func(w io.Writer) (err error) {
		t, err = take(w)
		return err
	})
	return t, err
}

// profileReport is the report of a profile.
type profileReport struct {
	Schema    string           `json:"schema"`
	Model     string           `json:"model"`
	On        string           `json:"on,omitempty"` // the launcher, if it ran on another machine
	Case      string           `json:"case"`
	Sizes     dim.Sizes        `json:"sizes,omitempty"` // sizes of dynamic axes
	Provider  string           `json:"ep_attached"`
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // nil if only the CPU was requested
	Version   string           `json:"onnxruntime"`
	// PlainUS is the median time of a run without profiling, and TimedUS with profiling, both as
	// seen by the caller of the runtime. Slowdown is their ratio. No other time is scaled by it.
	PlainUS  profile.Number `json:"plain_us"`
	TimedUS  profile.Number `json:"timed_us"`
	Slowdown profile.Number `json:"slowdown"`
	*profile.Result
	Notes []string `json:"notes"`
	reporting.Kept

	top int
}

// WriteText implements session.Report.
func (r *profileReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s takes %s a run on %s%s; timing every node makes it %s (%.2f×)", text.Clean(r.Model), profile.Time(r.PlainUS), reporting.RunBy(r.Provider, r.NodesByEP), text.Clean(r.Sizes.At()), profile.Time(r.TimedUS), float64(r.Slowdown))
	p.Line("of %s, timed: %s in nodes, %s outside nodes", text.Plural(r.Runs, "run"), profile.Time(max(r.RunUS-r.OverheadUS, 0)), profile.Time(r.OverheadUS))
	reporting.WriteRefused(p, r.Refused...)
	p.Line("")
	if p.Err() != nil {
		return p.Err()
	}
	if err := r.Result.WriteText(w, r.top); err != nil {
		return err
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	r.Kept.Print(p)
	return p.Err()
}
