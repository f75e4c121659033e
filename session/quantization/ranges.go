package quantization

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/calibrate"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/fault"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/text"
)

// rangeFlags say how the ranges of activations are found and where they are stored.
type rangeFlags struct {
	Calibration     string
	Ranges          string // file in which ranges are stored, or ""
	Samples         int64
	Collection      int64
	Percentile      float64
	HistogramBins   int64
	MovingAverage   bool
	SymmetricRanges bool
	SignedRanges    bool
}

func (f *rangeFlags) options() []session.Option {
	methods := make([]string, len(calibration.Methods()))
	for i, m := range calibration.Methods() {
		methods[i] = string(m)
	}
	return []session.Option{
		session.Choice(&f.Calibration, "calibration", "choose ranges of activations by this `METHOD`; from the values on --data; float8e4m3fn requires distribution", methods...).WithDefault("minmax").AsUsual(),
		session.Path(&f.Ranges, "ranges", "read the ranges from `FILE`, or write it if it is new; in the format of onnxruntime.quantization").OfFiles(".json", ".flatbuffers").WithDefault("not kept").AsMaybeMissing().AsUsual().Doing(deedsOfRanges),
		f.samplesOption("calibrate on the first `N` rows or folders of --data"),
		session.Int(&f.Collection, "collection", "update histograms and moving averages after every `N` runs", 1).WithDefault("all runs at once").AsRare(),
		session.Float(&f.Percentile, "percentile", "with --calibration percentile: `PERCENT` of elements that lie within the range").WithDefault("99.999").AsRare(),
		session.Int(&f.HistogramBins, "histogram-bins", "use histograms of `N` bins", 1).WithDefault("128 for entropy, 2048 for others").AsRare(),
		session.Switch(&f.MovingAverage, "moving-average", "with --calibration minmax: average the minima and maxima of all runs instead of taking the outermost").AsRare(),
		session.Switch(&f.SymmetricRanges, "symmetric-ranges", "with --calibration minmax: make ranges symmetric about 0").AsRare(),
		session.Switch(&f.SignedRanges, "signed-ranges", "with --calibration percentile: cut both ends of the range separately instead of by magnitude").AsRare(),
	}
}

// deedsOfRanges returns what naming a file of ranges does: one that does not exist is written.
func deedsOfRanges(path string) []permit.Deed {
	if _, err := os.Stat(path); err != nil {
		return []permit.Deed{permit.Write}
	}
	return nil
}

// samplesOption is an option of the modes that run the model on data.
func (f *rangeFlags) samplesOption(usage string) session.Option {
	return session.Int(&f.Samples, "samples", usage, 1).WithDefault("all").AsUsual()
}

// calibrated is the part of a report that is about the ranges of activations.
type calibrated struct {
	Method string `json:"method"`
	// File is where the ranges are stored, or "". If Reused is set, they were read from there and
	// nothing was run.
	File    string      `json:"file,omitempty"`
	Reused  bool        `json:"reused"`
	Cases   int         `json:"cases"`
	Runs    int64       `json:"runs"`
	Values  int         `json:"values"` // number of values with a range
	LeftOut []rangeless `json:"left_out"`
	Remarks []string    `json:"-"` // warnings for the report
	Notes   []string    `json:"-"` // notes for the report
}

