package timing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/bench"
	"lathe/bench/machine"
	"lathe/session"
	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/sizing"
	"lathe/session/text"
)

// decoder is a loaded model that generates tokens.
type decoder struct {
	*Subject
	plan *generation.Plan
	mode generation.Mode
	made ort.Decoding // at the depth in progress
	// chooser chooses the tokens on the device. If it is nil, this happens on the host; onHost says why if
	// it was tried.
	chooser *ort.Session
	onHost  string
	by      string // how the caches came to the depth in progress
}

// decoders returns the targets as models that generate. It returns nil if single runs are to be
// measured: because an option says so, or because it is not known how one of the models generates.
// The targets then have a note, if one could be expected to generate.
func (s *Benchmark) decoders(targets []*Subject) ([]*decoder, error) {
	if s.Latency {
		return nil, nil
	}
	out := make([]*decoder, 0, len(targets))
	for _, t := range targets {
		d, err := s.decoderOf(t)
		if err == nil {
			out = append(out, d)
			continue
		}
		if s.asked() != "" {
			return nil, fmt.Errorf("%s: --%s: %w", text.Clean(t.Path), s.asked(), err)
		}
		var missing *generation.Missing
		if !errors.As(err, &missing) {
			return nil, err
		}
		if t.roles != nil && len(t.roles.Pairs) > 0 {
			t.notes = append(t.notes, "single runs are measured: "+err.Error())
		}
		return nil, nil
	}
	return out, nil
}

func (s *Benchmark) decoderOf(t *Subject) (*decoder, error) {
	if why := s.whyPlain(); why != "" {
		return nil, &generation.Missing{What: why + " is given"}
	}
	if len(s.Dim) > 0 && s.asked() == "" {
		return nil, &generation.Missing{What: "--dim is given (--decode measures prompts and tokens)"}
	}
	if t.Model == nil || t.roles == nil {
		return nil, &generation.Missing{What: "the roles of its inputs are not known"}
	}
	plan, err := generation.Of(t.Model, t.roles, t.feeds)
	if err != nil {
		return nil, err
	}
	d := &decoder{Subject: t, plan: plan, mode: generation.Mode(s.Cache)}
	if d.mode == "" {
		d.mode = plan.Usual()
	}
	if ok, why := plan.CanShare(); !ok && d.mode == generation.Shared {
		return nil, session.UsageError(fmt.Sprintf("--cache shared: no operator of %s keeps its cache in one buffer: %s", text.Clean(t.Path), why))
	}
	return d, nil
}

// workOf returns the work that fits the contexts of all models.
func (s *Benchmark) workOf(list []*decoder) (work, error) {
	var context int64
	var from string
	shorter := func(n int64, source string) {
		if n > 0 && (context == 0 || n < context) {
			context, from = n, source
		}
	}
	for _, d := range list {
		shorter(sizing.Context(d.Model))
		shorter(d.plan.Capacity, "the size of the cache")
	}
	return s.work(context, from)
}

// goTo goes to a depth, with room for further positions. On a device a prompt does this. Otherwise the
// caches are filled with random values, without a run.
func (d *decoder) goTo(ctx context.Context, depth, further int64) (err error) {
	l := d.Session.(runtime.Loaded)
	if err := d.prepare(ctx, l, depth+further); err != nil {
		return err
	}
	g := ort.Generation{Restart: true, Depth: depth, Timed: true}
	d.by = ""
	switch {
	case depth > 0 && d.made.OnDevice:
		d.by = "prompt"
		g.Depth, g.Prompt, g.Mark = 0, d.plan.Prompt(depth), true
		if !d.plan.Several {
			g.Chunk = 1
		}
	case depth > 0:
		d.by = "random values"
	}
	_, err = l.Generate(ctx, g)
	return err
}

