package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/departure"
)

// Result is what a calibration found.
type Result struct {
	// Table has the ranges, and says which values have none and why.
	Table *calibration.Table
	// Samples is how many there were, Runs how many runs that took.
	Samples int
	Runs    int64
	// Remarks are about values that have a range all the same.
	Remarks []Remark
	// Departures are the points, sorted, on which ranges differ from the reference's.
	Departures []calibration.Departure
}

// Remark is about what a value held in a sample, the first one in which it did.
type Remark struct {
	Value, Sample string
	Text          string // as "3 elements are NaN, and do not count"
}

// ErrNoSamples is the error of a calibration on nothing.
var ErrNoSamples = errors.New("there are no samples to calibrate on")

// Ranges finds the ranges of values of the main graph, which are given by name. Inputs may
// be among them. Values that are no tensors of float32 or float16, or that went to
// infinity, have none; the table says so.
func Ranges(ctx context.Context, m *graphops.Model, values []string, samples Samples, load Loader, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if samples.Len() == 0 {
		return nil, ErrNoSamples
	}
	j := &job{ctx: ctx, samples: samples, load: load, o: o, inputs: map[string]bool{}}
	j.result = &Result{Samples: samples.Len(), Table: &calibration.Table{Method: o.Method, Tensors: map[string]calibration.Calibrated{}}}
	for _, in := range m.Graph().FeedInputs() {
		j.inputs[in.Name()] = true
	}
	var once []string
	seen := map[string]bool{}
	for _, name := range values {
		if !seen[name] {
			once, seen[name] = append(once, name), true
		}
	}
	j.total = max(len(once), 1)
	if err := j.find(once); err != nil {
		return nil, err
	}
	return j.result, nil
}

// job is one call of Ranges.
type job struct {
	ctx     context.Context
	samples Samples
	load    Loader
	o       Options
	inputs  map[string]bool

	result *Result
	// progress is how often some value was found in some sample, of total values.
	progress int64
	total    int
}

// find finds the ranges of some values together, or of each half by itself.
func (j *job) find(values []string) error {
	remarks, runs, progress := len(j.result.Remarks), j.result.Runs, j.progress
	err := j.together(values)
	if err == nil || len(values) < 2 || j.ctx.Err() != nil || !j.tooMuch(err) {
		return err
	}
	j.result.Remarks, j.result.Runs, j.progress = j.result.Remarks[:remarks], runs, progress
	half := len(values) / 2
	if err := j.find(values[:half]); err != nil {
		return err
	}
	return j.find(values[half:])
}

// errMessage is of bins that one message of a run does not hold.
var errMessage = errors.New("the bins of all values are too many for one run")

func (j *job) tooMuch(err error) bool {
	return errors.Is(err, errMessage) || j.o.TooMuch != nil && j.o.TooMuch(err)
}

// together finds the ranges of values in the same runs.
func (j *job) together(values []string) (err error) {
	g := &group{job: j, order: values, values: map[string]*value{}}
	for _, name := range values {
		g.values[name] = &value{name: name}
		if !j.inputs[name] {
			g.made = append(g.made, name)
		}
	}
	if len(g.made) > 0 {
		if g.session, err = j.load(j.ctx, g.made); err != nil {
			return err
		}
		defer func() {
			if closing := g.session.Close(); err == nil {
				err = closing
			}
		}()
	}
	n := j.samples.Len()
	each := j.o.Collection
	if each == 0 {
		each = n
	}
	for from := 0; from < n; from += each {
		if err := g.collect(from, min(from+each, n)); err != nil {
			return err
		}
	}
	return g.choose()
}

// choose makes the ranges of what was collected.
func (g *group) choose() error {
	for _, name := range g.order {
		v := g.values[name]
		if v.remark != nil {
			g.job.result.Remarks = append(g.job.result.Remarks, *v.remark)
		}
		if keep := g.job.o.Keep; keep != nil && v.histogram != nil {
			keep(name, v.histogram)
		}
		c, err := v.calibrated(g.job.o)
		if d := v.departure(); d != "" {
			g.job.result.Departures = departure.Note(g.job.result.Departures, d)
		}
		if err != nil && v.leftOut == "" {
			v.leftOut = err.Error()
		}
		if v.leftOut != "" {
			g.job.result.Table.LeaveOut(name, v.leftOut)
			continue
		}
		g.job.result.Table.Tensors[name] = c
	}
	return nil
}

// departure is the point on which the range of a value differs from the reference's, "" of
// most.
func (v *value) departure() calibration.Departure {
	switch {
	case v.infinite:
		return calibration.InfiniteRange
	case v.leftOut != "":
	case v.narrow:
		return calibration.NarrowExtent
	case v.rounded:
		return calibration.NegativeVariance
	case v.histogram != nil && v.histogram.Inverted:
		return calibration.InvertedRange
	}
	return ""
}

// calibrated is the range that a value gets.
func (v *value) calibrated(o Options) (calibration.Calibrated, error) {
	c := calibration.Calibrated{Elem: v.elem}
	var err error
	switch {
	case v.leftOut != "":
		return c, nil
	case o.Method == calibration.MethodMinMax:
		var ok bool
		if c.Range, ok = v.minmax.Range(); !ok || c.Range.Low != c.Range.Low || c.Range.High != c.Range.High {
			return c, errors.New("it never held a number")
		}
	case v.whole.Count == 0:
		return c, errors.New("it never held an element")
	case v.narrow:
		c.Range = calibration.Range{Low: v.whole.Min, High: v.whole.Max}
	case o.Method == calibration.MethodEntropy:
		c.Range, err = v.histogram.Entropy(o.EntropyBins)
	case o.Method == calibration.MethodPercentile:
		c.Range, err = v.histogram.Percentile(o.Percent)
	default:
		var d calibration.Distribution
		d, err = v.histogram.Distribution(o.Cubes)
		c.Range, c.Mean, c.Deviation = d.Range, d.Mean, d.Deviation
		v.rounded = d.Rounded
	}
	return c, err
}

// Missing is an error that names a value that a table says nothing of, or one that it has
// a range for and the model has not: then it is another model's.
func Missing(m *graphops.Model, values []string, t *calibration.Table) error {
	for _, name := range values {
		if _, ok := t.Tensors[name]; ok {
			continue
		}
		if _, ok := t.LeftOut[name]; !ok {
			return fmt.Errorf("it has no range of value %q; it was made of another model, or for other operators", name)
		}
	}
	var strange []string
	for name := range t.Tensors {
		if _, ok := m.Graph().Index().Value(name); !ok {
			strange = append(strange, name)
		}
	}
	if len(strange) > 0 {
		return fmt.Errorf("it has a range of %q, which is no value of the model; it was made of another one", slices.Min(strange))
	}
	return nil
}
