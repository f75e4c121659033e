package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// attributeHint returns a hint and a fix for an attribute that the operator does not have: what
// happened to it in other versions, or which attribute was probably intended. The fix removes the
// attribute only if no version of the operator has it, because only then the result stays the same.
func attributeHint(n site, schema *opschema.Schema, a *graphops.Attribute) (string, *Fix) {
	var had []int64
	for _, v := range opschema.Versions(n.Domain(), n.OpType()) {
		if _, has := v.Attribute(a.Name()); has {
			had = append(had, v.Since)
		}
	}
	names := schema.AttributeNames()
	near := graphops.NearestNames(a.Name(), slices.Values(names))
	switch {
	case slices.ContainsFunc(schema.Inputs, func(p opschema.Param) bool { return p.Name == a.Name() }):
		return fmt.Sprintf("since version %d it is an input; convert the model", schema.Since), nil
	case len(had) > 0 && had[0] > schema.Since:
		return fmt.Sprintf("it was added in version %d; convert the model, or remove it", had[0]), nil
	case len(had) > 0:
		return fmt.Sprintf("version %d of the operator was the last that had it; convert the model, or remove it", had[len(had)-1]), nil
	case len(near) > 0:
		return "nearest names: " + graphops.QuoteNames(near), renamedAttribute(n, schema, a, near[0])
	case len(names) == 0:
		return "the operator has no attributes; remove it", fixNode(n, "attribute", "remove", a.Name())
	default:
		return "remove it; the operator has " + graphops.QuoteNames(names), fixNode(n, "attribute", "remove", a.Name())
	}
}

// renamedAttribute returns the fix that moves the value of a misspelt attribute to the right one;
// nil if the value does not have a suitable type.
func renamedAttribute(n site, schema *opschema.Schema, a *graphops.Attribute, to string) *Fix {
	declared, _ := schema.Attribute(to)
	value, ok := convertedValue(a, declared.Kind)
	if _, given := n.Attribute(to); given || !ok {
		return nil
	}
	return fixNode(n, "attribute", "remove", a.Name(), "set", to+"="+value)
}

// convertedValue returns the value of an attribute as another kind, in the form that the step
// accepts. ok is false if this is not possible.
func convertedValue(a *graphops.Attribute, to graphops.AttributeKind) (text string, ok bool) {
	f := a.Float()
	whole := float32(int64(f)) == f
	switch from := a.Kind(); {
	case from == graphops.AttrInt && (to == graphops.AttrInt || to == graphops.AttrFloat):
		return fmt.Sprint(a.Int()), true
	// other lists need a number for each axis
	case from == graphops.AttrInt && to == graphops.AttrInts && (a.Name() == "axes" || a.Name() == "axis"):
		return fmt.Sprintf("[%d]", a.Int()), true
	case from == graphops.AttrFloat && (to == graphops.AttrFloat || to == graphops.AttrInt && whole):
		return fmt.Sprint(f), true
	case from == graphops.AttrInts && (to == graphops.AttrInts || to == graphops.AttrFloats):
		return strings.ReplaceAll(fmt.Sprint(a.Ints()), " ", ","), len(a.Ints()) > 0
	default:
		return "", false
	}
}

func kindPhrase(k graphops.AttributeKind) string {
	switch k {
	case graphops.AttrInt:
		return "an int"
	case graphops.AttrInts, graphops.AttrFloats, graphops.AttrStrings:
		return "a list of " + k.String()
	default:
		return "a " + k.String()
	}
}

// misspelt returns an attribute of the node that the operator does not have and that has a
// similar name; empty for none.
func misspelt(list []*graphops.Attribute, schema *opschema.Schema, name string) string {
	var unknown []string
	for _, a := range list {
		if _, ok := schema.Attribute(a.Name()); !ok {
			unknown = append(unknown, a.Name())
		}
	}
	return slices.Concat(graphops.NearestNames(name, slices.Values(unknown)), []string{""})[0]
}

// at returns the options that identify a node on a command line, quoted for a shell.
func at(n site) string {
	words := ""
	for _, o := range fixNode(n, "").Options {
		words += fmt.Sprintf("--%s '%s' ", o.Option, strings.ReplaceAll(o.Value, "'", `'\''`))
	}
	return strings.TrimSuffix(words, " ")
}

// statedAttribute says how to add a missing attribute, and returns a fix if exactly one value is
// right, as for a Cast whose output has a declared type.
func (s *subject) statedAttribute(n site, a opschema.Attribute) (string, *Fix) {
	hint := fmt.Sprintf("set it: lathe attribute %s --set %s=VALUE, where VALUE is %s", at(n), a.Name, kindPhrase(a.Kind))
	if !n.Is("Cast") || a.Name != "to" {
		return hint, nil
	}
	hint += ", the number of an element type (1 of f32, 6 of i32, 7 of i64, 9 of bool, 10 of f16)"
	for _, name := range n.Outputs() {
		x := n.place.Graph.Index()
		v, ok := x.Value(name)
		if !ok || x.Info(v) == nil {
			break
		}
		if t := x.Info(v).Type(); t.Kind == graphops.TypeTensor && t.Elem.Valid() {
			return fmt.Sprintf("set it: its output is declared as %s", t.Elem), setAttribute(n, fmt.Sprintf("to=%d", t.Elem))
		}
	}
	return hint, nil
}