// prepare prepares the worker for a number of positions. If the caches are on a device, tokens are chosen
// there, too. A note says why, if this is not possible.
func (d *decoder) prepare(ctx context.Context, l runtime.Loaded, positions int64) (err error) {
	if room := d.plan.Capacity; room > 0 && positions > room {
		return fmt.Errorf("%d positions are needed, and the caches of the model have room for %d: lower --depth, --prompt or --tokens", positions, room)
	}
	work := d.plan.Decode(d.mode, positions, d.binding.Settle)
	work.Chooser = d.chooser
	if d.made, err = l.Decode(ctx, work); err != nil || !d.made.OnDevice || d.chooser != nil {
		return err
	}
	if d.onHost != "" {
		d.note(d.onHost)
		return nil
	}
	model, err := d.plan.Chooser()
	if err == nil {
		work.Chooser, err = l.Chooser(ctx, model)
	}
	if err == nil {
		d.made, err = l.Decode(ctx, work)
	}
	if err == nil {
		d.chooser = work.Chooser
		return nil
	}
	if errors.Is(err, ort.ErrGone) || ctx.Err() != nil {
		return err
	}
	d.onHost = "the scores are copied from the device, and the token is chosen on the host: " + err.Error()
	d.note(d.onHost)
	work.Chooser = nil
	d.made, err = l.Decode(ctx, work)
	return err
}

// tried makes one prompt and one step at each depth, and returns the work without the depths that the
// models do not take. If they take none, it returns the error of the first one. Depths that are given
// are never left out.
func (s *Benchmark) tried(ctx context.Context, env session.Env, list []*decoder, w work) (work, error) {
	for _, d := range list {
		env.Progress(session.Progress{Phase: "tokens of " + d.Path})
		if err := d.prove(ctx, w, s.Cache != ""); err != nil {
			return w, err
		}
	}
	for i, depth := range w.depths {
		err := tryDepth(ctx, env, list, w, depth)
		switch {
		case err == nil:
		case i == 0, s.Depths != "", errors.Is(err, ort.ErrGone), ctx.Err() != nil:
			return w, err
		default:
			w.notes = append(w.notes, fmt.Sprintf("no depth of %d or more is measured: %v", depth, err))
			w.depths = w.depths[:i]
			return w, nil
		}
	}
	return w, nil
}

func tryDepth(ctx context.Context, env session.Env, list []*decoder, w work, depth int64) error {
	for _, d := range list {
		env.Progress(session.Progress{Phase: fmt.Sprintf("depth %d of %s", depth, d.Path)})
		err := d.goTo(ctx, depth, max(w.prompt, w.tokens))
		for _, t := range testsOf([]*decoder{d}, w, depth, 0) {
			if err == nil {
				_, err = t.Block(ctx, 0, 1, time.Nanosecond)
			}
		}
		if err != nil {
			return fmt.Errorf("%s at depth %d: %w", text.Clean(d.Path), depth, err)
		}
	}
	return nil
}

// test is one kind of work of a model, at one depth.
type test struct {
	*decoder
	prompt []int64 // nil if tokens are generated
	depth  int64
	tokens int64 // of the prompt, or until the caches go back to the depth
	number int   // position in the order of tests

	lathe []time.Duration // the part of each run in which Lathe works
}

// name is the test in the words of llama-bench.
func (t *test) name() string {
	if t.prompt != nil {
		return fmt.Sprintf("pp%d", t.tokens)
	}
	return fmt.Sprintf("tg%d", t.tokens)
}

// Name implements bench.Target.
func (t *test) Name() string {
	return t.Subject.Name() + " " + (&bench.Decode{Test: t.name(), Depth: t.depth}).Name()
}

// Block implements bench.Target.
func (t *test) Block(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error) {
	g := ort.Generation{Duration: d, Place: place, Timed: true}
	if t.prompt != nil {
		g.Prompt, g.Repeat = t.prompt, int64(runs)
	} else {
		g.Steps, g.Wrap = int64(runs), t.depth+t.tokens
	}
	out, err := t.Session.(runtime.Loaded).Generate(ctx, g)
	if err != nil {
		return nil, err
	}
	made := slices.Concat(out.Prompts, out.Steps)
	times := make([]time.Duration, len(made))
	for i, r := range made {
		times[i] = r.Whole
		t.lathe = append(t.lathe, r.Whole-r.Run)
	}
	return times, nil
}

