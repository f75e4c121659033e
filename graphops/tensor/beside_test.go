package tensor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// besideCases are pairs of tensors that go to the ends of what is collected.
func besideCases(t testing.TB) map[string][2]Tensor {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	make2 := func(n int, next func(i int) (a, b float64)) [2][]float64 {
		var out [2][]float64
		for i := range n {
			a, b := next(i)
			out[0], out[1] = append(out[0], a), append(out[1], b)
		}
		return out
	}
	near := make2(9000, func(int) (float64, float64) { a := rng.NormFloat64(); return a, a + 1e-4*rng.NormFloat64() })
	growing := make2(6000, func(i int) (float64, float64) {
		a := rng.NormFloat64() * math.Pow(1.005, float64(i))
		return a, a * (1 + 0.1*rng.NormFloat64())
	})
	apart := make2(3000, func(int) (float64, float64) { return rng.Float64(), 1000 - rng.Float64() })
	odd := make2(3000, func(i int) (float64, float64) {
		list := []float64{1, -2, 0, math.NaN(), math.Inf(1), math.Inf(-1)}
		return list[rng.IntN(6)], list[rng.IntN(6)]
	})
	out := map[string][2]Tensor{}
	add := func(name string, d DType, xs [2][]float64, shape ...int64) {
		var pair [2]Tensor
		for i, list := range xs {
			x, err := FromFloat64s(d, list, shape...)
			if err != nil {
				t.Fatal(err)
			}
			pair[i] = x
		}
		out[name] = pair
	}
	add("near", F32, near, 90, 100)
	add("half", F16, near, 30, 3, 100)
	add("growing", F64, growing, 6000)
	add("apart", F32, apart, 10, 300)
	add("odd", F32, odd, 3, 1000)
	add("one", F32, [2][]float64{{3}, {4}})
	add("none", F32, [2][]float64{}, 0, 4)
	add("zeros", F32, [2][]float64{make([]float64, 12), make([]float64, 12)}, 3, 4)
	add("huge", F64, [2][]float64{{math.MaxFloat64, 1, -math.MaxFloat64}, {-math.MaxFloat64, 1, 5e-324}}, 3)
	out["integers"] = [2]Tensor{FromSlice([]int64{1 << 62, -5, 7, 7}, 2, 2), FromSlice([]int64{1<<62 + 1, 5, 7, 0}, 2, 2)}
	return out
}

// finitePairs are the pairs that pictures are of.
func finitePairs(t testing.TB, pair [2]Tensor) (as, bs []float64) {
	t.Helper()
	xs, err := pair[0].Float64s()
	if err != nil {
		t.Fatal(err)
	}
	ys, err := pair[1].Float64s()
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range xs {
		if IsFinite(x) && IsFinite(ys[i]) {
			as, bs = append(as, x), append(bs, ys[i])
		}
	}
	return as, bs
}

