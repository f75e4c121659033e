//go:build cgo

package worker_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/calibration"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// What is wanted beside the elements is what the same functions make of the
// elements here.
func TestReductions(t *testing.T) {
	session := load(t, start(t), identity(t, tensor.F32, "n", "m"))
	values := make([]float32, 60)
	for i := range values {
		values[i] = float32(i*i%17) - 5
	}
	values[7], values[8] = float32(math.NaN()), float32(math.Inf(-1))
	in := tensor.FromSlice(values, 6, 10)
	second, err := tensor.FromFloat64s(tensor.F32, make([]float64, 60), 6, 10)
	if err != nil {
		t.Fatal(err)
	}
	view := tensor.ViewOf(in.Shape)
	window := tensor.Window{Row: 1, Column: 2, Rows: 2, Columns: 3}
	want := execution.Want{
		Name: "y", Profile: true, First: 3,
		Grid:    &execution.GridWant{View: view, Rows: 3, Columns: 5},
		Window:  &execution.WindowWant{View: view, Window: window},
		Against: &execution.AgainstWant{Tensor: second, Tolerance: tensor.Tolerance{ATol: 1}},
	}
	got := one(t, session, in, want)
	if got.Value.Tensor.Data != nil || tensor.FormatShape(got.Value.Tensor.Shape) != "6×10" {
		t.Errorf("the value came as %+v", got.Value)
	}
	part := got.Parts[0]
	profile, err := tensor.ProfileOf(in)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := in.Stored()
	if err != nil {
		t.Fatal(err)
	}
	grid, err := stored.Grid(view, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := tensor.Compare(second, in, tensor.Tolerance{ATol: 1})
	if err != nil {
		t.Fatal(err)
	}
	local, err := in.Window(view, window)
	if err != nil {
		t.Fatal(err)
	}
	first := tensor.FromSlice(values[:3], 3)
	nan := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	for name, diff := range map[string]string{
		"profile": cmp.Diff(&profile, part.Profile, nan, sameNumber),
		"grid":    cmp.Diff(&grid, part.Grid),
		"metrics": cmp.Diff(&metrics, part.Metrics, nan),
		"window":  cmp.Diff(&local, part.Window),
		"first":   cmp.Diff(&first, part.First),
	} {
		if diff != "" {
			t.Errorf("%s (-here +there): %s", name, diff)
		}
	}
	if part.Unable != "" {
		t.Errorf("unable: %s", part.Unable)
	}
}

var sameNumber = cmp.Comparer(func(a, b tensor.Number) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b))
})