// rangeless is a value for which no range was found, and the reason.
type rangeless struct {
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// calibrationOptions converts the flags to options of package calibrate.
func (s *Quantization) calibrationOptions() (calibrate.Options, error) {
	method := calibration.Method(s.Calibration)
	switch {
	case s.isFloat8() && s.Calibration != "" && method != calibration.MethodDistribution:
		return calibrate.Options{}, session.UsageError(fmt.Sprintf("--calibration %s: %s needs distribution, because its scales are computed from standard deviations", method, float8))
	case s.isFloat8():
		method = calibration.MethodDistribution
	case s.Calibration == "":
		method = calibration.MethodMinMax
	}
	return s.rangeFlags.optionsOf(method)
}

// optionsOf returns the options of the flags for a method.
func (f *rangeFlags) optionsOf(method calibration.Method) (calibrate.Options, error) {
	o := calibrate.Defaults(method)
	for _, idle := range []struct {
		flag string
		set  bool
		of   calibration.Method
	}{
		{"percentile", f.Percentile != 0, calibration.MethodPercentile},
		{"signed-ranges", f.SignedRanges, calibration.MethodPercentile},
		{"moving-average", f.MovingAverage, calibration.MethodMinMax},
		{"symmetric-ranges", f.SymmetricRanges, calibration.MethodMinMax},
	} {
		if idle.set && idle.of != method {
			return o, session.UsageError(fmt.Sprintf("--%s: has an effect only with --calibration %s", idle.flag, idle.of))
		}
	}
	if f.HistogramBins != 0 && method == calibration.MethodMinMax {
		return o, session.UsageError("--histogram-bins: --calibration minmax makes no histogram")
	}
	if f.Percentile != 0 {
		o.Percent = f.Percentile
	}
	if f.HistogramBins != 0 {
		o.Bins = int(f.HistogramBins)
	}
	o.Average, o.Collection = f.MovingAverage, int(f.Collection)
	o.Symmetric = o.Symmetric && !f.SignedRanges || f.SymmetricRanges
	return o, nil
}

// findRanges returns the ranges of values: those stored in the file of --ranges, or else those
// found on the data, which it then stores there.
func (s *Quantization) findRanges(ctx context.Context, env session.Env, m *graphops.Model, values []string) (*calibration.Table, *calibrated, error) {
	o, err := s.calibrationOptions()
	if err != nil {
		return nil, nil, err
	}
	table, err := s.keptRanges(m, values, o.Method)
	if err != nil {
		return nil, nil, err
	}
	if table != nil {
		return table, reportRanges(table, &calibrated{File: s.Ranges, Reused: true}), nil
	}
	if s.previewing && s.DataCommand != "" {
		return nil, nil, errNotPreviewed
	}
	if s.Data == "" && s.Generated == 0 {
		return nil, nil, session.UsageError("quantize static: needs samples to find the ranges of activations: --data FILE, or --ranges FILE that has them")
	}
	found, cases, err := s.calibrate(ctx, env, m, values, o)
	if err != nil {
		return nil, nil, err
	}
	r := &calibrated{Cases: cases, Runs: found.Runs}
	if o.IsMinMax() {
		r.Notes = append(r.Notes, fmt.Sprintf("with %d bins and all samples at once, entropy cuts nothing: each range goes from the smallest to the largest element; more --histogram-bins, such as 2048, let it cut", o.Bins))
	}
	for _, x := range found.Remarks {
		r.Remarks = append(r.Remarks, fmt.Sprintf("value %q: sample %s: %s", x.Value, x.Sample, x.Text))
	}
	if s.Ranges != "" && !s.previewing {
		if err := graphops.WriteFile(ctx, s.Ranges, graphops.WriteOptions{}, func(w io.Writer) error { return found.Table.Write(w) }); err != nil {
			return nil, nil, err
		}
		r.File = s.Ranges
	}
	return found.Table, reportRanges(found.Table, r), nil
}

// reportRanges fills in the facts of a table of ranges.
func reportRanges(t *calibration.Table, r *calibrated) *calibrated {
	r.Method, r.Values, r.LeftOut = string(t.Method), len(t.Tensors), []rangeless{}
	for _, name := range slices.Sorted(maps.Keys(t.LeftOut)) {
		r.LeftOut = append(r.LeftOut, rangeless{name, t.LeftOut[name]})
	}
	return r
}

// keptRanges reads the file of --ranges. It returns nil if the option is not set or the file does
// not exist yet. It is an error if the ranges were made by another method or do not belong to the
// model.
func (s *Quantization) keptRanges(m *graphops.Model, values []string, method calibration.Method) (*calibration.Table, error) {
	if s.Ranges == "" {
		return nil, nil
	}
	f, err := os.Open(s.Ranges)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := calibration.ReadTable(f)
	if err == nil && t.Method != method {
		err = fmt.Errorf("it was made by method %s, and --calibration says %s; name another file, or delete this one", t.Method, method)
	}
	if err == nil {
		if err = calibrate.Missing(m, values, t); err != nil && !s.NoPreprocess {
			err = fmt.Errorf("%w; ranges of a model that was not simplified need --no-preprocess", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("--ranges %s: %w", s.Ranges, err)
	}
	return t, nil
}

// calibrationRows is how many rows of the data make a sample if the batch size is free. It is
// small, because a run holds all requested values in memory.
const calibrationRows = 8

// calibrate runs the model on the data, which it reads sample by sample, or on generated inputs.
func (s *Quantization) calibrate(ctx context.Context, env session.Env, m *graphops.Model, values []string, o calibrate.Options) (found *calibrate.Result, cases int, err error) {
	if s.Data == "" {
		return s.calibrateGenerated(ctx, env, m, values, o)
	}
	data, load, err := s.sampling(env, m)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	found, err = calibrate.Ranges(ctx, m, values, data, load, heardBy(env, o, "calibrating"))
	return found, data.Len(), err
}

// heardBy returns the options with functions that report the progress of calibration to env.
func heardBy(env session.Env, o calibrate.Options, phase string) calibrate.Options {
	o.TooMuch = tooMuchMemory
	o.Progress = func(done, total int64) {
		env.Progress(session.Progress{Phase: phase, Done: done, Total: total, Unit: "runs"})
	}
	return o
}

// sampling opens the data, which the caller must close. The function that it also returns loads the
// part of the model that computes given values.
func (s *Quantization) sampling(env session.Env, m *graphops.Model) (sampled, calibrate.Loader, error) {
	how, err := s.How.Value(env)
	if err != nil {
		return sampled{}, nil, err
	}
	r, err := s.Feeding.Request(m, 1, 0)
	if err != nil {
		return sampled{}, nil, err
	}
	r.Files.Samples, r.Files.Rows = s.Samples, calibrationRows
	data, err := inputs.OpenStream(graphops.NamedTypes(m.Graph().FeedInputs()), r)
	if err != nil {
		return sampled{}, nil, flags.InputError(m, err)
	}
	return sampled{data}, func(ctx context.Context, values []string) (calibrate.Session, error) {
		return runtime.LoadPart(ctx, env.Runtime, m, values, how)
	}, nil
}

// sampled adapts a stream of inputs to the samples that package calibrate reads.
type sampled struct{ *inputs.Stream }

// Sample implements calibrate.Samples.
func (s sampled) Sample(i int) (string, graphops.Feeds, error) {
	c, err := s.Case(i)
	return c.Name, c.Feeds, err
}

// tooMuchMemory reports whether it may help to compute fewer values at a time.
func tooMuchMemory(err error) bool {
	var f *runtime.Failure
	if errors.As(err, &f) && f.Finding.Fault.Kind == fault.OutOfMemory {
		return true
	}
	var refused *ort.Error
	return errors.As(err, &refused) && fault.Parse(int(refused.Code), refused.Message).Kind == fault.OutOfMemory
}

// writeText writes where the ranges come from.
func (c *calibrated) writeText(w io.Writer) {
	if c == nil {
		return
	}
	from := fmt.Sprintf("found by %s in %s of %s", c.Method, text.Plural(int(c.Runs), "run"), text.Plural(c.Cases, "case"))
	if c.Reused {
		from = fmt.Sprintf("by %s, stored", c.Method)
	}
	if c.File != "" {
		from += " in " + text.Clean(c.File)
	}
	fmt.Fprintf(w, "ranges of %s %s\n", text.Plural(c.Values, "value"), from)
	for i, x := range c.LeftOut {
		if i == reporting.FewRows {
			fmt.Fprintf(w, "  and %d more without a range\n", len(c.LeftOut)-reporting.FewRows)
			break
		}
		fmt.Fprintf(w, "  no range of %s: %s\n", text.Clean(x.Value), text.CleanLine(x.Reason))
	}
}
