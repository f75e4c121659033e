package accuracy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/labels"
	"lathe/session/runtime"
	"lathe/session/sides"
	"lathe/session/text"
)

// Accuracy measures one model, or two on the same data.
type Accuracy struct {
	// Of has the models, the data, and how the models run.
	Of      sides.Comparison
	Labels  string
	Output  string
	Score   string
	Samples int64
	Tokens  string
	Window  int64
	flags.Keeping
}

// Name implements session.Command.
func (*Accuracy) Name() string { return "accuracy" }

// shared are the options of a comparison that this step has, too.
var shared = []string{"a-option", "b-option", "data", "input", "dim", "role", "layout", "channels", "crop", "scale", "mean", "std"}

// Options implements session.Command.
func (s *Accuracy) Options() []session.Option {
	options := []session.Option{
		session.Path(&s.Of.A, "a", "the model to measure; if there are two, the one that B is compared with, such as the original").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Path(&s.Of.B, "b", "a second model to measure on the same data").WithDefault("none").AsOperand().OfFiles(session.ModelFiles...).AsUsual(),
		session.Text(&s.Labels, "labels", "read the correct class of each row from `FILE`; an .npz or .npy array, also FILE:ARRAY, or a .csv whose lines have a row number or file name, and a class").WithDefault("those in --data").Holding(labels.WithPath).OfFiles(labels.Kinds...).AsUsual(),
		session.Text(&s.Output, "output", "the output with the scores of the classes").WithDefault("the only one that can have them").Naming(session.NamesValue, "").AsUsual(),
		session.Int(&s.Samples, "samples", "use only the first `N` rows, images or texts", 1).WithDefault("all").AsUsual(),
		session.Text(&s.Score, "score", "run this shell `COMMAND` with the path of an .npz of all outputs; it prints one number, such as a mean average precision; --timeout limits its time, too").WithDefault("none").Does(permit.Shell).AsUsual(),
		session.Text(&s.Tokens, "tokens", "measure the perplexity of a decoder on the token ids in `FILE`; an .npy or .npz array with a text in each row, also FILE:ARRAY, or a .csv with one in each line").WithDefault("none").Holding(labels.WithPath).OfFiles(labels.Kinds...).AsUsual(),
		session.Int(&s.Window, "window", "with --tokens: read a longer text in pieces of `N` tokens", 2).WithDefault("the context of the model, if it is known").AsRare(),
	}
	options = append(session.Measuring(options...), s.sharedOptions()...)
	options = append(options, s.Keeping.Options()...)
	return session.Foremost(append(options, s.Of.Execution.Options()...), "a", "b", "data", "labels", "output", "score", "tokens", "samples", "ep", "mean", "std")
}

// sharedOptions returns those options of a comparison that this step has.
func (s *Accuracy) sharedOptions() []session.Option {
	all := slices.DeleteFunc(s.Of.Options(), func(o session.Option) bool { return !slices.Contains(shared, o.Name) })
	for i, o := range all {
		if o.Name == "data" {
			all[i] = o.WithDefault("none")
		}
	}
	return all
}

// Ahead implements session.Running.
func (s *Accuracy) Ahead() (runtime.Need, runtime.Execution) { return s.Of.Ahead() }

// Run measures. The report of the result is a *Report.
func (s *Accuracy) Run(ctx context.Context, env session.Env) (session.Result, error) {
	if err := s.check(); err != nil {
		return session.Result{}, err
	}
	measure := s.onRows
	if s.Tokens != "" {
		measure = s.onTexts
	}
	r, models, err := measure(ctx, env)
	if err != nil {
		return session.Result{}, err
	}
	r.judge()
	return session.Result{Report: r, No: r.Verdict == Worse}, s.store(ctx, env, r, models)
}

// check returns an error for options that do not go together.
func (s *Accuracy) check() error {
	if err := flags.CheckStdin([]string{s.Of.A, s.Of.B}); err != nil {
		return err
	}
	switch {
	case s.Tokens == "" && s.Of.Data == "":
		return session.UsageError("--data: has the rows or images whose classes are known; a decoder is measured on --tokens FILE")
	case s.Tokens != "" && (s.Of.Data != "" || s.Labels != "" || s.Score != "" || s.Output != ""):
		return session.UsageError("--tokens: measures what a decoder says about a text, and goes neither with --data, --labels and --output nor with --score")
	case s.Tokens == "" && s.Window > 0:
		return session.UsageError("--window: has an effect only with --tokens")
	}
	return nil
}

// onRows measures models on data.
func (s *Accuracy) onRows(ctx context.Context, env session.Env) (_ *Report, models []*sides.Executor, err error) {
	p, err := s.Of.Runners(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	stream, err := s.open(p.Models[0])
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	r := newReport(p.Models)
	r.Data, r.Notes = filepath.Base(s.Of.Data), append(r.Notes, stream.Notes...)
	run := &run{step: s, env: env, stream: stream, report: r, models: p.Models}
	defer func() { err = errors.Join(err, run.close()) }()
	if err := run.all(ctx); err != nil {
		return nil, nil, err
	}
	for _, x := range p.Models {
		for _, about := range x.Notes() {
			r.Notes = append(r.Notes, text.Clean(x.Path)+": "+about)
		}
	}
	return r, p.Models, nil
}

// open opens the data as the model takes it.
func (s *Accuracy) open(x *sides.Executor) (*inputs.Stream, error) {
	request, err := s.Of.Request(x.Model, 1, 0)
	if err != nil {
		return nil, err
	}
	request.Files.Samples = s.Samples
	stream, err := inputs.OpenStream(x.Inputs(), request)
	if err != nil {
		return nil, flags.InputError(x.Model, err)
	}
	if stream.Len() == 0 {
		return nil, errors.Join(fmt.Errorf("%s: has no rows", s.Of.Data), stream.Close())
	}
	return stream, nil
}

// store stores the result.
func (s *Accuracy) store(ctx context.Context, env session.Env, r *Report, models []*sides.Executor) error {
	if s.NoStore || env.Results == "" {
		return nil
	}
	result, notes := s.Of.ResultOf(ctx, env, s, models)
	r.Notes = append(r.Notes, notes...)
	if err := flags.SetDocument(result, r); err != nil {
		return err
	}
	r.Kept = s.StoreResult(ctx, env, result)
	return nil
}
