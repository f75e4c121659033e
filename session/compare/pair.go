package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// How two outputs were paired.
const (
	ByName     = "name"
	ByPosition = "position"
)

// Pair says which output of B is compared with which output of A.
type Pair struct {
	A   string `json:"a"`
	B   string `json:"b"`
	How string `json:"how"` // ByName or ByPosition

	part    part // which part of an output of A the pair compares
	classes bool // the last axis contains scores of classes
	all     totals
}

// totals are sums over all cases, for judgements that need all of them.
type totals struct {
	rows, rowsAgree int64
	topRows, among  int64
	cases, passed   int64
	// broken is set if some case could not be compared, or if an element is finite on one side
	// only.
	broken        bool
	signal, noise float64 // sums of the squares of A's values and of the errors
}

// add adds the result of one case.
func (t *totals) add(r OutputResult, m tensor.Metrics) {
	t.cases++
	if r.Pass {
		t.passed++
	}
	t.broken = t.broken || r.Reason != "" || onlyOneSideFinite(m)
	t.rows += m.ArgmaxRows
	t.rowsAgree += m.ArgmaxAgree
	t.topRows += m.TopKRows
	t.among += m.TopKAgree
	if n := float64(m.Finite); n > 0 {
		t.signal += n * m.RMSA * m.RMSA
		t.noise += n * m.RMS * m.RMS
	}
}

// snr returns the signal-to-noise ratio over all cases, in dB.
func (t totals) snr() float64 {
	if t.noise == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(t.signal/t.noise)
}

// sound reports whether the signal-to-noise ratio is high enough, over all cases and in nearly
// every single one. It is for outputs of quantized models.
func (t totals) sound() bool {
	return !t.broken && t.snr() >= MinSNR && float64(t.passed) >= MinCases*float64(t.cases)
}

// pairOutputs pairs outputs that have the same name. Then it pairs each remaining output of A, in
// order, with the first remaining output of B that has the same shape and kind of type. onlyA and
// onlyB are the outputs without a counterpart.
func pairOutputs(as, bs []execution.Got) (pairs []Pair, onlyA, onlyB []execution.Got) {
	onlyB = slices.Clone(bs)
	take := func(how string, a execution.Got, same func(b execution.Got) bool) bool {
		i := slices.IndexFunc(onlyB, same)
		if i < 0 {
			return false
		}
		pairs = append(pairs, Pair{A: a.Name, B: onlyB[i].Name, How: how})
		onlyB = slices.Delete(onlyB, i, i+1)
		return true
	}
	for _, a := range as {
		if !take(ByName, a, func(b execution.Got) bool { return b.Name == a.Name }) {
			onlyA = append(onlyA, a)
		}
	}
	onlyA = slices.DeleteFunc(onlyA, func(a execution.Got) bool {
		return take(ByPosition, a, func(b execution.Got) bool { return alike(a, b) })
	})
	place := func(p Pair) int {
		return slices.IndexFunc(as, func(a execution.Got) bool { return a.Name == p.A })
	}
	slices.SortStableFunc(pairs, func(p, q Pair) int { return cmp.Compare(place(p), place(q)) })
	return pairs, onlyA, onlyB
}

// unseen returns the values whose names are not in seen, and adds the names to seen.
func unseen(values []execution.Got, seen map[string]bool) []execution.Got {
	var out []execution.Got
	for _, v := range values {
		if !seen[v.Name] {
			seen[v.Name] = true
			out = append(out, v)
		}
	}
	return out
}

// alike reports whether two outputs with different names could be the same output: they have the
// same shape and kind of type.
func alike(a, b execution.Got) bool {
	return a.Value.IsTensor() && b.Value.IsTensor() &&
		slices.Equal(a.Value.Tensor.Shape, b.Value.Tensor.Shape) && sameKind(a.Value.Tensor.DType, b.Value.Tensor.DType)
}

// sameKind reports whether both types are integers, or both are floating-point types, and so on.
func sameKind(a, b tensor.DType) bool {
	isWhole := func(k tensor.Kind) bool { return k == tensor.KindSigned || k == tensor.KindUnsigned }
	return a.Kind() == b.Kind() || isWhole(a.Kind()) && isWhole(b.Kind())
}

// otherType reports whether the element types a and b are so different that the output fails.
func (c *comparison) otherType(a, b tensor.DType) bool {
	return c.o.SameTypes && a != b || !sameKind(a, b)
}

// pair pairs the outputs of a case that no earlier case had. An output of A without a counterpart
// counts against B. An output that only B has is only reported.
func (c *comparison) pair(got answers) {
	if why := c.labels.settle(got.a); why != "" {
		c.find(Finding{Reason: why})
	}
	pairs, onlyA, onlyB := pairOutputs(unseen(got.a, c.seenA), unseen(got.b, c.seenB))
	for _, p := range pairs {
		a, _ := find(got.a, p.A)
		b, _ := find(got.b, p.B)
		if !a.Value.IsTensor() || !b.Value.IsTensor() {
			c.find(Finding{Output: p.A, Reason: fmt.Sprintf("%s against %s: only dense tensors, and values that consist of them, are compared", a.Value.Type, b.Value.Type), Unread: true})
			continue
		}
		if da, db := a.Value.Tensor.DType, b.Value.Tensor.DType; c.otherType(da, db) {
			c.find(Finding{Output: p.A, Reason: fmt.Sprintf("%s gives %s, %s %s", c.words.a, da, c.words.b, db), Decisive: true})
		}
		p.part = partOf(got.whole, p.A)
		p.classes = c.scoresClasses(p.A, a.Value.Tensor)
		c.report.Pairs = append(c.report.Pairs, p)
	}
	for _, a := range onlyA {
		reason := fmt.Sprintf("b has no output with this name, and none with shape %s that could be its counterpart", tensor.FormatShape(a.Value.Tensor.Shape))
		c.find(Finding{Output: a.Name, Side: "b", Reason: reason, Decisive: true})
	}
	for _, b := range onlyB {
		if whole := heldBy(got.whole, b.Name); whole != "" {
			c.find(Finding{Output: b.Name, Side: "a", Reason: fmt.Sprintf("output %q of a has no element with this key", whole), Decisive: true})
			continue
		}
		c.find(Finding{Output: b.Name, Side: "a", Reason: "a has no such output"})
	}
}
