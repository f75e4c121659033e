package wire

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
)

func TestBins(t *testing.T) {
	if b := EncodeBins(nil); b != nil {
		t.Errorf("%v of nothing", b)
	}
	even, err := calibration.EvenBins(tensor.F32, -0.7, 0.3, 2048)
	if err != nil {
		t.Fatal(err)
	}
	point, err := calibration.EvenBins(tensor.F16, 3, 3, 128)
	if err != nil {
		t.Fatal(err)
	}
	uneven, err := calibration.BinsBetween(tensor.F32, []float64{0, 0.5, 2})
	if err != nil {
		t.Fatal(err)
	}
	uneven.Magnitudes = true
	for _, b := range []calibration.Bins{even, point, uneven} {
		got, err := DecodeBins(EncodeBins(&b))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&b, got, cmp.AllowUnexported(calibration.Bins{})); d != "" {
			t.Error(d)
		}
	}
}

// TestHostileBins refuses what no client sends, before anything is allocated for it.
func TestHostileBins(t *testing.T) {
	f32, nan := tensor.F32, math.NaN()
	for name, b := range map[string]*Bins{
		"nothing":    {},
		"no type":    {Even: 3, Last: 1},
		"other type": {DType: tensor.I32, Even: 3, Last: 1},
		"too many":   {DType: f32, Even: math.MaxInt64, Last: 1},
		"negative":   {DType: f32, Even: -4, Last: 1},
		"backwards":  {DType: f32, Even: 4, First: 1},
		"no number":  {DType: f32, Even: 4, First: nan, Last: 1},
		"endless":    {DType: f32, Even: 4, Last: math.Inf(1)},
		"too close":  {DType: f32, Even: 1 << 20, First: 1, Last: 1.0001},
		"one edge":   {DType: f32, Edges: []float64{1}},
		"equal":      {DType: f32, Edges: []float64{1, 1}},
		"falling":    {DType: f32, Edges: []float64{1, 2, 1.5}},
		"nan edge":   {DType: f32, Edges: []float64{1, nan, 3}},
	} {
		if _, err := DecodeBins(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FuzzDecodeBins wants that what is accepted can count any number.
func FuzzDecodeBins(f *testing.F) {
	for _, b := range []*Bins{{DType: 1, Even: 8, First: -1, Last: 1}, {DType: 10, Edges: []float64{0, 1, 3}, Magnitudes: true}} {
		raw, err := encoding.Marshal(b)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, 0.5)
	}
	f.Fuzz(func(t *testing.T, raw []byte, x float64) {
		var b Bins
		if decoding.Unmarshal(raw, &b) != nil || b.Even > 1<<16 {
			return
		}
		got, err := DecodeBins(&b)
		if err != nil {
			return
		}
		counts := make([]int64, len(got.Edges)-1)
		got.Count(counts, []float64{x, -x, math.NaN(), math.Inf(1), got.Edges[0], got.Edges[len(counts)]})
	})
}
