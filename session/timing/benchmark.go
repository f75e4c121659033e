package timing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/bench"
	"lathe/bench/machine"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/text"
)

// Benchmark measures the latency of one or several models, and compares the others with the first.
type Benchmark struct {
	Models       []string
	EP           []string
	Batch        string
	ThreadCounts string // instead of Threads, such as 1,2
	Seconds      float64
	Precision    float64
	WarmUp, Runs int64
	WithCopies   bool
	Concurrency  int64
	Rate         float64
	NoMemory     bool
	TorchTiming
	decoding
	baselining
	flags.Keeping
	flags.Feeding
	flags.Running
}

// Name implements session.Command.
func (*Benchmark) Name() string { return "bench" }

// Options implements session.Command.
func (s *Benchmark) Options() []session.Option {
	options := []session.Option{
		session.Paths(&s.Models, "models", "the models to measure; the others are compared with the first").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Float(&s.Seconds, "seconds", "measure each up to `SECONDS`").WithDefault("5, at least 6 runs").AsUsual(),
		session.Float(&s.Precision, "precision", "stop when the median is known within `PERCENT`").WithDefault("1").AsUsual(),
		session.Int(&s.WarmUp, "warmup", "with --runs: do `N` runs first that are not counted", 1).WithDefault("none"),
		session.Int(&s.Runs, "runs", "measure exactly `N` runs", 1).WithDefault("until --precision").AsUsual(),
		session.Switch(&s.NoMemory, "no-memory", "do not load each model a second time to measure its memory"),
	}
	measured := append(session.Measuring(s.decoding.options()...), session.Measuring(
		session.List(&s.EP, "ep", "run on this `CHAIN` of execution providers, such as cuda,cpu; repeat to measure several").WithDefault("cpu").In(session.GroupRunOn).AsUsual(),
		session.Text(&s.Batch, "batch", "measure these `SIZES` of the batch axis, such as 1,8").WithDefault("that of the model or the data").AsUsual(),
		session.Text(&s.ThreadCounts, "threads", "measure with these `NUMBERS` of threads within an operator, such as 1,2").WithDefault("chosen by ONNX Runtime").In(session.GroupRuntime),
		session.Switch(&s.WithCopies, "with-copies", "include the copies of inputs to the device and of outputs to the host in every run, instead of keeping both on the device"),
		session.Switch(&s.Captures, "graph-capture", "capture the work that a run gives to the device, and replay it in the timed runs; every node has to run on the device at fixed sizes; on cuda, tensorrt or webgpu"),
		session.Int(&s.Concurrency, "concurrency", "run `N` inferences at once on one session", 1).WithDefault("1").AsUsual(),
		session.Float(&s.Rate, "rate", "send `N` requests per second at random times (Poisson) and time each from its arrival; requests do not wait for each other").WithDefault("the next run starts when one ends"),
	)...)
	running := slices.DeleteFunc(s.Running.Options(), func(o session.Option) bool { return o.Name == "threads" })
	all := slices.Concat(options, measured, s.TorchTiming.options(), s.baselining.options(), s.Keeping.Options(), s.Feeding.Options(), running)
	return session.Foremost(all, s.FirstOptions(false)...)
}

// FirstOptions implements session.Suited. Given inputs have no place where tokens are fed back.
func (*Benchmark) FirstOptions(hasCache bool) []string {
	if hasCache {
		return []string{"models", "depth", "prompt", "tokens", "batch", "threads", "seconds", "ep", "opt"}
	}
	return []string{"models", "batch", "threads", "seconds", "ep", "dim", "data", "input", "opt"}
}

