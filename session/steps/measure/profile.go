package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"lathe/bench"
	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
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
	Depth   int64
	Batch   int64 // 0 for that of the model or the data
	Top     int64
	Peaks   string
	Trace   string // file for ONNX Runtime's trace, or ""
	Force   bool
	busy    bool // other programs used the processors when the step began
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
		session.Int(&s.Batch, "batch", "run with a batch of `N`", 1).WithDefault("that of the model or the data").Measured().AsUsual(),
		session.Float(&s.Seconds, "seconds", "run the model for at most this many `SECONDS`, half of them without profiling; loading it and measuring the machine add to that").WithDefault("4").AsUsual(),
		session.Int(&s.Runs, "runs", "profile exactly `N` runs", 1).WithDefault("as many as fit into --seconds").AsUsual(),
		session.Int(&s.Top, "limit", "print `N` lines of each table", 1).WithDefault("8").In(session.GroupResult).AsUsual().Formerly("top"),
		session.Choice(&s.Peaks, "peaks", "choose `WHEN` to measure the machine's peak performance, which shows what limits a node: again measures it and keeps the higher values", peaksAgain, peaksNone).WithDefault("measured once and stored"),
		session.Path(&s.Trace, "save-trace", "write ONNX Runtime's trace to this `FILE`").OfFiles(".json").WithDefault("not kept").AsTarget().In(session.GroupResult).AsUsual().Formerly("trace"),
		session.Switch(&s.Force, "force", "replace an existing file").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	}
	options = append(options, session.Measuring(session.Int(&s.Depth, "depth", "profile one token of a language model after `N` positions in its cache", 1).WithDefault("128, if the sizes are free").AsUsual())...)
	all := slices.Concat(options, s.Keeping.Options(), s.Feeding.Options(), s.Execution.Options())
	return session.Foremost(all, "batch", "seconds", "ep", "threads", "dim", "data", "input", "opt")
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
	request, err := s.Request(m, 1, s.Batch)
	if err != nil {
		return session.Result{}, err
	}
	request.Purpose = sizing.Measure
	if err := s.atDepth(ctx, m, request.Stated, request.Dims); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if o.On == "" && s.Peaks != peaksNone { // the load before this program adds to it
		if e, err := flags.EnvironmentOf(ctx, env, o); err == nil {
			s.busy = bench.IsBusy(e)
		}
	}
	r, top := &profileReport{}, int(cmp.Or(s.Top, defaultTop))
	var trace *profile.Trace
	var subject profile.Subject
	var feeds graphops.Feeds
	err = s.Fitted(ctx, env, m, types, request, s.Timeout, func(cases inputs.Cases) (err error) {
		cases = noteFirst(cases)
		*r = profileReport{Schema: "lathe.profile/1", Model: m.Path(), On: s.Launcher(), Case: cases.Cases[0].Name, Notes: reporting.OrEmpty(cases.Notes), top: top}
		r.Sizes, r.Threads = cases.SizesAt(types, 0), o.Threads
		feeds = cases.Cases[0].Feeds
		trace, subject, err = s.measure(ctx, env, m, o, cases.Cases[0], r)
		return err
	})
	if err != nil {
		return session.Result{}, err
	}
	r.Result = profile.Explain(trace, subject)
	r.explain()
	if err := s.addToken(ctx, r, subject, feeds); err != nil {
		return session.Result{}, err
	}
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
	timed, err := s.timed(ctx, env, m, o, c.Feeds, r)
	if err != nil {
		return nil, subject, err
	}
	defer func() { err = errors.Join(err, timed.Close()) }()
	for _, l := range []runtime.Loaded{plain, timed} {
		if err := l.Bind(ctx, c.Feeds, binding); err != nil {
			return nil, subject, err
		}
	}
	turns := turns{plain: plain, timed: timed, runs: int(s.Runs), limit: seconds(cmp.Or(s.Seconds, defaultProfileSeconds)), most: mostRuns(timed.runs(m)), env: env}
	if err := turns.take(ctx); err != nil {
		return nil, subject, err
	}
	env.Progress(session.Progress{Phase: "reading the times of the nodes"})
	if t, err = s.read(ctx, timed, turns.skip); err != nil {
		return nil, subject, err
	}
	if note := timed.moved(t); note != "" {
		r.Notes = append(r.Notes, note)
	}
	t.Slowdown = r.compare(&turns)
	subject = profile.Subject{Model: m, Optimized: timed.optimized}
	costs, err := cost.Analyze(ctx, m, 0)
	if err != nil {
		r.Notes = append(r.Notes, "the cost of nodes is unknown: "+err.Error())
		return t, subject, ctx.Err()
	}
	subject.Costs = costs.At(profile.SizesOf(m, timing.ShapesOf(c.Feeds)))
	return t, subject, nil
}

// binding is how the sessions of a profile get their values. With Settle a run ends only when all
// threads are idle. Otherwise work after a run of one session would count as time of the other
// session. Outputs stay on the device, so that their copies do not count.
var binding = ort.Binding{Settle: true, OutputsOnDevice: true}

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
	return l, nil
}

