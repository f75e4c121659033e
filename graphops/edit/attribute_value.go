package edit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/pattern"
	"lathe/graphops/tensor"
)

// made returns the attribute for a setting. old is the existing attribute with the name, or nil.
func (n *nodeAttributes) made(s AttributeSetting, old *graphops.Attribute) (*graphops.Attribute, error) {
	if s.Ref {
		return n.reference(s, old)
	}
	given := n.givenKind(s.Name, old)
	kind := cmp.Or(s.Kind, given)
	if err := settable(kind); err != nil {
		return nil, err
	}
	if kind == graphops.AttrUndefined {
		var err error
		if kind, err = spelledKind(s.Text); err != nil {
			return nil, err
		}
	}
	text := s.Text
	if kind == graphops.AttrInt && graphops.HoldsElementType(n.node, s.Name) {
		text = elementTypeNumber(text)
	}
	a, err := valueOf(s.Name, kind, text)
	switch {
	case err != nil && s.Kind == graphops.AttrUndefined && given != graphops.AttrUndefined:
		return nil, fmt.Errorf("is of kind %s: %w; to change the kind, write it as in %s:%s", kind, err, s.Name, anotherKind(kind))
	case err == nil && a.Tensor() != nil && old != nil && old.Tensor() != nil && old.Tensor().Name() != "":
		return graphops.TensorAttribute(s.Name, a.Tensor().WithName(old.Tensor().Name())), nil
	}
	return a, err
}

// anotherKind is an example of a setting with a kind that is not the given one.
func anotherKind(kind graphops.AttributeKind) string {
	if kind == graphops.AttrFloat {
		return "string=text"
	}
	return "float=0.5"
}

// elementTypeNumber returns the number of a named element type, such as "10" for "f16"; any other
// text is returned unchanged.
func elementTypeNumber(text string) string {
	d, err := tensor.ParseDType(text)
	if err != nil {
		return text
	}
	return strconv.Itoa(int(d))
}

// givenKind returns the kind of the existing attribute. If there is none, it returns the kind that
// the operator declares, or AttrUndefined if the operator is unknown.
func (n *nodeAttributes) givenKind(name string, old *graphops.Attribute) graphops.AttributeKind {
	if old != nil && old.Kind() != graphops.AttrUndefined {
		return old.Kind()
	}
	schema := n.schema()
	if schema == nil {
		return graphops.AttrUndefined
	}
	declared, _ := schema.Attribute(name)
	return declared.Kind
}

// schema returns what the operator of the node declares, or nil if it is unknown.
func (n *nodeAttributes) schema() *opschema.Schema {
	version, imported := n.opset(n.node.Domain())
	schema, known := opschema.Find(n.node.Domain(), n.node.OpType(), version)
	if !imported || !known || n.model.Callee(n.node) != nil {
		return nil
	}
	return schema
}

// warnUnknown warns if the operator does not declare an attribute that is added.
func (n *nodeAttributes) warnUnknown(name string) {
	schema := n.schema()
	if schema == nil || strings.HasPrefix(name, "__") {
		return
	}
	if _, known := schema.Attribute(name); known {
		return
	}
	has := "it has none"
	if names := schema.AttributeNames(); len(names) > 0 {
		if near := graphops.NearestNames(name, slices.Values(names)); len(near) > 0 {
			names = near
		}
		has = "it has " + graphops.QuoteNames(names)
	}
	n.report.warn("node %s: %s has no attribute %q; %s", nodeLabel(n.graph, n.at), n.node.OpType(), name, has)
}

// reference returns an attribute that refers to an attribute of the enclosing function. Its kind is
// the requested one, otherwise that of the existing attribute, otherwise that of the function's
// default.
func (n *nodeAttributes) reference(s AttributeSetting, old *graphops.Attribute) (*graphops.Attribute, error) {
	f := n.place.Function
	if f == nil {
		return nil, errors.New("only a node in a function can refer to an attribute of the function; name the function with --in DOMAIN:NAME")
	}
	kind := s.Kind
	if kind == graphops.AttrUndefined && old != nil {
		kind = old.Kind()
	}
	known := f.AttributeNames()
	for _, d := range f.DefaultAttributes() {
		known = append(known, d.Name())
		if d.Name() == s.Text && kind == graphops.AttrUndefined {
			kind = d.Kind()
		}
	}
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("function %q has no attributes to follow", f.Key().Name)
	case !slices.Contains(known, s.Text):
		return nil, fmt.Errorf("function %q has no attribute %q; it has %s", f.Key().Name, s.Text, graphops.QuoteNames(known))
	case kind == graphops.AttrUndefined:
		return nil, fmt.Errorf("the kind of %q is unknown; write it as in %s:ref(float)=%s", s.Text, s.Name, s.Text)
	}
	return graphops.RefAttribute(s.Name, s.Text, kind), nil
}

