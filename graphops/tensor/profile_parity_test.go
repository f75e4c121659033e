//go:build parity

package tensor

import (
	"math"
	"strconv"
	"testing"
)

// TestParityProfile compares counts with those of numpy in the same bins, and
// quantiles with numpy's.
func TestParityProfile(t *testing.T) {
	var requests []parityRequest
	var names []string
	var profiles []Profile
	for name, xs := range series() {
		for _, d := range []DType{F64, F32, F16, BF16, F8E5M2, I32, I64, I8, C64} {
			v, err := FromFloat64s(d, xs[:len(xs)/d.Components()*d.Components()], int64(len(xs)/d.Components()))
			if err != nil {
				t.Fatal(err)
			}
			p := profileOf(t, v)
			bars := p.Histogram.Bars(100)
			edges := make([]float64, len(bars.Counts)+1)
			for i := range edges {
				edges[i] = bars.Edge(i)
			}
			if p.Quantiles == nil || math.IsInf(edges[len(edges)-1], 0) {
				continue // numpy has no bins up to infinity, and nothing to say of no numbers
			}
			names, profiles = append(names, name+" as "+d.String()), append(profiles, p)
			requests = append(requests, parityRequest{
				DType: d.String(), A: v.Data, Edges: edges, Shares: quantileShares[:],
				Normal: strconv.FormatFloat(d.smallestNormal(), 'x', -1, 64),
			})
		}
	}
	for i, a := range numpy(t, requests) {
		checkProfile(t, names[i], profiles[i], a.Profile)
	}
}

func checkProfile(t *testing.T, name string, p Profile, numpy map[string]any) {
	t.Helper()
	for key, got := range map[string]int64{"zeros": p.Zeros, "subnormal": p.Subnormal, "distinct": int64(p.Distinct)} {
		want := int64(float(t, numpy[key]))
		if key == "distinct" && p.Distinct == 0 && want > maxValues {
			continue // too many to count
		}
		if got != want {
			t.Errorf("%s: %s is %d, numpy has %d", name, key, got, want)
		}
	}
	for i, n := range p.Histogram.Bars(100).Counts {
		if want := int64(float(t, numpy["counts"].([]any)[i])); n != want {
			t.Errorf("%s: bar %d has %d, numpy's %d", name, i, n, want)
			break
		}
	}
	for i, q := range p.Quantiles {
		at := func(method string) float64 { return float(t, numpy[method].([]any)[i]) }
		got, want := float64(q.Value), at("linear")
		slack := 1e-12 * math.Abs(want)
		if p.Distinct == 0 { // estimated: two neighbours may lie in different bins, and any number between
			slack = at("higher") - at("lower") + min(max(math.Abs(want), math.Abs(got))/128, p.Histogram.Width)
		}
		if math.Abs(got-want) > slack {
			t.Errorf("%s: quantile %v is %v, numpy has %v", name, q.Share, got, want)
		}
	}
}
