package overflow

import (
	"context"
	"math"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// told is a Runner that tells of every value the magnitude that a test has for it.
type told struct {
	largest  map[string]float32
	infinite []string // values that hold an infinity besides
	wanted   [][]string
}

func (r *told) Run(_ context.Context, _ *graphops.Model, _ graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	var names []string
	for _, w := range want {
		names = append(names, w.Name)
		v := tensor.FromSlice([]float32{0, -r.largest[w.Name]}, 2)
		if slices.Contains(r.infinite, w.Name) {
			v = tensor.FromSlice([]float32{float32(math.Inf(1)), -r.largest[w.Name]}, 2)
		}
		part := execution.Part{}
		if w.Extent {
			numbers, err := v.Float64s()
			if err != nil {
				return err
			}
			e := calibration.NewExtent(v.DType)
			e.Add(numbers)
			part.Extent = &e
		}
		if w.Profile {
			p, err := tensor.ProfileOf(v)
			if err != nil {
				return err
			}
			part.Profile = &p
		}
		if err := yield(execution.Got{Name: w.Name, Value: graphops.TensorValue(v), Parts: []execution.Part{part}}); err != nil {
			return err
		}
	}
	r.wanted = append(r.wanted, names)
	return nil
}

const chain = `
	input x f32[2]
	input i i64[1]
	output y f32[2]
	output z f32[2]
	init w f32[2] 2
	a: h = Mul(x, w)
	b: k = Exp(h)
	c: l = Log(k)
	d: y = Neg(l)
	e: m = Cast(i) to=1
	f: z = Div(x, m)`

func TestScan(t *testing.T) {
	m := graphtest.Model(t, chain)
	feeds := func(x float32) graphops.Feeds {
		return graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{x, 1}, 2)), "i": graphops.TensorValue(tensor.FromSlice([]int64{1}, 1))}
	}
	for _, tt := range []struct {
		name    string
		x       float32
		largest map[string]float32
		reasons map[int]string
		io      []string
	}{
		{"all fits", 1, map[string]float32{"h": 2, "k": 65519, "l": 2, "y": 2, "m": 1, "z": 6e-8}, map[int]string{}, nil},
		{"beyond", 1, map[string]float32{"h": 2, "k": 65520, "l": 2, "y": 2, "m": 1, "z": 1}, map[int]string{
			1: `makes "k", which reaches 6.552e+04; float16 ends at 65504`,
			2: `reads "k", which reaches 6.552e+04; float16 ends at 65504`,
		}, nil},
		{"vanishes at an output", 1, map[string]float32{"h": 2, "k": 2, "l": 2, "y": 2, "m": 1, "z": 1e-9}, map[int]string{
			5: `makes "z", whose largest number is 1e-09; all would be 0 in float16`,
		}, []string{"z"}},
		{"an input is beyond", 1e6, map[string]float32{"h": 2, "k": 2, "l": 2, "y": 2, "m": 1, "z": 1}, map[int]string{
			0: `reads "x", which reaches 1e+06; float16 ends at 65504`,
			5: `reads "x", which reaches 1e+06; float16 ends at 65504`,
		}, []string{"x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &told{largest: tt.largest}
			found, err := Scan(context.Background(), r, m, []graphops.Feeds{feeds(1), feeds(tt.x)}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Reasons) != len(tt.reasons) {
				t.Errorf("reasons %v, expected %v", found.Reasons, tt.reasons)
			}
			for i, want := range tt.reasons {
				if found.Reasons[i] != want {
					t.Errorf("node %d: %q, expected %q", i, found.Reasons[i], want)
				}
			}
			if !slices.Equal(found.KeptIO, tt.io) {
				t.Errorf("inputs and outputs %v, expected %v", found.KeptIO, tt.io)
			}
			if found.Looked != 7 || found.Runs != 2 {
				t.Errorf("looked at %d values in %d runs, expected 7 in 2", found.Looked, found.Runs)
			}
		})
	}
}

// TestScanInParts has each run make as much as it may.
func TestScanInParts(t *testing.T) {
	m := graphtest.Model(t, chain)
	r := &told{largest: map[string]float32{}}
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{1, 1}, 2)), "i": graphops.TensorValue(tensor.FromSlice([]int64{1}, 1))}
	if _, err := Scan(context.Background(), r, m, []graphops.Feeds{in}, Options{MaxBytes: 16}); err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"h", "k"}, {"l", "y"}, {"m", "z"}}; !slices.EqualFunc(r.wanted, want, slices.Equal) {
		t.Errorf("runs make %v, expected %v", r.wanted, want)
	}
}

// TestScanOfInfinities looks again, in the same run, at what holds an infinity, for how far
// the other elements go.
func TestScanOfInfinities(t *testing.T) {
	m := graphtest.Model(t, chain)
	r := &told{largest: map[string]float32{"h": 2, "k": 7e4, "l": 2, "y": 2, "m": 1, "z": 1}, infinite: []string{"k", "l"}}
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{1, 1}, 2)), "i": graphops.TensorValue(tensor.FromSlice([]int64{1}, 1))}
	found, err := Scan(context.Background(), r, m, []graphops.Feeds{in}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"h", "k", "l", "y", "m", "z"}, {"k", "l"}}; !slices.EqualFunc(r.wanted, want, slices.Equal) {
		t.Errorf("runs make %v, expected %v", r.wanted, want)
	}
	if len(found.Values) != 1 || found.Values[0].Name != "k" || found.Values[0].AbsMax != 7e4 || found.Looked != 7 {
		t.Errorf("%+v", found)
	}
}
