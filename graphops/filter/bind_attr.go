package filter

import (
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// attrTest is one item after "attr:".
type attrTest struct {
	name  pattern
	op    operator // "" if there is no value
	value pattern
	exact text
	span  span
	isNum bool
}

func (b *binder) attr(t *test) (holds, error) {
	list := make([]attrTest, len(t.items))
	for i, item := range t.items {
		var err error
		if list[i], err = b.attrTest(item); err != nil {
			return nil, err
		}
	}
	return b.nodes(t, func(i int32) bool {
		n := b.graph.Nodes()[i]
		for k := range list {
			if list[k].holds(n) {
				return true
			}
		}
		return false
	}), nil
}

// attrTest reads NAME, or NAME with an operator and a value.
func (b *binder) attrTest(item text) (attrTest, error) {
	at := item.index("=!<>")
	if at < 0 {
		return attrTest{name: attrName(item)}, nil
	}
	a := attrTest{name: attrName(item.slice(0, at))}
	for _, op := range operators {
		if op != opHas && strings.HasPrefix(item.s[at:], string(op)) {
			a.op = op
			break
		}
	}
	if at == 0 || a.op == "" || len(item.s) == at+len(a.op) {
		return a, b.fault(item, "expected the name of an attribute, or name=value")
	}
	a.exact = item.slice(at+len(a.op), len(item.s))
	a.value = compile(a.exact, false)
	v, ok := parseNumber(a.exact.s)
	if a.isNum = ok; ok {
		a.span = spanOf(a.op, v)
	} else if a.op != opIs && a.op != opIsNot {
		return a, b.fault(item, "expected a number behind %q", a.op)
	}
	return a, nil
}

// attrName returns a case-sensitive pattern, so that the other attributes of a node need not be
// decoded.
func attrName(t text) pattern {
	p := compile(t, false)
	p.fold = false
	return p
}

func (a *attrTest) holds(n *graphops.Node) bool {
	if a.name.glob == nil {
		found, ok := n.Attribute(a.name.literal)
		return ok && a.takes(found)
	}
	for _, found := range n.Attributes() {
		if a.name.matches(found.Name()) && a.takes(found) {
			return true
		}
	}
	return false
}

// takes compares the value of an attribute. An attribute that refers to one of the function, or
// whose value was left in the file, has no value to compare.
func (a *attrTest) takes(found *graphops.Attribute) bool {
	if a.op == "" {
		return true
	}
	if _, deferred := found.Deferred(); deferred || found.RefName() != "" {
		return false
	}
	if a.op == opIsNot {
		return !a.is(found)
	}
	return a.is(found)
}

// is compares a value. For a list, one matching item is sufficient, or the whole list as [1,2].
func (a *attrTest) is(found *graphops.Attribute) bool {
	switch found.Kind() {
	case graphops.AttrInt:
		return a.number(float64(found.Int())) || a.isType(found)
	case graphops.AttrFloat:
		return a.number(float64(found.Float())) || a.isNear(found.Float())
	case graphops.AttrString:
		return a.value.matches(found.Text())
	case graphops.AttrInts:
		return a.anyOf(texts(found.Ints(), func(v int64) string { return strconv.FormatInt(v, 10) }))
	case graphops.AttrFloats:
		return a.anyOf(texts(found.Floats(), func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }))
	case graphops.AttrStrings:
		return a.anyOf(found.Texts())
	case graphops.AttrTensor:
		return found.Tensor() != nil && a.value.matches(found.Tensor().DType().String())
	default:
		return false
	}
}

func (a *attrTest) number(v float64) bool { return a.isNum && a.span.holds(v) }

// isNear matches 0.1 with the nearest 32-bit float.
func (a *attrTest) isNear(v float32) bool {
	return a.isNum && (a.op == opIs || a.op == opIsNot) && float32(a.span.from) == v
}

// isType matches the name of an element type with its number, for attributes with element types:
// "to" of a Cast, and those called dtype.
func (a *attrTest) isType(found *graphops.Attribute) bool {
	name := found.Name()
	if name != "to" && !strings.HasSuffix(name, "dtype") && !strings.HasSuffix(name, "_type") {
		return false
	}
	spelled := compile(typeSpelling(a.exact), false)
	d := tensor.DType(found.Int())
	return int64(d) == found.Int() && d.Valid() && spelled.matches(d.String())
}

func (a *attrTest) anyOf(items []string) bool {
	for _, s := range items {
		if a.value.matches(s) {
			return true
		}
		if v, err := strconv.ParseFloat(s, 64); err == nil && a.number(v) {
			return true
		}
	}
	return a.value.matches("[" + strings.Join(items, ",") + "]")
}

func texts[T any](items []T, write func(T) string) []string {
	out := make([]string, len(items))
	for i, v := range items {
		out[i] = write(v)
	}
	return out
}
