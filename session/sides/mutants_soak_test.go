//go:build cgo && soak

package sides

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/sessiontest"
)

// mutant is an expected output that was changed.
type mutant struct {
	what    string
	changed tensor.Tensor
	// at is the position of the largest change, and count is the number of changed elements.
	at    []int64
	count int64
}

// TestValidateMutants changes the expected outputs in folders of test data. With each change the
// model must fail, and the report must name the output, the element and the number of elements.
func TestValidateMutants(t *testing.T) {
	env := sessiontest.Env(t)
	folders, tried := 0, map[string]int{}
	for i, folder := range testdataModels(t) {
		if i%13 != 0 || folders == 60 {
			continue
		}
		s := &Comparison{A: filepath.Join(testdataRoot, folder, "model.onnx")}
		s.Data = filepath.Join(testdataRoot, folder)
		p, err := s.pair(t.Context(), env, againstExpected)
		if err != nil {
			continue // TestValidateTestdata lists the reasons
		}
		if n := alterOutputs(t, s, p, folder, tried); n > 0 {
			folders++
		}
		p.Close()
	}
	t.Logf("%d folders, %v", folders, tried)
	if folders < 50 || len(tried) < 5 {
		t.Errorf("%d folders, %v", folders, tried)
	}
}

// alterOutputs tries every change of every output of a folder's first case, and returns how many it
// tried.
func alterOutputs(t *testing.T, s *Comparison, p *Pairing, folder string, tried map[string]int) int {
	o, err := s.judging(p)
	if err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	cases, err := s.prepare(session.Env{}, p, o)
	if err != nil || len(cases.Cases) == 0 {
		return 0
	}
	judge := func(one inputs.Case) *compare.Report {
		r, err := compare.Compare(t.Context(), p.A, p.B, []inputs.Case{one}, o, nil)
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
		return r
	}
	one := cases.Cases[0]
	base := judge(one)
	if !base.Pass {
		return 0
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(one.Expected)) {
		at := slices.IndexFunc(base.Outputs, func(r compare.OutputResult) bool { return r.Name == name })
		if at < 0 || !one.Expected[name].IsTensor() || base.Outputs[at].Rule == compare.RuleSNR {
			continue
		}
		for _, m := range mutants(t, one.Expected[name].Tensor, base.Outputs[at].Tolerance) {
			wrong := one
			wrong.Expected = maps.Clone(one.Expected)
			wrong.Expected[name] = graphops.TensorValue(m.changed)
			if fault := m.missed(judge(wrong), name); fault != "" {
				t.Errorf("%s: output %q, %s: %s", folder, name, m.what, fault)
			}
			tried[m.what]++
			n++
		}
	}
	return n
}

// missed says what a report does not mention about a change.
func (m mutant) missed(r *compare.Report, output string) string {
	i := slices.IndexFunc(r.Outputs, func(o compare.OutputResult) bool { return o.Name == output })
	switch {
	case r.Pass || i < 0 || r.Outputs[i].Pass:
		return "passes: " + r.Headline
	case !strings.HasPrefix(r.Headline, "fail: ") || !strings.Contains(r.Headline, fmt.Sprintf("%q", output)):
		return "the verdict is " + r.Headline
	case r.Outputs[i].Mismatched != m.count:
		return fmt.Sprintf("%d elements and not %d: %s", r.Outputs[i].Mismatched, m.count, r.Headline)
	case m.at != nil && (r.Outputs[i].Worst == nil || !slices.Equal(r.Outputs[i].Worst.Index, m.at)):
		return fmt.Sprintf("the worst is not at %v: %s", m.at, r.Headline)
	}
	return ""
}

// mutants returns changes of a tensor, each larger than the tolerance.
func mutants(t *testing.T, x tensor.Tensor, tol tensor.Tolerance) []mutant {
	n, err := tensor.Elements(x.Shape)
	if err != nil || n == 0 || x.DType.Kind() == tensor.KindComplex || x.DType.Bits() != 0 && x.DType.Bits() < 8 {
		return nil
	}
	at := n * 2 / 3
	if x.DType == tensor.String {
		changed := x
		changed.Strings = slices.Clone(x.Strings)
		changed.Strings[at] += "x"
		return []mutant{{"a text", changed, index(x.Shape, at), 1}}
	}
	if x.DType.Kind() != tensor.KindFloat {
		changed := x
		changed.Data = bytes.Clone(x.Data)
		changed.Data[at*int64(x.DType.Bits())/8] ^= 1
		return []mutant{{"a bit of a whole number", changed, index(x.Shape, at), 1}}
	}
	values, err := x.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	beyond := func(v float64) float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 7
		}
		return v + 3*(tol.ATol+tol.RTol*math.Abs(v)) + math.Abs(v)*math.Ldexp(1, -min(x.DType.Bits()/2, 20))
	}
	with := func(what string, where []int64, count int64, change func(v []float64)) mutant {
		list := slices.Clone(values)
		change(list)
		changed, err := tensor.FromFloat64s(x.DType, list, x.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		return mutant{what, changed, where, count}
	}
	out := []mutant{with("an element", index(x.Shape, at), 1, func(v []float64) { v[at] = beyond(v[at]) })}
	if !math.IsNaN(values[at]) && x.DType.Bits() >= 16 {
		out = append(out, with("a NaN", index(x.Shape, at), 1, func(v []float64) { v[at] = math.NaN() }))
	}
	if len(x.Shape) >= 3 && x.Shape[1] > 1 {
		inner, _ := tensor.Elements(x.Shape[2:])
		from := (x.Shape[1] - 1) * inner
		out = append(out, with("a channel", nil, inner, func(v []float64) {
			for i := from; i < from+inner; i++ {
				v[i] = beyond(v[i])
			}
		}))
	}
	if last := x.Shape[max(0, len(x.Shape)-1):]; len(last) == 1 && last[0] > 2 {
		row := values[:last[0]]
		hi, lo := slices.Index(row, slices.Max(row)), slices.Index(row, slices.Min(row))
		if hi >= 0 && lo >= 0 && beyond(row[lo]) < row[hi] {
			out = append(out, with("an argmax", nil, 2, func(v []float64) { v[hi], v[lo] = v[lo], v[hi] }))
		}
	}
	return out
}

// index returns the indices of an element.
func index(shape []int64, at int64) []int64 {
	out := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		out[i], at = at%shape[i], at/shape[i]
	}
	return out
}
