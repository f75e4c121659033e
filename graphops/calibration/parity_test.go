//go:build parity

package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

type question struct {
	Method      string      `json:"method"`
	Symmetric   bool        `json:"symmetric"`
	Bins        int         `json:"bins"`
	Quantized   int         `json:"quantized"`
	Percentile  float64     `json:"percentile"`
	Scenario    string      `json:"scenario"`
	Constant    float64     `json:"constant"`
	Elem        string      `json:"elem"`
	Collections [][]float64 `json:"collections"`
}

type answered struct {
	Version string
	Range   []tensor.Number
	Error   string
}

// drawn is numbers of one of several kinds, as an element type has them.
func drawn(r *rand.Rand, elem tensor.DType, scale float64) []float64 {
	n := []int{1, 2, 7, 100, 1010, 5000}[r.IntN(6)]
	list := make([]float64, n)
	kind := r.IntN(6)
	for i := range list {
		x := r.NormFloat64()
		switch kind {
		case 1:
			x = math.Abs(x)
		case 2:
			x = math.Round(x * 3)
		case 3:
			x = r.ExpFloat64() * r.ExpFloat64()
		case 4:
			x = -max(x, 0)
		case 5:
			x = 0
		}
		list[i] = elem.Round(x * scale)
	}
	return list
}

// TestParity compares ranges bit for bit with the reference. What it refuses, and what
// numpy cannot part into bins, is refused here too.
func TestParity(t *testing.T) {
	python := reference.Start(t, "testdata/reference.py")
	var hello answered
	python.Read(t, &hello)
	t.Log("onnxruntime", hello.Version)
	r := rand.New(rand.NewPCG(1, 2))
	equal, refused, inverted, rounded := 0, 0, 0, 0
	for k := range 600 {
		elem := []tensor.DType{tensor.F32, tensor.F32, tensor.F32, tensor.F16}[r.IntN(4)]
		q := question{
			Method: []string{"entropy", "percentile", "distribution", "moving"}[r.IntN(4)], Symmetric: r.IntN(2) == 0,
			Bins: []int{128, 512, 2048, 600}[r.IntN(4)], Quantized: []int{128, 64, 255}[r.IntN(3)],
			Percentile: []float64{99.999, 99, 50, 100, 0, 99.9}[r.IntN(6)], Scenario: []string{"same", "p3"}[r.IntN(2)],
			Constant: 0.01, Elem: map[tensor.DType]string{tensor.F32: "float32", tensor.F16: "float16"}[elem],
		}
		scale := math.Exp(r.NormFloat64() * 3)
		if q.Method == "distribution" {
			q.Bins = max(q.Bins, MinDistributionBins)
		}
		if q.Method == "entropy" {
			q.Bins = []int{128, 200, 300}[r.IntN(3)]
		}
		for range 1 + r.IntN(3) {
			values := drawn(r, elem, scale*math.Exp(r.NormFloat64()/2))
			if q.Method == "entropy" {
				values = q.near(values, elem)
			}
			if q.Method == "moving" {
				values = append(values, values[:len(values)%2]...)
			}
			q.Collections = append(q.Collections, values)
		}
		var a answered
		python.Ask(t, q, &a)
		got, err := q.answer(elem)
		switch {
		case err != nil || a.Error != "":
			refused++
			asserted := strings.Contains(a.Error, "eps1") // where a candidate that is out of the question ends the search
			if (err != nil) != (a.Error != "") && !asserted {
				t.Errorf("%d: %s of %s, %d bins: error %v; the reference: %s", k, q.Method, q.Elem, q.Bins, err, a.Error)
			}
		case a.Range[0] > a.Range[1] && (q.Method == "percentile" || q.Method == "entropy"): // InvertedRange
			if inverted++; !(got.Low <= got.High) {
				t.Errorf("%d: %v is inverted", k, got)
			}
		case q.Method == "distribution" && a.Range[1] != a.Range[1]: // NegativeVariance
			if rounded++; got.High != 0 || !q.same(got.Low, a.Range[0]) {
				t.Errorf("%d: distribution of %s is %v; the reference: %v", k, q.Elem, got, a.Range)
			}
		case !q.same(got.Low, a.Range[0]) || !q.same(got.High, a.Range[1]):
			t.Errorf("%d: %s of %s, symmetric %v, scenario %s, %d bins, %d collections: %v; the reference: %v", k, q.Method, q.Elem, q.Symmetric, q.Scenario, q.Bins, len(q.Collections), got, a.Range)
		default:
			equal++
		}
	}
	t.Logf("%d equal, %d refused by both, %d that the reference has inverted, %d of a variance below 0", equal, refused, inverted, rounded)
}

// near is values that are at most four times as far off as the first collection's:
// the reference's search takes minutes where a histogram has grown to thousands of bins.
func (q question) near(values []float64, elem tensor.DType) []float64 {
	if len(q.Collections) == 0 {
		return values
	}
	most := 0.0
	for _, x := range q.Collections[0] {
		most = max(most, 4*math.Abs(x))
	}
	for i, x := range values {
		if most > 0 {
			values[i] = elem.Round(max(-most, min(most, x)))
		}
	}
	return values
}

// same compares bits, but for cubic roots: numpy's are of float32 and up to a unit in
// the last place off.
func (q question) same(x float64, y tensor.Number) bool {
	if x != x {
		return y != y
	}
	if q.Method == "distribution" && q.Scenario == "p3" {
		return math.Abs(x-float64(y)) <= 1e-6*math.Abs(x)+1e-12
	}
	return x == float64(y)
}

func (q question) answer(elem tensor.DType) (Range, error) {
	if q.Method == "moving" {
		m := MinMax{Elem: elem, Average: true, Constant: q.Constant}
		for _, values := range q.Collections {
			for i := 0; i < len(values); i += 2 {
				m.Add(values[i], values[i+1])
			}
			m.End()
		}
		found, _ := m.Range()
		return found, nil
	}
	var h *Histogram
	plan := PlanValues
	if q.Method == "percentile" && q.Symmetric {
		plan = PlanMagnitudes
	}
	for _, values := range q.Collections {
		e := NewExtent(elem)
		e.Add(values)
		p, err := plan(h, e, q.Bins)
		if err != nil {
			return Range{}, err
		}
		counts := make([]int64, len(p.Edges)-1)
		p.Count(counts, values)
		h = p.Add(counts)
	}
	switch q.Method {
	case "percentile":
		return h.Percentile(q.Percentile)
	case "distribution":
		d, err := h.Distribution(q.Scenario == "p3")
		return Range{d.Mean, d.Deviation}, err
	case "entropy":
		return h.Entropy(q.Quantized)
	}
	return Range{}, fmt.Errorf("no method %q", q.Method)
}