func beside2(t testing.TB, pair [2]Tensor) Beside {
	t.Helper()
	var readers [2]*Reader
	for i := range pair {
		r, err := pair[i].Reader()
		if err != nil {
			t.Fatal(err)
		}
		readers[i] = r
	}
	got, err := CompareBeside(readers[0], readers[1], pair[0].Shape)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestCompareBeside counts again what one pass has counted, pair by pair.
func TestCompareBeside(t *testing.T) {
	for name, pair := range besideCases(t) {
		t.Run(name, func(t *testing.T) {
			got := beside2(t, pair)
			as, bs := finitePairs(t, pair)
			for i, h := range []Histogram{got.A, got.B} {
				want := make([]int64, len(h.Counts))
				for _, x := range [][]float64{as, bs}[i] {
					want[int64(math.Floor(x/h.Width))-h.First]++
				}
				if !slices.Equal(want, h.Counts) {
					t.Errorf("side %d has other counts than its numbers", i)
				}
			}
			if d := got.Density; d.Counts != nil {
				want := make([]int64, d.Side*d.Side)
				for i := range as {
					want[(int64(math.Floor(bs[i]/d.Width))-d.First)*int64(d.Side)+int64(math.Floor(as[i]/d.Width))-d.First]++
				}
				if !slices.Equal(want, d.Counts) {
					t.Error("the density has other counts than its pairs")
				}
				if d.Side > densitySide+1 || len(as) > 1000 && d.Side < densitySide/2 {
					t.Errorf("%d bins of %g", d.Side, d.Width)
				}
			} else if len(as) > 0 {
				t.Error("there is no density")
			}
			var equal, apart int64
			for i := range as {
				if as[i] == bs[i] {
					equal++
				}
			}
			for _, n := range got.Errors.Counts {
				apart += n
			}
			if name == "integers" { // which differ by less than a float64 tells
				equal--
			}
			if name == "huge" {
				apart++ // one distance is beyond a float64
			}
			if got.Equal != equal || equal+apart != int64(len(as)) {
				t.Errorf("%d equal and %d apart of %d, want %d equal", got.Equal, apart, len(as), equal)
			}
			metrics, err := Compare(pair[0], pair[1], Tolerance{})
			if err != nil || metrics.RMS != got.Metrics.RMS && metrics.RMS == metrics.RMS || metrics.Mismatched != got.Metrics.Mismatched {
				t.Errorf("metrics %+v, want %+v (%v)", got.Metrics, metrics, err)
			}
		})
	}
}

// TestGridBeside takes the maximum of each cell again, over different views.
func TestGridBeside(t *testing.T) {
	for name, pair := range besideCases(t) {
		shape := pair[0].Shape
		views := []View{ViewOf(shape)}
		if rank := len(shape); rank > 1 {
			turned := ViewOf(shape)
			turned.Down, turned.Across = turned.Across, turned.Down
			all := View{Down: NoAxis, Across: 0, At: slices.Repeat([]int64{Reduced}, rank)}
			views = append(views, turned, all)
		}
		for _, v := range views {
			checkGridBeside(t, name, pair, v)
		}
	}
}

func checkGridBeside(t *testing.T, name string, pair [2]Tensor, v View) {
	t.Helper()
	a, err := pair[0].Stored()
	if err != nil {
		t.Fatal(err)
	}
	b, err := pair[1].Stored()
	if err != nil {
		t.Fatal(err)
	}
	got, err := GridBeside(a, b, v, 7, 9)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want := map[int]PairCell{}
	xs, _ := pair[0].Float64s()
	ys, _ := pair[1].Float64s()
	for i, x := range xs {
		index := unravel(int64(i), pair[0].Shape)
		row, column := int64(0), int64(0)
		outside := false
		for axis, at := range index {
			switch {
			case axis == v.Down:
				row = at
			case axis == v.Across:
				column = at
			case v.At[axis] != Reduced && v.At[axis] != at:
				outside = true
			}
		}
		if outside {
			continue
		}
		cell := int(row/got.Down)*got.Columns + int(column/got.Across)
		c := want[cell]
		switch y := ys[i]; {
		case IsFinite(x) && IsFinite(y):
			c.Finite++
			d := math.Abs(x - y)
			if name == "integers" && i == 0 {
				d = 1
			}
			c.Max = max(c.Max, d)
		case x != y && !(x != x && y != y):
			c.Odd++
		}
		want[cell] = c
	}
	if len(want) != len(got.Cells) {
		t.Errorf("%s: %d cells, want %d", name, len(got.Cells), len(want))
	}
	for i, c := range got.Cells {
		if w := want[i]; c.Max != w.Max || c.Finite != w.Finite || c.Odd != w.Odd {
			t.Errorf("%s %v: cell %d is %+v, want %+v", name, v, i, c, w)
		}
		x, y := xs[c.At], ys[c.At]
		if math.Float64bits(x) != math.Float64bits(c.A) || math.Float64bits(y) != math.Float64bits(c.B) {
			t.Errorf("%s: cell %d says %g and %g at %d, which has %g and %g", name, i, c.A, c.B, c.At, x, y)
		}
		if c.Odd == 0 && c.Finite > 0 && name != "integers" && IsFinite(x) && math.Abs(x-y) != c.Max {
			t.Errorf("%s: cell %d is at most %g apart, at %d by %g", name, i, c.Max, c.At, x-y)
		}
	}
}

func TestBesideRefusals(t *testing.T) {
	f := FromSlice([]float32{1, 2}, 2)
	ra, _ := f.Reader()
	rb, _ := FromSlice([]complex64{1, 2}, 2).Reader()
	if _, err := CompareBeside(ra, rb, f.Shape); err == nil {
		t.Error("complex numbers are compared with real ones")
	}
	a, _ := f.Stored()
	b, _ := FromSlice([]float32{1, 2, 3}, 3).Stored()
	if _, err := GridBeside(a, b, ViewOf(f.Shape), 3, 3); err == nil {
		t.Error("different shapes make a grid")
	}
}