// profileReport is the report of a profile.
type profileReport struct {
	Schema    string           `json:"schema"`
	Model     string           `json:"model"`
	On        string           `json:"on,omitempty"` // the launcher, if it ran on another machine
	Case      string           `json:"case"`
	Sizes     dim.Sizes        `json:"sizes,omitempty"` // sizes of dynamic axes
	Provider  string           `json:"ep_attached"`
	Threads   int64            `json:"threads,omitempty"` // within an operator; 0 if the runtime chose it
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // nil if only the CPU was requested
	Version   string           `json:"onnxruntime"`
	// PlainUS is the time of a run without profiling, estimated as bench does, and PlainCI its 95 %
	// interval, which is null with fewer than 6 blocks of runs. Noise says in a few words why it may be
	// inaccurate. TimedUS is the median time with profiling. Both are as seen by the caller of the
	// runtime. Slowdown in Result is their ratio.
	PlainUS profile.Number     `json:"plain_us"`
	PlainCI *[2]profile.Number `json:"plain_ci95_us"`
	Noise   string             `json:"noise,omitempty"`
	TimedUS profile.Number     `json:"timed_us"`
	// Explained is the sum of the nodes' times divided by PlainUS, on a device that the runtime waits
	// for after each node; otherwise 0. It is above 1 if the processor usually starts nodes while
	// the device works.
	Explained profile.Number `json:"explained,omitempty"`
	*profile.Result
	// Token says where the time of one run of a language model with a cache goes.
	Token *tokenReport `json:"token,omitempty"`
	Notes []string     `json:"notes"`
	reporting.Kept

	top int
}

// Conditions implements reporting.Conditioned.
func (r *profileReport) Conditions() reporting.Conditions {
	return reporting.Conditions{Provider: r.Provider, Threads: r.Threads, Sizes: r.Sizes, Machine: r.On}
}

// WriteText implements session.Report.
func (r *profileReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.headline())
	const noSlower = 1.02
	how := fmt.Sprintf("timing every node makes a run slower, %s (%.2f×)", profile.Time(r.TimedUS), float64(r.Slowdown))
	if r.Slowdown < noSlower {
		how = fmt.Sprintf("a run in which every node is timed takes %s, no longer than one without that, as far as this machine shows", profile.Time(r.TimedUS))
	}
	p.Line("%s%s; of %s: %s in nodes, %s outside nodes", how, r.shares(), text.Plural(r.Runs, "timed run"), profile.Time(max(r.RunUS-r.OverheadUS, 0)), profile.Time(r.OverheadUS))
	for _, line := range r.Clocks(r.PlainUS) {
		p.Line("%s", line)
	}
	if line := r.clock(); line != "" {
		p.Line("%s", line)
	}
	reporting.WriteRefused(p, r.Refused...)
	p.Line("")
	if p.Err() != nil {
		return p.Err()
	}
	if r.Token != nil {
		r.Token.write(w)
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

// shares says that times of nodes are too long to be believed, if they are.
func (r *profileReport) shares() string {
	if r.Caveat() == "" {
		return ""
	}
	return ": the shares below count, not the times"
}

// headline says how long a run takes without profiling, where, with which sizes and threads, and why
// that may be inaccurate.
func (r *profileReport) headline() string {
	var ci *[2]bench.Number
	if c := r.PlainCI; c != nil {
		ci = &[2]bench.Number{c[0] / 1e3, c[1] / 1e3}
	}
	line := fmt.Sprintf("%s takes %s a run on %s%s", text.Clean(r.Model), bench.MedianText(r.PlainUS/1e3, ci), reporting.RunBy(r.Provider, r.NodesByEP), text.Clean(r.Sizes.At()))
	if r.Threads > 0 {
		line += ", " + text.Plural(int(r.Threads), "thread")
	}
	if r.Noise != "" {
		line += "; " + r.Noise + "; lathe bench measures it more precisely"
	}
	return line
}

// MeasuredWith returns the provider, the sizes and the threads, such as "cpu, batch=8, 1 thread".
func (r *profileReport) MeasuredWith() string {
	words := []string{r.Provider}
	for _, s := range r.Sizes {
		words = append(words, fmt.Sprintf("%s=%d", s.Name, s.N))
	}
	if r.Threads > 0 {
		words = append(words, text.Plural(int(r.Threads), "thread"))
	}
	return strings.Join(words, ", ")
}

// clock returns a sentence on what the times of nodes on a device include; "" if no node runs on
// one.
func (r *profileReport) clock() string {
	switch r.Clock {
	case profile.ClockStarts:
		return fmt.Sprintf("on %s, the time of a node is only the time to start its work", r.Provider)
	case profile.ClockKernels:
		return fmt.Sprintf("%s reports the times of its kernels; the time of a node is the time to start them", r.Provider)
	case profile.ClockWaits:
		line := fmt.Sprintf("on %s, the time of a node ends when the device is done%s", r.Provider, r.waits())
		if r.Explained > 0 {
			line += fmt.Sprintf("; the nodes add up to %.0f %% of a run", 100*float64(r.Explained))
		}
		return line
	}
	return ""
}

// explain computes which part of a run without profiling the nodes explain. If Lathe adds the waits
// for the device, each run without profiling ends with one, which is left out.
func (r *profileReport) explain() {
	if whole := r.PlainUS - r.WaitUS; whole > 0 && r.Clock == profile.ClockWaits {
		r.Explained = r.NodesUS / whole
	}
}

// waits says what the waits for the device are, and which nodes have none.
func (r *profileReport) waits() string {
	out := ""
	if r.WaitUS > 0 {
		out = fmt.Sprintf(" (each wait takes %s itself, which is not counted)", profile.Time(r.WaitUS))
	}
	if r.Loose > 0 {
		out += fmt.Sprintf(", except for %s, whose time is only that of starting", text.Plural(int(math.Round(float64(r.Loose))), "call"))
	}
	return out
}
