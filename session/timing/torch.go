package timing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"lathe/bench"
	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/torch"
)

// TorchTiming has the options for measuring a PyTorch model beside the ONNX models that were
// exported from it.
type TorchTiming struct {
	Torch    string
	Compiled bool
}

func (o *TorchTiming) options() []session.Option {
	return session.Measuring(
		session.Path(&o.Torch, "torch", "also measure the PyTorch model that the model was exported from, in your Python, after comparing the results: `FILE.py:CALLABLE`, module:callable, or a saved .pt2").WithDefault("not measured").Holding(flags.WithTargetPath).OfFiles(session.TorchFiles...).Does(permit.Python),
		session.Switch(&o.Compiled, "torch-compile", "with --torch: also measure the model compiled by torch.compile"),
	)
}

func (o *TorchTiming) check(s *Benchmark) error {
	switch {
	case o.Compiled && o.Torch == "":
		return session.UsageError("--torch-compile: has an effect only with --torch")
	case o.Torch == "":
		return nil
	case len(s.On) > 0:
		return session.UsageError("--torch and --on: PyTorch runs in the Python of this machine")
	case s.Rate > 0 || s.Concurrency > 1:
		return session.UsageError("--torch with --rate or --concurrency: PyTorch is measured one run after the other")
	case s.several():
		return session.UsageError("--torch: PyTorch is measured at one batch, on one device and with one number of threads; give one --ep, one --batch and one --threads")
	case s.Models[0] == "-":
		return session.UsageError("--torch: the results are compared first, which requires a model in a file")
	}
	return nil
}

// The names of the PyTorch model in the report, run eagerly and compiled.
const (
	eagerName    = "PyTorch"
	compiledName = "torch.compile"
)

// torchVerdict is the comparison of a model's results with PyTorch's.
type torchVerdict struct {
	Model string `json:"model"`
	compare.Judged
	Headline string `json:"headline"`
	TF32     bool   `json:"tf32,omitempty"` // the results differ only because CUDA uses TF32
}

// torchTargets opens the PyTorch model and compares the results of every model with it. Then it
// binds the inputs of the first model, once for each way to run the PyTorch model. The targets must
// be closed even if there is an error.
func (s *Benchmark) torchTargets(ctx context.Context, env session.Env, beside []*Subject) (out []*Subject, verdicts []torchVerdict, err error) {
	if s.Torch == "" {
		return nil, nil, nil
	}
	names := []string{eagerName}
	if s.Compiled {
		names = append(names, compiledName)
	}
	first := beside[0]
	env.Progress(session.Progress{Phase: "opening " + s.Torch})
	of, err := openEager(ctx, env, s.Torch, first)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		e := &eagerRun{of: of, facts: of.facts}
		t := &Subject{Path: name, batch: first.batch, counted: first.counted, threads: first.threads, Session: e, place: bench.Place{Model: len(out)}}
		out = append(out, t)
		if name == eagerName {
			if verdicts, err = s.compareWith(ctx, env, of.bridge, beside); err != nil {
				return out, nil, err
			}
		}
		bound, err := e.bind(ctx, first, int(first.threads), name == compiledName)
		if err != nil {
			return out, verdicts, err
		}
		t.first = bound.First
		t.notes = append(t.notes, fmt.Sprintf("%s in %s, PyTorch %s on %s, %s", s.Torch, of.bridge.Python(), e.facts.LibraryVersion, cmp.Or(bound.Device, "the CPU"), text.Plural(bound.Threads, "thread")))
	}
	return out, verdicts, nil
}

// compareWith compares every model with the results of PyTorch.
func (s *Benchmark) compareWith(ctx context.Context, env session.Env, b *torch.Bridge, targets []*Subject) ([]torchVerdict, error) {
	var out []torchVerdict
	for _, t := range targets {
		v := &sides.Comparison{A: t.Path, Torch: s.Torch, Opened: b, Feeding: s.Feeding, Execution: flags.Execution{EP: t.Chain, Running: s.Running}}
		v.Threads = t.threads
		v.NoStore = true
		r, err := v.Run(ctx, env)
		if err != nil {
			return nil, fmt.Errorf("%s compared with PyTorch: %w", t.Path, err)
		}
		report := r.Report.(*sides.Report)
		out = append(out, torchVerdict{t.Path, report.Judged, report.Headline, report.TF32})
	}
	return out, nil
}

// eagerModel is the PyTorch model that others are compared with.
type eagerModel struct {
	bridge *torch.Bridge
	names  *sides.Eager
	temp   string
	facts  runtime.Facts
}