// one runs identity and gives the answer.
func one(t *testing.T, session *ort.Session, in tensor.Tensor, want execution.Want) execution.Got {
	t.Helper()
	got, err := collect(func(yield func(execution.Got) error) error {
		return session.Run(t.Context(), fed(map[string]tensor.Tensor{"x": in}), []execution.Want{want}, yield)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("got %d values", len(got))
	}
	return got[0]
}

// TestCalibration has ranges and counts of both types made there, and what has none told.
func TestCalibration(t *testing.T) {
	client := start(t)
	for _, elem := range []tensor.DType{tensor.F32, tensor.F16} {
		values := []float64{-2, -0.5, 0.25, 3, 3, math.NaN(), 0.5, 1}
		in, err := tensor.FromFloat64s(elem, values, 2, 4)
		if err != nil {
			t.Fatal(err)
		}
		bins, err := calibration.EvenBins(elem, 0, 2, 4)
		if err != nil {
			t.Fatal(err)
		}
		bins.Magnitudes = true
		got := one(t, load(t, client, identity(t, elem, "n", "m")), in, execution.Want{Name: "y", Extent: true, Bins: &bins})
		here := calibration.NewExtent(elem)
		here.Add(values)
		if d := cmp.Diff(&here, got.Parts[0].Extent); d != "" {
			t.Errorf("%s: %s", elem, d)
		}
		if d := cmp.Diff([]int64{1, 2, 1, 1}, got.Parts[0].Counts); d != "" {
			t.Errorf("%s: %s", elem, d)
		}
		got = one(t, load(t, client, identity(t, elem, "n")), tensor.Tensor{DType: elem, Shape: []int64{0}}, execution.Want{Name: "y", Extent: true, Bins: &bins})
		if e := got.Parts[0].Extent; e == nil || e.Count != 0 || len(got.Parts[0].Counts) != 4 {
			t.Errorf("%s: of nothing %+v", elem, got.Parts[0])
		}
	}
	got := one(t, load(t, client, identity(t, tensor.I32, "n")), pattern(t, tensor.I32, 4), execution.Want{Name: "y", Extent: true})
	if !strings.Contains(got.Parts[0].Unable, "no range to calibrate") {
		t.Errorf("of integers: %+v", got.Parts[0])
	}
}

// What cannot be made is told in its place, and the rest is there.
func TestUnable(t *testing.T) {
	session := load(t, start(t), identity(t, tensor.F32, "n"))
	in := pattern(t, tensor.F32, 4)
	for text, want := range map[string]execution.Want{
		"rows and columns":         {Grid: &execution.GridWant{View: tensor.ViewOf(in.Shape)}},
		"axis":                     {Grid: &execution.GridWant{View: tensor.View{Down: 7, Across: 9, At: []int64{0}}, Rows: 1, Columns: 1}},
		"window":                   {Window: &execution.WindowWant{View: tensor.ViewOf(in.Shape), Window: tensor.Window{Row: -3, Rows: 1 << 60, Columns: 1 << 60}}},
		"the shapes differ: 2 and": {Against: &execution.AgainstWant{Tensor: pattern(t, tensor.F32, 2)}},
	} {
		want.Name, want.Profile = "y", true
		got := one(t, session, in, want)
		if got.Parts[0].Unable == "" || got.Parts[0].Profile == nil {
			t.Errorf("%s: %+v", text, got.Parts[0])
		}
	}
}

// Values that a run keeps are looked at as often as one likes, and compared with
// those that another session keeps, without leaving the worker.
func TestHold(t *testing.T) {
	client := start(t)
	session := load(t, client, identity(t, tensor.F32, "n"))
	in := tensor.FromSlice([]float32{1, 2, 3, 4}, 4)
	wants := []execution.Want{{Name: "y"}}
	look := func(want execution.Want) (execution.Got, error) {
		got, err := collect(func(yield func(execution.Got) error) error {
			return session.Look(t.Context(), []execution.Want{want}, yield)
		})
		if err != nil {
			return execution.Got{}, err
		}
		return got[0], nil
	}
	if _, err := look(wants[0]); err == nil || !strings.Contains(err.Error(), `no run has kept a value "y"`) {
		t.Errorf("before a run: %v", err)
	}
	bare, err := collect(func(yield func(execution.Got) error) error {
		return session.Hold(t.Context(), fed(map[string]tensor.Tensor{"x": in}), wants, yield)
	})
	if err != nil || bare[0].Value.Tensor.Data != nil {
		t.Fatalf("got %+v, %v", bare, err)
	}
	// A run that keeps nothing leaves what is kept.
	if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 2)}, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := look(execution.Want{Name: "y", Elements: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, got.Value.Tensor); diff != "" {
			t.Error(diff)
		}
	}
	got, err := look(execution.Want{Name: "y", Against: &execution.AgainstWant{Tensor: tensor.FromSlice([]float32{1, 2, 3, 6}, 4)}})
	if err != nil || got.Parts[0].Metrics.MaxAbs != 2 {
		t.Errorf("got %+v, %v", got.Parts, err)
	}
}

// An error of the receiver ends the run, and the session serves the next.
func TestReceiverFails(t *testing.T) {
	session := load(t, start(t), identity(t, tensor.U8, "n"))
	stop := errors.New("that is enough")
	feeds := fed(map[string]tensor.Tensor{"x": pattern(t, tensor.U8, 8<<20)})
	if err := session.Run(t.Context(), feeds, nil, func(execution.Got) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.U8, 2)}, nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}
