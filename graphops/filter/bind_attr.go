package filter

import (
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// attrTest is one item after "attr:": the name of an attribute, and possibly an operator and a
// value.
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

// attrTest reads one item: NAME, or NAME followed by an operator and a value.
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

// attrName returns the pattern for the name of an attribute. It distinguishes upper and lower case,
// because the attribute can then be looked up by name without decoding the others.
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

// takes reports whether the attribute has the wanted value. It is false if an attribute refers to
// an attribute of the function, or if its value was not read from the file because it is large.
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

// is reports whether the attribute has the value of the test. A list matches if one of its items
// does, or if it matches as a whole, as in pads=[0,0,0,0].
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

// isNear reports whether v is the float32 nearest to the number of the test, so that 0.1 matches.
func (a *attrTest) isNear(v float32) bool {
	return a.isNum && (a.op == opIs || a.op == opIsNot) && float32(a.span.from) == v
}

// isType reports whether the attribute holds an element type, such as "to" of a Cast, that the test
// names.
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
