package calibrate

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// group is a set of values that are processed in the same runs.
type group struct {
	job     *job
	order   []string
	made    []string // those that the model computes; the others are inputs
	values  map[string]*value
	session Session // nil if all values are inputs
}

// value is the data collected about a value.
type value struct {
	name    string
	elem    tensor.DType // Undefined before the first run
	leftOut string       // why there is no range; empty while one is possible
	remark  *Remark

	minmax    *calibration.MinMax
	extent    calibration.Extent // within the current collection
	histogram *calibration.Histogram
	plan      calibration.Plan
	counts    []int64
	whole     calibration.Extent // over all collections
	narrow    bool               // there are no bins; see calibration.NarrowExtent
}

// maxEdges limits how many bin edges are sent with one run.
const maxEdges = 1 << 20

// collect processes samples from to to-1 as one collection, see Options.Collection.
func (g *group) collect(from, to int) error {
	o := g.job.o
	for _, v := range g.values {
		v.extent = calibration.NewExtent(v.elem)
	}
	if err := g.pass(from, to, (*value).wantExtent, (*value).spread); err != nil {
		return err
	}
	if o.Method == calibration.MethodMinMax {
		for _, v := range g.values {
			if v.minmax != nil {
				v.minmax.End()
			}
		}
		return nil
	}
	if err := g.planBins(); err != nil {
		return err
	}
	if err := g.pass(from, to, (*value).wantCounts, (*value).count); err != nil {
		return err
	}
	for _, v := range g.values {
		if v.leftOut == "" && !v.narrow {
			v.histogram = v.plan.Add(v.counts)
		}
	}
	return nil
}

// planBins chooses the bins of each value's histogram from the smallest and largest element.
func (g *group) planBins() error {
	plan, o := calibration.PlanValues, g.job.o
	if o.Method == calibration.MethodPercentile && o.Symmetric {
		plan = calibration.PlanMagnitudes
	}
	sent := 0
	for _, name := range g.order {
		v := g.values[name]
		if v.leftOut != "" {
			continue
		}
		if v.narrow {
			v.whole = v.whole.Join(v.extent)
			continue
		}
		var err error
		v.whole = v.whole.Join(v.extent)
		if v.plan, err = plan(v.histogram, v.extent, o.Bins); err != nil {
			v.unbinned(o.Method, err)
			continue
		}
		v.counts = make([]int64, len(v.plan.Edges)-1)
		if !v.plan.IsEven() && !g.job.inputs[name] {
			sent += len(v.plan.Edges)
		}
	}
	if sent > maxEdges && len(g.made) > 1 {
		return errMessage
	}
	return nil
}

// unbinned handles a value for which no histogram can be made. Its range is then from its smallest
// to its largest element. It gets no range if these are not numbers, or if the method is
// Distribution.
func (v *value) unbinned(method calibration.Method, err error) {
	if e := v.whole; method == calibration.MethodDistribution || e.Min != e.Min {
		v.leftOut = err.Error()
		return
	}
	v.narrow = true
}

// pass runs samples from to to-1. For each value it requests what want returns, and passes the
// result to take.
func (g *group) pass(from, to int, want func(*value) execution.Want, take func(*value, *job, string, execution.Got)) error {
	for i := from; i < to; i++ {
		if err := g.job.ctx.Err(); err != nil {
			return err
		}
		sample, in, err := g.job.samples.Sample(i)
		if err != nil {
			return err
		}
		if err := g.run(sample, in, want, take); err != nil {
			return fmt.Errorf("sample %s: %w", sample, err)
		}
		g.job.ran(len(g.order))
	}
	return nil
}

// ran counts one run, which processed the given number of values, and reports the progress.
func (j *job) ran(values int) {
	j.result.Runs++
	j.progress += int64(values)
	if j.o.Progress != nil {
		all := int64(j.samples.Len() * j.o.passes())
		j.o.Progress(j.progress/int64(j.total), all)
	}
}

// run processes one sample. For each value it requests what want returns, and passes the result to
// take.
func (g *group) run(sample string, in graphops.Feeds, want func(*value) execution.Want, take func(*value, *job, string, execution.Got)) error {
	var wants []execution.Want
	for _, name := range g.order {
		v := g.values[name]
		switch {
		case v.leftOut != "", v.narrow && want(v).Bins != nil:
		case g.job.inputs[name]:
			fed, ok := in[name]
			if !ok {
				return fmt.Errorf("input %q: it has no value", name)
			}
			got, err := reduced(fed, want(v))
			if err != nil {
				return fmt.Errorf("input %q: %w", name, err)
			}
			take(v, g.job, sample, got)
		default:
			wants = append(wants, want(v))
		}
	}
	if len(wants) == 0 {
		return nil
	}
	return g.session.Run(g.job.ctx, in, wants, func(got execution.Got) error {
		if v := g.values[got.Name]; v != nil {
			take(v, g.job, sample, got)
		}
		return nil
	})
}