// Run measures the models in the named files. The report of the result is a *Report.
func (s *Benchmark) Run(ctx context.Context, env session.Env) (session.Result, error) {
	if err := s.checkUsage(); err != nil {
		return session.Result{}, err
	}
	over, err := s.swept()
	if err != nil {
		return session.Result{}, err
	}
	baseline, err := s.baselining.prepare(ctx)
	if err != nil {
		return session.Result{}, err
	}
	// The environment is read before this program adds to the load of the machine.
	environment, err := s.Environment(ctx, env)
	if err != nil {
		return session.Result{}, err
	}
	targets, err := s.load(ctx, env, over)
	defer func() {
		for _, t := range targets {
			_ = t.Session.Close() // the results are complete, or there is another error
		}
	}()
	if err != nil {
		return session.Result{}, err
	}
	eager, verdict, err := s.torchTargets(ctx, env, targets)
	for _, t := range targets {
		t.place.Model += len(eager) // the models are compared with PyTorch
	}
	targets = append(eager, targets...)
	if err != nil {
		return session.Result{}, err
	}
	list, w, err := s.generating(ctx, env, targets)
	if err != nil {
		return session.Result{}, err
	}
	if len(list) > 0 {
		return s.decode(ctx, env, list, w, environment, baseline)
	}
	stored, err := s.stored(ctx, env, targets, environment)
	if err != nil {
		return session.Result{}, err
	}
	pairing, err := s.pairUp(baseline, stored)
	if err != nil {
		return session.Result{}, err
	}
	result, err := s.Measure(ctx, env, targets, environment)
	if err != nil {
		return session.Result{}, s.salvage(ctx, env, result, stored, err)
	}
	result.Torch = verdict
	if len(s.On) > 1 {
		result.Notes = append(result.Notes, fmt.Sprintf("only the first machine is described: %s", s.Launcher()))
	}
	r, err := s.settle(ctx, env, result, stored, baseline, pairing)
	r.No = r.No || slices.ContainsFunc(verdict, func(v torchVerdict) bool { return !v.Pass && !v.TF32 })
	return r, err
}

// Measure measures the loaded models. If an error occurs after some models were measured, it
// returns both the error and the report of these models.
func (s *Benchmark) Measure(ctx context.Context, env session.Env, targets []*Subject, environment machine.Environment) (*Report, error) {
	subjects := make([]bench.Subject, len(targets))
	for i, t := range targets {
		subjects[i] = bench.Subject{Target: t, Facts: t.facts()}
	}
	watch := watcher{targets: targets, looks: map[string][]machine.Look{}}
	report, err := bench.Measure(ctx, subjects, s.plan(), around(env, &watch))
	if report == nil {
		return nil, err
	}
	for i, t := range targets {
		report.Disturb(i, machine.Disturbances(watch.looks[t.launcher]))
		q := t.Session.Queue()
		report.AddQueue(i, bench.NewQueue(s.Rate, q.Answered, q.Span, q.Busy, s.Concurrency, q.Waiting))
	}
	if err == nil {
		err = meetShapes(ctx, targets)
	}
	for i, t := range targets {
		if err == nil {
			report.Runs[i].Phases.Device, err = t.stages(ctx)
		}
		report.Runs[i].Facts = t.facts()
		report.Runs[i].Threads = cmp.Or(report.Runs[i].Threads, s.Threads)
	}
	var unknown []string
	if err == nil {
		unknown, err = s.addMemory(ctx, env, targets, report)
	}
	environment.GPUs = watch.devices()
	report.AddEnvironment(environment)
	out := newBenchReport(report, targets)
	out.Notes = append(out.Notes, unknown...)
	if s.Runs == 0 {
		out.seconds = cmp.Or(s.Seconds, defaultSeconds)
	}
	return out, err
}

// around returns the clock of a measurement, and what it calls while it runs.
func around(env session.Env, watch *watcher) bench.Surroundings {
	return bench.Surroundings{
		Now: time.Now,
		Progress: func(p bench.Progress) {
			env.Progress(session.Progress{Phase: p.Phase + " " + p.Target, Done: p.Done.Milliseconds(), Total: p.Limit.Milliseconds(), Unit: "ms", Sights: p.Sights})
		},
		Watch: watch.look,
	}
}

// meetShapes measures what a session does once for every new shape. If another target has the same
// model but a different batch size, it runs the session once with that batch size. All sessions are
// warm by then. A session that replays a graph has one shape.
func meetShapes(ctx context.Context, targets []*Subject) error {
	for _, t := range targets {
		i := slices.IndexFunc(targets, func(o *Subject) bool {
			return t.graph == nil && o.Model == t.Model && o.Chain == t.Chain && o.launcher == t.launcher && o.batch != t.batch
		})
		if i < 0 {
			continue
		}
		if err := t.meetsShapeOf(ctx, targets[i]); err != nil {
			return fmt.Errorf("%s at the batch of %s: %w", t.Name(), targets[i].Name(), err)
		}
	}
	return nil
}

