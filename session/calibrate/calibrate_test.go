//go:build cgo

package calibrate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/calibrate"
)

const network = `input x f32[n,4]
init w f32[4,3] 1 -2 3 0.5 0.25 -1 2 2 -3 1 0 -0.125
output y f32[n,3]
p: h = MatMul(x, w)
r: g = Relu(h)
t: y = Tanh(g)
i: k = Cast(g) to=7
`

// list is a set of samples in memory.
type list []graphops.Feeds

func (l list) Len() int { return len(l) }

func (l list) Sample(i int) (string, graphops.Feeds, error) { return fmt.Sprintf("s%d", i), l[i], nil }

// drawn returns random samples, always the same ones. Later samples have larger elements, and the
// numbers of rows differ.
func drawn(n int) list {
	r := rand.New(rand.NewPCG(3, 1))
	var out list
	for i := range n {
		rows := 1 + r.IntN(5)
		x := make([]float32, rows*4)
		for k := range x {
			x[k] = float32(r.NormFloat64() * (1 + float64(i)/8))
		}
		out = append(out, graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, int64(rows), 4))})
	}
	return out
}

// held returns the elements that values of the model have in each sample.
func held(t *testing.T, load calibrate.Loader, samples list, values ...string) map[string][][]float64 {
	t.Helper()
	s, err := load(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // what it gave is in hand
	out := map[string][][]float64{}
	for _, in := range samples {
		err := s.Run(t.Context(), in, execution.Whole(values...), func(g execution.Got) error {
			x, err := g.Value.Tensor.Float64s()
			out[g.Name] = append(out[g.Name], x)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// expected returns the range that package calibration computes from all elements at once. held has
// the elements for each sample.
func expected(t *testing.T, o calibrate.Options, held [][]float64) calibration.Calibrated {
	t.Helper()
	each := o.Collection
	if each == 0 {
		each = len(held)
	}
	m := calibration.MinMax{Elem: tensor.F32, Symmetric: o.Symmetric, Average: o.Average, Constant: o.Constant}
	var h *calibration.Histogram
	for part := range slices.Chunk(held, each) {
		for _, x := range part {
			m.Add(slices.Min(x), slices.Max(x))
		}
		m.End()
		all := slices.Concat(part...)
		e := calibration.NewExtent(tensor.F32)
		e.Add(all)
		plan := calibration.PlanValues
		if o.Method == calibration.MethodPercentile && o.Symmetric {
			plan = calibration.PlanMagnitudes
		}
		p, err := plan(h, e, o.Bins)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int64, len(p.Edges)-1)
		p.Count(counts, all)
		h = p.Add(counts)
	}
	c := calibration.Calibrated{Elem: tensor.F32}
	var err error
	switch o.Method {
	case calibration.MethodMinMax:
		c.Range, _ = m.Range()
	case calibration.MethodEntropy:
		c.Range, err = h.Entropy(o.EntropyBins)
	case calibration.MethodPercentile:
		c.Range, err = h.Percentile(o.Percent)
	default:
		var d calibration.Distribution
		d, err = h.Distribution(o.Cubes)
		c.Range, c.Mean, c.Deviation = d.Range, d.Mean, d.Deviation
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRanges compares the ranges of every method, bit for bit, with those computed from all
// elements at once. It does that for an input, values inside the model and an output, with one
// collection and with several, and for all values together and one by one.
func TestRanges(t *testing.T) {
	m := graphtest.Model(t, network)
	load := loader(t, m)
	samples := drawn(9)
	whole := held(t, load, samples, "h", "g", "y")
	for _, in := range samples {
		x, err := in["x"].Tensor.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		whole["x"] = append(whole["x"], x)
	}
	names := []string{"x", "h", "g", "y", "h"}
	for _, method := range calibration.Methods() {
		for _, change := range []func(*calibrate.Options){
			func(*calibrate.Options) {},
			func(o *calibrate.Options) { o.Symmetric = !o.Symmetric },
			func(o *calibrate.Options) { o.Average, o.Percent, o.Cubes, o.EntropyBins = true, 90, true, 64 },
			func(o *calibrate.Options) { o.Collection = 4 },
			func(o *calibrate.Options) { o.Collection, o.Symmetric, o.Average = 2, false, true },
			func(o *calibrate.Options) { o.Collection, o.Bins = 3, 512 },
		} {
			o := calibrate.Defaults(method)
			change(&o)
			want := &calibration.Table{Method: method, Tensors: map[string]calibration.Calibrated{}}
			for name, x := range whole {
				want.Tensors[name] = expected(t, o, x)
			}
			steps, last := int64(0), int64(0)
			o.Progress = func(done, total int64) { steps, last = done, total }
			got, err := calibrate.Ranges(t.Context(), m, names, samples, load, o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got.Table); d != "" {
				t.Errorf("%+v: %s", o, d)
			}
			if steps != last || steps == 0 {
				t.Errorf("%s: %d of %d in the end", method, steps, last)
			}
		}
	}
}

var errFull = errors.New("no memory for so many values")

// TestParts checks a calibration in which a run can process only one value.
func TestParts(t *testing.T) {
	m := graphtest.Model(t, network)
	real := loader(t, m)
	samples := drawn(4)
	o := calibrate.Defaults(calibration.MethodPercentile)
	want, err := calibrate.Ranges(t.Context(), m, []string{"h", "g", "y"}, samples, real, o)
	if err != nil {
		t.Fatal(err)
	}
	loads, done := 0, int64(0)
	full := func(ctx context.Context, values []string) (calibrate.Session, error) {
		if loads++; len(values) > 1 {
			return nil, errFull
		}
		return real(ctx, values)
	}
	o.TooMuch = func(err error) bool { return errors.Is(err, errFull) }
	o.Progress = func(n, total int64) {
		if n < done || n > total {
			t.Errorf("%d of %d after %d", n, total, done)
		}
		done = n
	}
	got, err := calibrate.Ranges(t.Context(), m, []string{"h", "g", "y"}, samples, full, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Table, got.Table); d != "" {
		t.Error(d)
	}
	if loads != 5 || got.Runs != 3*want.Runs {
		t.Errorf("%d loads, %d runs against %d", loads, got.Runs, want.Runs)
	}
	o.TooMuch = nil
	if _, err := calibrate.Ranges(t.Context(), m, []string{"h", "g", "y"}, samples, full, o); !errors.Is(err, errFull) {
		t.Errorf("without leave to part: %v", err)
	}
}

// TestNotFinite checks that NaN is noted with the value and the sample, and that values get no
// range if they are infinite or of another type.
func TestNotFinite(t *testing.T) {
	m := graphtest.Model(t, network)
	load := loader(t, m)
	samples := drawn(4)
	odd := func(x ...float32) graphops.Feeds {
		return graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, 1, 4))}
	}
	samples[2] = odd(1, float32(math.NaN()), 2, 3)
	for _, method := range calibration.Methods() {
		got, err := calibrate.Ranges(t.Context(), m, []string{"x", "k"}, samples, load, calibrate.Defaults(method))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := got.Table.Tensors["x"]; !ok || len(got.Remarks) != 1 || got.Remarks[0].Value != "x" || got.Remarks[0].Sample != "s2" {
			t.Errorf("%s: %+v", method, got)
		}
		if why := got.Table.LeftOut["k"]; !strings.Contains(why, "no range to calibrate") {
			t.Errorf("%s: of integers %q", method, why)
		}
	}
	close := float32(1.0000001)
	narrow, err := calibrate.Ranges(t.Context(), m, []string{"x"}, list{odd(1, 1, 1, close), odd(1, 1, close, close)}, load, calibrate.Defaults(calibration.MethodPercentile))
	if err != nil || narrow.Table.Tensors["x"].Range != (calibration.Range{Low: 1, High: float64(close)}) {
		t.Errorf("of numbers that are too close for bins: %+v, %v", narrow, err)
	}
	samples[1] = odd(1, float32(math.Inf(-1)), 2, 3)
	got, err := calibrate.Ranges(t.Context(), m, []string{"x", "y"}, samples, load, calibrate.Defaults(calibration.MethodEntropy))
	if err != nil {
		t.Fatal(err)
	}
	if why := got.Table.LeftOut["x"]; !strings.Contains(why, "-Inf") || !strings.Contains(why, "sample s1") {
		t.Errorf("%q", why)
	}
	same, err := calibrate.Ranges(t.Context(), m, []string{"x"}, list{odd(1e-9, 1e-9, 1e-9, 1e-9)}, load, calibrate.Defaults(calibration.MethodPercentile))
	if err != nil {
		t.Errorf("of a constant: %+v, %v", same, err)
	}
	if _, ok := got.Table.Tensors["y"]; !ok {
		t.Error("a Tanh of infinities has no range")
	}
}

// broken returns an error for one of the samples.
type broken struct{ list }

func (b broken) Sample(i int) (string, graphops.Feeds, error) {
	if i == 2 {
		return "", nil, errors.New("third.npy: it is cut off")
	}
	return b.list.Sample(i)
}

// TestErrors checks that an error names the sample, that a calibration ends with its context, and
// that senseless options are rejected before anything runs.
func TestErrors(t *testing.T) {
	m := graphtest.Model(t, network)
	load := loader(t, m)
	o := calibrate.Defaults(calibration.MethodMinMax)
	ranges := func(ctx context.Context, s calibrate.Samples, change func(*calibrate.Options)) error {
		o := o
		change(&o)
		_, err := calibrate.Ranges(ctx, m, []string{"h"}, s, load, o)
		return err
	}
	as := func(*calibrate.Options) {}
	wrong := drawn(3)
	wrong[1] = graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(make([]float32, 3), 1, 3))}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for want, err := range map[string]error{
		"there are no samples":       ranges(t.Context(), list{}, as),
		"sample s1: ":                ranges(t.Context(), wrong, as),
		"third.npy: it is cut off":   ranges(t.Context(), broken{drawn(3)}, as),
		"context canceled":           ranges(canceled, drawn(3), as),
		"averaging constant 2":       ranges(t.Context(), drawn(1), func(o *calibrate.Options) { o.Constant = 2 }),
		`no calibration method "no"`: ranges(t.Context(), drawn(1), func(o *calibrate.Options) { o.Method = "no" }),
		"percentile 101":             ranges(t.Context(), drawn(1), func(o *calibrate.Options) { o.Method, o.Percent = "percentile", 101 }),
		"100 bins; method":           ranges(t.Context(), drawn(1), func(o *calibrate.Options) { o.Method, o.Bins = "distribution", 100 }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// TestMissing checks that a table that belongs to another model is recognized.
func TestMissing(t *testing.T) {
	m := graphtest.Model(t, network)
	with := func(names ...string) *calibration.Table {
		out := &calibration.Table{Tensors: map[string]calibration.Calibrated{}, LeftOut: map[string]string{"k": "of integers"}}
		for _, n := range names {
			out.Tensors[n] = calibration.Calibrated{Elem: tensor.F32}
		}
		return out
	}
	for want, names := range map[string][]string{"": {"h", "g", "y"}, `no range for value "g"`: {"h"}, `a range for "q"`: {"h", "g", "z", "q"}} {
		err := calibrate.Missing(m, []string{"h", "g", "k"}, with(names...))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// TestIsMinMax checks with which options Entropy has only one candidate.
func TestIsMinMax(t *testing.T) {
	o := calibrate.Defaults(calibration.MethodEntropy)
	more, grown := o, o
	more.Bins, grown.Collection = 2048, 4
	for i, o := range []calibrate.Options{o, more, grown, calibrate.Defaults(calibration.MethodPercentile)} {
		if o.IsMinMax() != (i == 0) {
			t.Errorf("options %d: %v", i, o.IsMinMax())
		}
	}
}