// facts returns what is known about the runs of the test.
func (t *test) facts() bench.Facts {
	f := t.Subject.facts()
	f.Batch = t.plan.Batch
	f.Place.Test = t.number
	f.Sizes = nil // those of the first run
	positions := t.depth + t.tokens
	f.Decode = &bench.Decode{
		Test: t.name(), Tokens: 1, Depth: t.depth, DepthBy: t.by, Cache: string(t.mode), CacheKept: t.plan.Describe(t.mode),
		CacheBytes: t.plan.Bytes(t.mode, positions), OnDevice: t.made.OnDevice, Chosen: t.chosen(),
	}
	if t.prompt != nil {
		f.Decode.Tokens = t.tokens
	}
	if len(t.lathe) > 0 {
		f.Decode.Lathe = milliseconds(slices.Sorted(slices.Values(t.lathe))[len(t.lathe)/2])
	}
	return f
}

// chosen says where the tokens are chosen.
func (d *decoder) chosen() string {
	if d.chooser != nil {
		return bench.ChosenOnDevice
	}
	return bench.ChosenOnHost
}

// testsOf returns the tests of all models at a depth. A test that a model does not take is left out,
// with a note.
func testsOf(list []*decoder, w work, depth int64, first int) []*test {
	var out []*test
	for _, d := range list {
		prompt := &test{decoder: d, prompt: d.plan.Prompt(w.prompt), depth: depth, tokens: w.prompt, number: first}
		switch {
		case !d.plan.Several, depth > 0 && !d.plan.SeveralLater:
			d.note(fmt.Sprintf("%s is not measured: %s", (&bench.Decode{Test: prompt.name(), Depth: depth}).Name(), d.plan.WhyOne))
		default:
			out = append(out, prompt)
		}
		out = append(out, &test{decoder: d, depth: depth, tokens: w.tokens, number: first + 1})
	}
	return out
}

func (d *decoder) note(said string) {
	if !slices.Contains(d.notes, said) {
		d.notes = append(d.notes, said)
	}
}

// measureDecoders measures the models at one depth after the other. If an error occurs after some were
// measured, it returns both the error and the report of these.
func (s *Benchmark) measureDecoders(ctx context.Context, env session.Env, list []*decoder, w work, environment machine.Environment) (*Report, []*test, error) {
	targets := make([]*Subject, len(list))
	for i, d := range list {
		targets[i] = d.Subject
	}
	watch := watcher{targets: targets, looks: map[string][]machine.Look{}}
	var report *bench.Report
	var tests []*test
	for i, depth := range w.depths {
		for _, d := range list {
			env.Progress(session.Progress{Phase: fmt.Sprintf("depth %d of %s", depth, d.Path)})
			if err := d.goTo(ctx, depth, max(w.prompt, w.tokens)); err != nil {
				return s.decoded(report, tests, targets, watch, environment), tests, fmt.Errorf("%s at depth %d: %w", text.Clean(d.Path), depth, err)
			}
		}
		now := testsOf(list, w, depth, 2*i)
		part, err := bench.Measure(ctx, subjectsOf(now), s.plan(), around(env, &watch))
		if part != nil {
			for k, t := range now {
				part.Runs[k].Decode = t.facts().Decode.Timed(&part.Runs[k])
			}
			tests = append(tests, now...)
			if report == nil {
				report = part
			} else {
				report.Merge(part)
			}
		}
		if err != nil {
			return s.decoded(report, tests, targets, watch, environment), tests, err
		}
	}
	unknown, err := s.addDecodeMemory(ctx, env, list, tests, w, report)
	out := s.decoded(report, tests, targets, watch, environment)
	if out != nil {
		out.Notes = append(out.Notes, unknown...)
	}
	return out, tests, err
}

func subjectsOf(tests []*test) []bench.Subject {
	out := make([]bench.Subject, len(tests))
	for i, t := range tests {
		out[i] = bench.Subject{Target: t, Facts: t.facts()}
	}
	return out
}

// decoded completes a report of tests. It returns nil if nothing was measured.
func (s *Benchmark) decoded(report *bench.Report, tests []*test, targets []*Subject, watch watcher, environment machine.Environment) *Report {
	if report == nil {
		return nil
	}
	subjects := make([]*Subject, len(tests))
	for i, t := range tests {
		report.Disturb(i, machine.Disturbances(watch.looks[t.launcher]))
		subjects[i] = t.Subject
	}
	environment.GPUs = watch.devices()
	report.AddEnvironment(environment)
	out := newBenchReport(report, subjects)
	out.Notes = notesOf(targets)
	return out
}
