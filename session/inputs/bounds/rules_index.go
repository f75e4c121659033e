package bounds

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// axisOf returns which axis a node works on.
type axisOf func(u use) int64

func fixedAxis(axis int64) axisOf { return func(use) int64 { return axis } }

func axisAttribute(name string, without int64) axisOf {
	return func(u use) int64 { return u.int(name, without) }
}

// index returns the rule for positions along an axis of another input of the node, data.
func index(data int, axis axisOf) rule {
	return func(u use) Allowed {
		at := axis(u)
		n, ok := u.dimOf(data, at)
		if !ok || n == 0 {
			return oneOf(u.because("index into something of unknown size"), 0)
		}
		return between(0, n-1, u.because("index into %s of %q", along(n, at), u.input(data)))
	}
}

// along describes the positions along an axis, in words such as "30522 rows" or "8 positions of
// axis 1".
func along(n, axis int64) string {
	if axis == 0 {
		return fmt.Sprintf("%d rows", n)
	}
	return fmt.Sprintf("%d positions of axis %d", n, axis)
}

// tuples is the rule for indices into several axes at once, as of a GatherND. All of them get the
// bound of the shortest of these axes.
func tuples(u use) Allowed {
	s := u.shape(u.frame(), u.input(0))
	first := int(u.int("batch_dims", 0))
	last := len(s)
	if own := u.shape(u.frame(), u.input(1)); len(own) > 0 && own[len(own)-1].IsFixed() {
		last = min(last, first+int(min(own[len(own)-1].Value, 64)))
	}
	least := int64(-1)
	for axis := max(first, 0); axis < last; axis++ {
		switch {
		case !s[axis].IsFixed():
			return oneOf(u.because("index into something of unknown size"), 0)
		case least < 0 || s[axis].Value < least:
			least = s[axis].Value
		}
	}
	if least <= 0 {
		return oneOf(u.because("index into something of unknown size"), 0)
	}
	return between(0, least-1, u.because("index into the axes of %q, the shortest of %d", u.input(0), least))
}

func oneHotIndex(u use) Allowed {
	if depth, ok := u.frame().ints(u.input(1)); ok && len(depth) == 1 && depth[0] > 0 {
		return between(0, depth[0]-1, u.because("one of %d classes", depth[0]))
	}
	return between(0, 1, u.because("class"))
}

// maxWords is how many entries of a vocabulary are used at most.
const maxWords = 1000

// vocabulary returns the rule for an operator that knows a list of categories. texts and ints are
// the attributes that have it, as texts or as integers.
func vocabulary(texts, ints string) rule {
	return func(u use) Allowed {
		if a := loaded(u.node, texts); a != nil && len(a.Texts()) > 0 {
			words := a.Texts()
			return Allowed{Kind: Words, Words: words[:min(len(words), maxWords)], Why: u.because("one of the %d known words", len(words))}
		}
		if a := loaded(u.node, "keys_tensor"); a != nil && texts == "keys_strings" {
			return u.keys(a.Tensor())
		}
		if a := loaded(u.node, ints); a != nil && len(a.Ints()) > 0 {
			known := a.Ints()
			return oneOf(u.because("one of the %d known numbers", len(known)), known[:min(len(known), maxWords)]...)
		}
		return Allowed{}
	}
}

// keys returns a bound whose values are the elements of a tensor.
func (u use) keys(t *graphops.Tensor) Allowed {
	if t == nil {
		return Allowed{}
	}
	why := u.because("one of the known keys")
	if t.DType() == tensor.String {
		words, err := t.Strings()
		if err != nil || len(words) == 0 {
			return Allowed{}
		}
		return Allowed{Kind: Words, Words: words[:min(len(words), maxWords)], Why: why}
	}
	values, ok := elements(t)
	var known []int64
	for _, x := range values {
		if n, whole := wholeNumber(x); whole {
			known = append(known, n)
		}
	}
	if !ok || len(known) == 0 {
		return Allowed{}
	}
	return oneOf(why, known[:min(len(known), maxWords)]...)
}

// maxAttribute is the size, in bytes, of the largest attribute that is read to find a vocabulary.
const maxAttribute = 16 << 20

func loaded(n *graphops.Node, name string) *graphops.Attribute {
	a, ok := n.Attribute(name)
	if !ok {
		return nil
	}
	if size, deferred := a.Deferred(); deferred && size > maxAttribute {
		return nil
	}
	if a, err := a.Load(); err == nil {
		return a
	}
	return nil
}

// numbers writes the first numbers of a list, with commas between them.
func numbers(list []int64) string {
	var b strings.Builder
	for i, n := range list {
		if i == 8 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