var (
	intForm   = pattern.New(`^[+-]?[0-9]+$`)
	floatForm = pattern.New(`^([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan)$`)
)

// spelledKind returns the kind of attribute that a text looks like. A text that looks like nothing
// else is a string.
func spelledKind(s string) (graphops.AttributeKind, error) {
	switch {
	case intForm.MatchString(s):
		return graphops.AttrInt, nil
	case floatForm.MatchString(s):
		return graphops.AttrFloat, nil
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		return spelledList(s)
	}
	if _, err := tensor.ParseLiteral(s); err == nil {
		return graphops.AttrTensor, nil
	}
	return graphops.AttrString, nil
}

func spelledList(s string) (graphops.AttributeKind, error) {
	items, err := itemsOf(s)
	switch all := func(f func(string) bool) bool {
		return !slices.ContainsFunc(items, func(i string) bool { return !f(i) })
	}; {
	case err != nil:
		return graphops.AttrUndefined, err
	case len(items) == 0:
		return graphops.AttrUndefined, errors.New("the kind of an empty list is unknown; write it as in pads:ints=[]")
	case all(intForm.MatchString):
		return graphops.AttrInts, nil
	case all(floatForm.MatchString):
		return graphops.AttrFloats, nil
	case all(func(i string) bool { return strings.HasPrefix(i, `"`) }):
		return graphops.AttrStrings, nil
	}
	return graphops.AttrUndefined, fmt.Errorf(`%.60s is neither a list of numbers nor one of strings such as ["a","b"]; for a text that looks like a list, write NAME:string=[…]`, s)
}

func itemsOf(s string) ([]string, error) {
	body, ok := strings.CutPrefix(s, "[")
	body, closed := strings.CutSuffix(body, "]")
	if !ok || !closed {
		return nil, fmt.Errorf("%.60q is not a list in brackets", s)
	}
	return tensor.SplitList(body), nil
}

// valueOf returns an attribute of the given kind, with its value parsed from s.
func valueOf(name string, kind graphops.AttributeKind, s string) (*graphops.Attribute, error) {
	switch kind {
	case graphops.AttrInt:
		v, err := parseInt(s)
		return graphops.IntAttribute(name, v), err
	case graphops.AttrFloat:
		v, err := parseFloat(s)
		return graphops.FloatAttribute(name, v), err
	case graphops.AttrString:
		return graphops.TextAttribute(name, s), nil
	case graphops.AttrTensor:
		t, err := tensor.ParseLiteral(s)
		if err != nil {
			return nil, err
		}
		return graphops.TensorAttribute(name, graphops.NewTensorOf("", t)), nil
	case graphops.AttrInts:
		v, err := listOf(s, parseInt)
		return graphops.IntsAttribute(name, v), err
	case graphops.AttrFloats:
		v, err := listOf(s, parseFloat)
		return graphops.FloatsAttribute(name, v), err
	case graphops.AttrStrings:
		v, err := listOf(s, parseText)
		return graphops.TextsAttribute(name, v), err
	}
	return nil, fmt.Errorf("kind %s cannot be written as text", kind)
}

func listOf[T any](s string, parse func(string) (T, error)) ([]T, error) {
	items, err := itemsOf(s)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(items))
	for i, item := range items {
		if out[i], err = parse(item); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return out, nil
}

func parseInt(s string) (int64, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%.40s does not fit 64 bits", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a whole number", s)
	}
	return v, nil
}

func parseFloat(s string) (float32, error) {
	v, err := strconv.ParseFloat(s, 32)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%.40s is beyond the largest f32, %v", s, float32(math.MaxFloat32))
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a number", s)
	}
	return float32(v), nil
}

func parseText(s string) (string, error) {
	v, err := tensor.ParseQuoted(s)
	if err != nil {
		return "", fmt.Errorf(`%.40q is not a string in double quotes`, s)
	}
	return v, nil
}
