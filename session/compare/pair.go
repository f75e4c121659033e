package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
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

	part    part // the part of an output of A that it is
	classes bool // the last axis contains scores of classes
	all     totals
}

// totals are sums over all cases, for judgements that need all of them.
type totals struct {
	rows, rowsAgree int64
	topRows, among  int64
	cases, passed   int64
	// some case could not be compared, or has values that are finite on one side only
	broken        bool
	signal, noise float64 // sums of squares
}

// add adds one case.
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

// sound reports whether enough of a quantized model's signal is left.
func (t totals) sound() bool {
	return !t.broken && t.snr() >= MinSNR && float64(t.passed) >= MinCases*float64(t.cases)
}

// pairOutputs pairs outputs by name. It then pairs the remaining ones in the order of A, each with
// the first of the same shape and kind. It also returns the outputs without a counterpart.
func pairOutputs(as, bs []graphops.Got) (pairs []Pair, onlyA, onlyB []graphops.Got) {
	onlyB = slices.Clone(bs)
	take := func(how string, a graphops.Got, same func(b graphops.Got) bool) bool {
		i := slices.IndexFunc(onlyB, same)
		if i < 0 {
			return false
		}
		pairs = append(pairs, Pair{A: a.Name, B: onlyB[i].Name, How: how})
		onlyB = slices.Delete(onlyB, i, i+1)
		return true
	}
	for _, a := range as {
		if !take(ByName, a, func(b graphops.Got) bool { return b.Name == a.Name }) {
			onlyA = append(onlyA, a)
		}
	}
	onlyA = slices.DeleteFunc(onlyA, func(a graphops.Got) bool {
		return take(ByPosition, a, func(b graphops.Got) bool { return alike(a, b) })
	})
	place := func(p Pair) int {
		return slices.IndexFunc(as, func(a graphops.Got) bool { return a.Name == p.A })
	}
	slices.SortStableFunc(pairs, func(p, q Pair) int { return cmp.Compare(place(p), place(q)) })
	return pairs, onlyA, onlyB
}

// unseen returns the values that are not in seen yet, and adds them.
func unseen(values []graphops.Got, seen map[string]bool) []graphops.Got {
	var out []graphops.Got
	for _, v := range values {
		if !seen[v.Name] {
			seen[v.Name] = true
			out = append(out, v)
		}
	}
	return out
}

// alike reports whether two values could be the same output under two names.
func alike(a, b graphops.Got) bool {
	return a.Value.IsTensor() && b.Value.IsTensor() &&
		slices.Equal(a.Value.Tensor.Shape, b.Value.Tensor.Shape) && sameKind(a.Value.Tensor.DType, b.Value.Tensor.DType)
}

// sameKind reports whether both types are integers, both floating-point, and so on.
func sameKind(a, b tensor.DType) bool {
	isWhole := func(k tensor.Kind) bool { return k == tensor.KindSigned || k == tensor.KindUnsigned }
	return a.Kind() == b.Kind() || isWhole(a.Kind()) && isWhole(b.Kind())
}

// otherType reports whether the element types of an output decide against B.
func (c *comparison) otherType(a, b tensor.DType) bool {
	return c.o.SameTypes && a != b || !sameKind(a, b)
}

// pair decides which outputs are compared, among those that no earlier case had. An output of A
// that B lacks decides against B. An output that only B has is reported.
func (c *comparison) pair(got answers) {
	if why := c.labels.settle(got.a); why != "" {
		c.find(Finding{Reason: why})
	}
	pairs, onlyA, onlyB := pairOutputs(unseen(got.a, c.seenA), unseen(got.b, c.seenB))
	for _, p := range pairs {
		a, _ := find(got.a, p.A)
		b, _ := find(got.b, p.B)
		if !a.Value.IsTensor() || !b.Value.IsTensor() {
			c.find(Finding{Output: p.A, Reason: fmt.Sprintf("%s against %s: only what is made of dense tensors is compared", a.Value.Type, b.Value.Type), Unread: true})
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
		reason := fmt.Sprintf("no output of b has this name, or shape %s and no other counterpart", tensor.FormatShape(a.Value.Tensor.Shape))
		c.find(Finding{Output: a.Name, Side: "b", Reason: reason, Decisive: true})
	}
	for _, b := range onlyB {
		if whole := heldBy(got.whole, b.Name); whole != "" {
			c.find(Finding{Output: b.Name, Side: "a", Reason: fmt.Sprintf("%q of a has no such element", whole), Decisive: true})
			continue
		}
		c.find(Finding{Output: b.Name, Side: "a", Reason: "a has no such output"})
	}
}