// addMemory measures the memory of each target, after all timing has ended. The notes are about those whose
// memory is not known. The error is that of the context.
func (s *Benchmark) addMemory(ctx context.Context, env session.Env, targets []*Subject, report *bench.Report) (notes []string, err error) {
	if s.NoMemory {
		return nil, nil
	}
	for i, t := range targets {
		if t.Model == nil { // a model in PyTorch does not run in a worker
			continue
		}
		env.Progress(session.Progress{Phase: "memory of " + t.Name(), Done: int64(i), Total: int64(len(targets))})
		m, err := t.memory(ctx, env)
		switch {
		case ctx.Err() != nil:
			return notes, ctx.Err()
		case err != nil:
			notes = append(notes, noMemory(t.Name(), err))
			continue
		}
		report.AddMemory(i, m)
	}
	return notes, nil
}

// noMemory is the note about a model whose memory could not be measured.
func noMemory(name string, err error) string {
	return fmt.Sprintf("the memory of %s was not measured: %s", text.CleanLine(name), text.CleanLine(err.Error()))
}

// checkUsage returns an error for options that contradict each other or have no effect.
func (s *Benchmark) checkUsage() error {
	if err := flags.CheckStdin(s.Models); err != nil {
		return err
	}
	if err := s.TorchTiming.check(s); err != nil {
		return err
	}
	if slices.Contains(s.EP, "") {
		return session.UsageError("--ep \"\": expected a chain of execution providers, such as cuda,cpu")
	}
	if s.Rate != 0 && !(s.Rate >= ort.MinRate && s.Rate <= ort.MaxRate) {
		return session.UsageError(fmt.Sprintf("--rate %g: expected %g to %g requests per second", s.Rate, float64(ort.MinRate), float64(ort.MaxRate)))
	}
	if err := s.checkCapture(); err != nil {
		return err
	}
	if err := s.decoding.check(s); err != nil {
		return err
	}
	if s.WarmUp > 0 && s.Runs == 0 {
		return session.UsageError("--warmup: has an effect only with --runs; otherwise the warm-up ends when times no longer fall")
	}
	return nil
}

// defaultSeconds makes a comparison of two models take about 15 seconds, warm-up included.
const defaultSeconds = 5

// patience is the maximum time of a model if runs are too slow for an interval within the default
// time. The prompt of a language model may take seconds.
const patience = time.Minute

// rateBlock is the length of a block of timed runs if requests arrive at a given rate, so that they
// may wait for each other. A queue of waiting requests lasts much shorter than this, so one queue
// does not affect several blocks.
const rateBlock = 250 * time.Millisecond

func (s *Benchmark) plan() bench.Plan {
	var block time.Duration
	if s.Rate > 0 {
		block = rateBlock
	}
	var longest time.Duration
	if s.Seconds == 0 {
		longest = patience
	}
	return bench.Plan{
		Block:     block,
		Patience:  longest,
		Seconds:   time.Duration(cmp.Or(s.Seconds, defaultSeconds) * float64(time.Second)),
		Precision: s.Precision / 100,
		Runs:      int(s.Runs),
		WarmUp:    int(s.WarmUp),
		Seed:      uint64(s.Seed),
	}
}

// batches returns the requested batch sizes. A single 0 means the batch size of the model.
func (s *Benchmark) batches() ([]int64, error) {
	if s.Batch == "" {
		return []int64{0}, nil
	}
	if s.Data != "" {
		return nil, session.UsageError("--batch and --data: the data has a batch of its own; give one of them")
	}
	out, ok := numbersOf(s.Batch)
	if !ok {
		return nil, session.UsageError(fmt.Sprintf("--batch %q: expected sizes such as 1,8", s.Batch))
	}
	return out, nil
}

// threads returns the requested numbers of threads. A single 0 leaves the number to the runtime.
func (s *Benchmark) threads() ([]int64, error) {
	if s.ThreadCounts == "" {
		return []int64{s.Threads}, nil
	}
	out, ok := numbersOf(s.ThreadCounts)
	if !ok {
		return nil, session.UsageError(fmt.Sprintf("--threads %q: expected numbers such as 1,2", s.ThreadCounts))
	}
	return out, nil
}

// numbersOf reads a list of numbers that are at least 1, separated by commas.
func numbersOf(list string) (out []int64, ok bool) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil || n < 1 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// sweep has the values over which every model is measured on every provider and machine.
type sweep struct{ batches, threads []int64 }

func (s *Benchmark) swept() (over sweep, err error) {
	if over.batches, err = s.batches(); err != nil {
		return over, err
	}
	over.threads, err = s.threads()
	return over, err
}
