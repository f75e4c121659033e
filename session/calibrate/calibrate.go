package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
)

// Result is the result of a calibration.
type Result struct {
	// Table has the ranges. For values without a range it says why.
	Table *calibration.Table
	// Samples is the number of samples, and Runs the number of runs that they needed.
	Samples int
	Runs    int64
	// Remarks are about values that have a range but need a comment.
	Remarks []Remark
}

// Remark is a note about a value that has a range, such as that it contains NaN. Sample is the
// first sample in which that was seen.
type Remark struct {
	Value, Sample string
	Text          string // for example "3 elements of it NaN, which no range can include"
}

// errNoSamples is the error of a calibration without samples.
var errNoSamples = errors.New("there are no samples to calibrate on")

// Ranges finds the ranges of values of the main graph, given by name. They may be inputs. A value
// gets no range if it is not a tensor of float32 or float16, or if an element is infinite in some
// sample; the table then has the reason.
func Ranges(ctx context.Context, m *graphops.Model, values []string, samples Samples, load Loader, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if samples.Len() == 0 {
		return nil, errNoSamples
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
	// progress adds up, for each run, the number of values that the run processed. When it has
	// grown by total, all values have been run on one more sample.
	progress int64
	total    int
}

// find finds the ranges of some values. If they are too many to be processed in the same runs, it
// splits them into two halves and processes one after the other.
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

// errMessage is the error if the bin edges of all values do not fit into the message that requests
// one run.
var errMessage = errors.New("the bins of all values are too many for one run")

func (j *job) tooMuch(err error) bool {
	return errors.Is(err, errMessage) || j.o.TooMuch != nil && j.o.TooMuch(err)
}

// together finds the ranges of values by processing all of them in the same runs.
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

// choose determines the ranges from the collected data.
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

// calibrated returns the range of a value.
func (v *value) calibrated(o Options) (calibration.Calibrated, error) {
	c := calibration.Calibrated{Elem: v.elem}
	var err error
	switch {
	case v.leftOut != "":
		return c, nil
	case o.Method == calibration.MethodMinMax:
		var ok bool
		if c.Range, ok = v.minmax.Range(); !ok || c.Range.Low != c.Range.Low || c.Range.High != c.Range.High {
			return c, errors.New("it had no numbers in any sample")
		}
	case v.whole.Count == 0:
		return c, errors.New("it was empty in every sample")
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
	}
	return c, err
}

// Missing returns an error if the table does not fit the model: if it does not mention one of the
// values, or if it has a range for a value that the model does not have.
func Missing(m *graphops.Model, values []string, t *calibration.Table) error {
	for _, name := range values {
		if _, ok := t.Tensors[name]; ok {
			continue
		}
		if _, ok := t.LeftOut[name]; !ok {
			return fmt.Errorf("it has no range for value %q; it was made for another model, or for other operators", name)
		}
	}
	var strange []string
	for name := range t.Tensors {
		if _, ok := m.Graph().Index().Value(name); !ok {
			strange = append(strange, name)
		}
	}
	if len(strange) > 0 {
		return fmt.Errorf("it has a range for %q, which is not a value of the model; it was made for another model", slices.Min(strange))
	}
	return nil
}
