package accuracy

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/labels"
	"lathe/session/proportion"
	"lathe/session/sides"
	"lathe/session/text"
)

// run is a measurement on data in progress.
type run struct {
	step   *Accuracy
	env    session.Env
	stream *inputs.Stream
	report *Report
	models []*sides.Executor

	labels  *labels.Labels // nil if the data has them itself
	rows    int64          // measured so far
	outputs []output       // of each model, with the scores; nil if there are no labels
	counted []tally
	scripts []*script // of each model; nil unless there is a script

	first, five proportion.Pairs
}

func (r *run) close() error {
	var errs []error
	for _, s := range r.scripts {
		errs = append(errs, s.remove())
	}
	return errors.Join(errs...)
}

// all runs the models on all of the data.
func (r *run) all(ctx context.Context) error {
	if err := r.begin(); err != nil {
		return err
	}
	r.counted = make([]tally, len(r.models))
	for i := range r.stream.Len() {
		r.env.Progress(session.Progress{Phase: "measuring", Done: int64(i), Total: int64(r.stream.Len()), Unit: "cases"})
		if err := r.one(ctx, i); err != nil {
			return err
		}
	}
	if err := r.finish(); err != nil {
		return err
	}
	return r.score(ctx)
}

// begin reads the labels and prepares the files for the script.
func (r *run) begin() (err error) {
	if said := r.step.Labels; said != "" {
		if r.labels, err = labels.Read(said); err != nil {
			return err
		}
		r.report.Labels, r.report.Notes = r.labels.Source, append(r.report.Notes, r.labels.Notes...)
		if n := r.stream.Rows(); n > 0 && r.step.Samples == 0 {
			if err := r.labels.Check(n); err != nil {
				return err
			}
		}
	}
	if r.step.Score == "" {
		return nil
	}
	for range r.models {
		s, err := newScript(r.step.Score, r.step.Of.Timeout)
		if err != nil {
			return err
		}
		r.scripts = append(r.scripts, s)
	}
	return nil
}

// one runs the models on one case.
func (r *run) one(ctx context.Context, i int) error {
	c, err := r.stream.Case(i)
	if err != nil {
		return err
	}
	if i == 0 && len(c.Fed) == 1 && inputs.NamesImage(c.Fed[0].Source) {
		r.report.Picture = c.Fed[0].What
	}
	got := make([][]graphops.Got, len(r.models))
	for k, x := range r.models {
		if got[k], err = x.Run(ctx, c.Feeds); err != nil {
			return fmt.Errorf("%s: %s: %w", text.Clean(x.Path), text.CleanLine(c.Name), err)
		}
	}
	known, err := r.labelsOf(i, c, got)
	if err == nil && known != nil {
		err = r.judge(known, got)
	}
	for k, s := range r.scripts {
		if err == nil {
			err = r.inModel(k, s.add(got[k], known))
		}
	}
	r.rows += int64(len(known))
	return err
}

// labelsOf returns the labels of a case, or nil if it has no labels and only a script measures.
func (r *run) labelsOf(i int, c inputs.Case, got [][]graphops.Got) ([]int64, error) {
	if r.labels == nil && c.Labels == nil {
		if r.step.Score != "" && r.outputs == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %s has no labels; give them with --labels FILE, as an array named labels, or as a folder of images for each class", r.step.Of.Data, text.CleanLine(c.Name))
	}
	if r.outputs == nil {
		if err := r.choose(got); err != nil {
			return nil, err
		}
	}
	if r.labels == nil {
		if i == 0 {
			r.report.Labels = r.report.Data
		}
		return c.Labels, nil
	}
	t, err := r.outputs[0].in(got[0])
	if err != nil {
		return nil, r.inModel(0, err)
	}
	s, err := read(t, r.outputs[0].chooses)
	if err != nil {
		return nil, r.inModel(0, err)
	}
	return r.labels.For(c.Name, r.rows, s.rows)
}

// choose finds the outputs with the scores in those of the first case.
func (r *run) choose(got [][]graphops.Got) error {
	for k := range r.models {
		o, note, err := find(got[k], r.step.Output)
		if err != nil {
			return r.inModel(k, err)
		}
		if note != "" {
			r.report.Notes = append(r.report.Notes, text.Clean(r.models[k].Path)+": "+note)
		}
		r.outputs = append(r.outputs, o)
		r.report.Models[k].Output = o.name
	}
	return nil
}

// judge compares what the models say with the labels of a case.
func (r *run) judge(known []int64, got [][]graphops.Got) error {
	said := make([][]verdict, len(r.models))
	for k, o := range r.outputs {
		t, err := o.in(got[k])
		if err != nil {
			return r.inModel(k, err)
		}
		s, err := read(t, o.chooses)
		if err == nil {
			err = r.fits(k, s)
		}
		if err == nil {
			said[k], err = s.judge(known, r.rows)
		}
		if err != nil {
			return r.inModel(k, fmt.Errorf("output %s: %w", graphops.ShortQuoted(o.name), err))
		}
		for _, v := range said[k] {
			r.counted[k].add(v)
		}
	}
	if len(said) == 2 {
		for i := range known {
			r.first.Add(said[0][i].first, said[1][i].first)
			r.five.Add(said[0][i].five, said[1][i].five)
		}
	}
	return nil
}

// fits checks that the number of classes is the same in each case, and that of the folders of classes.
func (r *run) fits(k int, s scoresOf) error {
	m := &r.report.Models[k]
	if n := int64(len(r.stream.Classes)); s.classes > 0 && n > 0 && n != s.classes && r.labels == nil {
		return fmt.Errorf("scores %d classes, and %s has folders of %d; %s in it states the folder of every class, in their order", s.classes, r.step.Of.Data, n, inputs.ClassFile)
	}
	if m.Classes > 0 && m.Classes != s.classes {
		return fmt.Errorf("scores %d classes, and %d in an earlier case", s.classes, m.Classes)
	}
	m.Classes = s.classes
	return nil
}

func (r *run) inModel(k int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", text.Clean(r.models[k].Path), err)
}

// finish sums up.
func (r *run) finish() error {
	r.report.Rows = r.rows
	r.report.Classes, r.report.ClassOrder = r.stream.Classes, r.stream.ClassOrder
	if r.outputs == nil {
		return nil
	}
	if r.rows == 0 {
		return fmt.Errorf("%s: has no rows", r.step.Of.Data)
	}
	if r.labels != nil && r.step.Samples == 0 && r.stream.Rows() == 0 {
		if err := r.labels.Check(r.rows); err != nil {
			return err
		}
	}
	for k := range r.models {
		r.report.Models[k].take(r.counted[k])
	}
	r.report.compare(r.first, r.five)
	return nil
}
