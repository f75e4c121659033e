//go:build parity

package tensor

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

type parityRequest struct {
	DType  string  `json:"dtype"`
	A      []byte  `json:"a"`
	B      []byte  `json:"b,omitempty"`
	RTol   float64 `json:"rtol"`
	ATol   float64 `json:"atol"`
	Row    int64   `json:"row"`
	Values bool    `json:"values,omitempty"`
	ULP    bool    `json:"ulp,omitempty"`

	Edges  []float64 `json:"edges,omitempty"` // asks for a profile with such bins
	Shares []float64 `json:"shares,omitempty"`
	Normal string    `json:"normal,omitempty"` // the smallest normal number
}

type parityAnswer struct {
	Values  []string       `json:"values"`
	Stats   map[string]any `json:"stats"`
	Metrics map[string]any `json:"metrics"`
	Profile map[string]any `json:"profile"`
}

func numpy(t *testing.T, requests []parityRequest) []parityAnswer {
	t.Helper()
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with numpy and ml_dtypes")
	}
	var in bytes.Buffer
	for _, r := range requests {
		if err := json.NewEncoder(&in).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/metrics.py")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	answers := make([]parityAnswer, len(requests))
	for i := range answers {
		if err := dec.Decode(&answers[i]); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	return answers
}

// float reads a number of an answer: an int, or a hexadecimal float.
func float(t *testing.T, v any) float64 {
	t.Helper()
	switch v := v.(type) {
	case float64:
		return v
	case string:
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	t.Fatalf("%v is not a number", v)
	return 0
}

func sameNumber(got, want, slack float64) bool {
	if got == want || got != got && want != want {
		return true
	}
	return math.Abs(got-want) <= max(1e-12*math.Abs(want), slack, 5e-324)
}

func TestParityDecode(t *testing.T) {
	var requests []parityRequest
	var types []DType
	for _, d := range numeric {
		if d.Bits() < 8 || d == Bool { // numpy has no packed types, and bools of one value only
			continue
		}
		raw := make([]byte, 1<<16*max(1, d.Bits()/16))
		rng := rand.New(rand.NewPCG(1, uint64(d)))
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		if d.Bits() <= 16 { // every code
			for i := range 1 << 16 {
				raw[(2*i)%len(raw)] = byte(i)
				raw[(2*i+1)%len(raw)] = byte(i >> 8)
			}
		}
		types = append(types, d)
		requests = append(requests, parityRequest{DType: d.String(), A: raw, Row: 1, Values: true})
	}
	for i, a := range numpy(t, requests) {
		d, raw := types[i], requests[i].A
		got := make([]float64, len(raw)*8/d.Bits()*d.Components())
		if err := decodeFloat64(got, d, raw); err != nil {
			t.Fatal(err)
		}
		if len(a.Values) != len(got) {
			t.Fatalf("%s: %d numbers, numpy has %d", d, len(got), len(a.Values))
		}
		for j, v := range got {
			if want := float(t, a.Values[j]); v != want && (v == v || want == want) {
				t.Fatalf("%s number %d: got %v, numpy has %v", d, j, v, want)
			}
		}
	}
}

func TestParityMetrics(t *testing.T) {
	var requests []parityRequest
	var names []string
	var pairs [][2]Tensor
	for name, as := range series() {
		if name == "one" {
			continue
		}
		for _, d := range []DType{F64, F32, F16, BF16, I32, C64} {
			a, b := parityPair(t, d, as)
			names, pairs = append(names, name+" "+d.String()), append(pairs, [2]Tensor{a, b})
			requests = append(requests, parityRequest{DType: d.String(), A: a.Data, B: b.Data, RTol: 1e-3, ATol: 1e-6, Row: 5 * int64(d.Components())})
		}
	}
	for i, answer := range numpy(t, requests) {
		a, b, r := pairs[i][0], pairs[i][1], requests[i]
		checkStats(t, names[i], a, answer.Stats)
		checkMetrics(t, names[i], compare(t, a, b, Tolerance{RTol: r.RTol, ATol: r.ATol}), answer.Metrics)
	}
}

// parityPair makes two tensors of rows of five, NaN-laden where the type can.
func parityPair(t *testing.T, d DType, as []float64) (Tensor, Tensor) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, uint64(d)))
	as, bs := append([]float64(nil), as...), make([]float64, len(as))
	for i, a := range as {
		if d == I32 {
			a = 1000 * rng.NormFloat64()
			as[i] = a
		}
		bs[i] = a * (1 + rng.NormFloat64()/256)
		switch i % 97 {
		case 13:
			as[i], bs[i] = math.NaN(), math.NaN()
		case 17:
			bs[i] = math.NaN()
		case 19:
			as[i] = math.Inf(1)
		case 23:
			as[i], bs[i] = math.Inf(-1), math.Inf(-1)
		}
	}
	rows := int64(len(as) / d.Components() / 5)
	n := rows * 5 * int64(d.Components())
	a, err := FromFloat64s(d, as[:n], rows, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromFloat64s(d, bs[:n], rows, 5)
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

func checkStats(t *testing.T, name string, a Tensor, want map[string]any) {
	t.Helper()
	s, err := summarize(a)
	if err != nil {
		t.Fatal(err)
	}
	for key, got := range map[string]float64{
		"count": float64(s.Count), "nan": float64(s.NaN), "inf": float64(s.Inf),
		"min": float64(s.Min), "max": float64(s.Max), "mean": float64(s.Mean), "std": float64(s.Std),
	} {
		// a mean near zero has lost its digits in numpy too
		if w := float(t, want[key]); !sameNumber(got, w, 1e-15*float64(s.Std)) {
			t.Errorf("%s: %s is %v, numpy has %v", name, key, got, w)
		}
	}
}

func checkMetrics(t *testing.T, name string, m Metrics, want map[string]any) {
	t.Helper()
	got := map[string]float64{
		"total": float64(m.Total), "mismatched": float64(m.Mismatched), "nan": float64(m.NaN), "inf": float64(m.Inf),
		"max_abs": m.MaxAbs, "mean_abs": m.MeanAbs, "max_rel": m.MaxRel, "mean_rel": m.MeanRel,
		"rms": m.RMS, "rms_a": m.RMSA, "cosine": m.Cosine, "snr": m.SNR,
	}
	if m.ArgmaxRows > 0 {
		got["argmax"] = float64(m.ArgmaxAgree)
	}
	if m.TopKRows > 0 {
		got["topk"] = float64(m.TopKAgree)
	}
	if u := m.ULP; u != nil {
		got["ulp_max"], got["ulp_mean"] = float64(u.Max), u.Mean
		got["ulp_median"], got["ulp_p99"] = float64(u.Median), float64(u.P99)
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			continue // numpy has no answer without a finite pair
		}
		w := float(t, want[key])
		if w != w && (key == "cosine" || key == "snr") {
			continue // numpy's 0/0 is given a meaning here: see Metrics
		}
		// What is near zero because it cancels has lost its digits: a ratio of nearly
		// equal powers in dB, the cosine of a right angle.
		slack := map[string]float64{"snr": 1e-12, "cosine": 1e-16}[key]
		if !sameNumber(g, w, slack) {
			t.Errorf("%s: %s is %v, numpy has %v", name, key, g, w)
		}
	}
}
