//go:build parity

package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// drawnTensors is how many pairs TestParityDrawn has numpy measure.
const drawnTensors = 4000

// TestParityDrawn compares metrics with numpy's on pairs of every type, size and
// character.
func TestParityDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	var requests []parityRequest
	var names []string
	var pairs [][2]Tensor
	for i := range drawnTensors {
		p := drawPair(t, rng)
		r := parityRequest{DType: p.a.DType.String(), A: p.a.Data, B: p.b.Data, RTol: p.tol.RTol, ATol: p.tol.ATol, Row: p.row, ULP: newULPs(p.a.DType) != nil}
		requests = append(requests, r)
		names = append(names, fmt.Sprintf("draw %d, %s %s %s", i, p.what, p.a.DType, FormatShape(p.a.Shape)))
		pairs = append(pairs, [2]Tensor{p.a, p.b})
	}
	for i, answer := range numpy(t, requests) {
		m := compare(t, pairs[i][0], pairs[i][1], Tolerance{RTol: requests[i].RTol, ATol: requests[i].ATol})
		checkMetrics(t, names[i], m, answer.Metrics)
		if t.Failed() {
			t.Fatal("the first that differs is enough")
		}
	}
}

type drawnPair struct {
	a, b Tensor
	row  int64 // numbers along the last axis
	tol  Tolerance
	what string
}

// drawPair draws a type, a shape, what the numbers are like and how the other side
// differs.
func drawPair(t *testing.T, rng *rand.Rand) drawnPair {
	types := []DType{F32, F32, F64, F16, BF16, F8E4M3FN, F8E5M2, I8, U8, I32, I64, C64, C128}
	d := types[rng.IntN(len(types))]
	row := []int64{1, 2, 5, 6, 7, 13, 100, 1000}[rng.IntN(8)]
	rows := []int64{0, 1, 2, 3, 31, chunkNumbers / row, chunkNumbers/row + 1, 5000 / row}[rng.IntN(8)]
	n := int(rows*row) * d.Components()
	what := []string{"normal", "huge", "tiny", "whole", "zero", "spread", "ties"}[rng.IntN(7)]
	as, bs := make([]float64, n), make([]float64, n)
	noise := math.Pow(10, -8*rng.Float64())
	differ := []float64{0, 0.01, 1}[rng.IntN(3)]
	for i := range as {
		as[i] = drawNumber(rng, what, d)
		bs[i] = as[i]
		if rng.Float64() < differ {
			bs[i] = as[i]*(1+noise*rng.NormFloat64()) + noise*drawNumber(rng, what, d)
		}
	}
	if rng.IntN(3) == 0 && d.Kind() != KindSigned && d.Kind() != KindUnsigned {
		odd(rng, as, bs)
		what += " with NaN and infinities"
	}
	a, err := FromFloat64s(d, as, rows, row)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromFloat64s(d, bs, rows, row)
	if err != nil {
		t.Fatal(err)
	}
	tols := []Tolerance{{1e-3, 1e-6}, {1e-5, 0}, {0, 1e-3}, {}}
	return drawnPair{a, b, row * int64(d.Components()), tols[rng.IntN(len(tols))], what}
}

func drawNumber(rng *rand.Rand, what string, d DType) float64 {
	switch what {
	case "huge":
		return rng.NormFloat64() * map[bool]float64{true: 1e299, false: 1e37}[d == F64 || d == C128]
	case "tiny":
		return rng.NormFloat64() * map[bool]float64{true: 1e-310, false: 1e-41}[d == F64 || d == C128]
	case "whole":
		return math.Round(100 * rng.NormFloat64())
	case "zero":
		return math.Copysign(0, rng.Float64()-0.5)
	case "spread":
		return math.Ldexp(rng.NormFloat64(), rng.IntN(80)-40)
	case "ties":
		return float64(rng.IntN(4))
	}
	return rng.NormFloat64()
}

// odd puts NaN and infinities on one side or both.
func odd(rng *rand.Rand, as, bs []float64) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for i := range as {
		if rng.IntN(20) > 0 {
			continue
		}
		v := values[rng.IntN(3)]
		switch rng.IntN(4) {
		case 0:
			as[i] = v
		case 1:
			bs[i] = v
		case 2:
			as[i], bs[i] = v, v
		default:
			as[i], bs[i] = v, values[rng.IntN(3)]
		}
	}
}