func openEager(ctx context.Context, env session.Env, target string, like *Subject) (*eagerModel, error) {
	temp, err := os.MkdirTemp("", "lathe-torch-")
	if err != nil {
		return nil, err
	}
	e := &eagerModel{temp: temp}
	c, err := flags.TorchChild(env, temp, like.how)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	from := flags.TorchTarget{Target: target}
	start := time.Now()
	if e.bridge, err = from.Open(ctx, c, torch.Opening{Otherwise: like.feeds}); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.facts = runtime.Facts{LibraryVersion: e.bridge.Description.Versions["torch"], Provider: "torch", LoadTime: time.Since(start)}
	if e.names, err = sides.EagerOf(e.bridge, like.Model); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Close ends the model's process. A second call does nothing.
func (e *eagerModel) Close() error {
	if e.bridge != nil {
		e.bridge.Close()
	}
	return os.RemoveAll(e.temp)
}

// eagerRun is one of the measured ways to run the PyTorch model: eagerly or compiled.
type eagerRun struct {
	of    *eagerModel
	run   *torch.Bridge // a copy of the model: runs may change it
	facts runtime.Facts
}

var _ timed = (*eagerRun)(nil)

// bind makes timed runs use the inputs and the device of a target.
func (e *eagerRun) bind(ctx context.Context, like *Subject, threads int, compiled bool) (_ torch.Bound, err error) {
	in := graphops.Feeds{}
	for name, v := range like.feeds {
		in[e.of.names.Paths[name]] = e.of.names.Leaves[name].Fed(v)
	}
	if e.run, err = e.of.bridge.Fork(ctx); err != nil {
		return torch.Bound{}, err
	}
	device := "cpu"
	if p, _ := ep.Find(like.Session.Facts().Provider); p.Torch != "" {
		device = p.Torch
	}
	if device != "cpu" {
		e.facts.Provider = "torch " + device
	}
	return e.run.Bind(ctx, torch.Timing{Inputs: in, Device: device, Threads: threads, Compiled: compiled})
}

func (e *eagerRun) Facts() runtime.Facts { return e.facts }

// Bind does nothing, because bind bound the inputs already and they never change.
func (e *eagerRun) Bind(context.Context, graphops.Feeds, ort.Binding) error { return nil }

func (e *eagerRun) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	return e.run.Block(ctx, runs, d)
}

func (e *eagerRun) BlockAt(ctx context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	return e.run.Block(ctx, runs, d)
}

func (e *eagerRun) Stages(context.Context, int, time.Duration) (*ort.Stages, error) { return nil, nil }

func (e *eagerRun) Queue() ort.Queue { return ort.Queue{} }

// Machine returns the state of this machine, with the processor time of the PyTorch process.
func (e *eagerRun) Machine(ctx context.Context) (machine.State, error) {
	state := machine.Here()
	used, err := e.run.Used(ctx)
	state.Counters.Own = machine.Number(used.Seconds())
	return state, err
}

// Close ends the process of this run, and also the PyTorch model that all runs share. Ending the
// shared model a second time does nothing.
func (e *eagerRun) Close() error {
	if e.run != nil {
		e.run.Close()
	}
	return e.of.Close()
}

// writeTorch writes which models compute something else than PyTorch, and then a line for each
// comparison of latency with PyTorch.
func (r *Report) writeTorch(p *text.Printer) {
	for _, v := range r.Torch {
		switch {
		case v.TF32:
			p.Line("%s: %s", text.Clean(v.Model), sides.TF32Reason)
		case v.Verdict == compare.Fail:
			p.Line("%s does not compute what PyTorch does: %s", text.Clean(v.Model), text.CleanLine(v.Headline))
		case v.Verdict == compare.Undecided:
			p.Line("%s cannot be compared with PyTorch: %s", text.Clean(v.Model), text.CleanLine(v.Headline))
		}
	}
	for i, c := range r.Comparisons {
		line := r.besideTorch(c, r.Runs[i+1])
		if noise := r.Noise(c.A, c.B); noise != "" {
			line += "; " + noise
		}
		p.Line("%s", line)
	}
}

// besideTorch returns a line that compares a model with PyTorch: both latencies, and the speedup.
func (r *Report) besideTorch(c bench.Comparison, run benchRun) string {
	name := text.Clean(c.B)
	if c.B != compiledName && len(r.Torch) == 1 {
		name = "ONNX Runtime"
	}
	if slices.ContainsFunc(c.Warnings, func(w bench.Warning) bool { return w.Kind == bench.RoundsSay }) {
		return fmt.Sprintf("%s %s · %s %s · %s× by their medians, and %s× round by round: the ratio is not reliable; something else used the processors, or the threads got in each other's way (--threads 1)",
			eagerName, bench.RoundLatency(r.Runs[0].P50), name, bench.RoundLatency(run.P50), times(1/float64(c.Ratio)), times(1/c.Centre()))
	}
	line := fmt.Sprintf("%s %s · %s %s · %s×", eagerName, bench.RoundLatency(r.Runs[0].P50), name, bench.RoundLatency(run.P50), times(1/c.Centre()))
	if c.CI95 != nil {
		line += fmt.Sprintf(" (%s … %s)", times(1/float64(c.CI95[1])), times(1/float64(c.CI95[0])))
	}
	if !c.Significant {
		line += ", which may be noise"
	}
	return line
}

// times writes a speedup, with two decimals if it is near 1.
func times(x float64) string {
	if x < 2 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
