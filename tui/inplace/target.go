package inplace

import (
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// Kind is what a target is.
type Kind int

// What can be edited about a row, in the order of the dialog.
const (
	Attribute Kind = iota
	Type
	ValueName
	NodeName
	Operator
)

// Target is something about a row that can be edited.
type Target struct {
	Kind    Kind
	Subject string // the name of the attribute, value or node
	// Now is the value as it is, in the form in which it is typed. It is "" for an attribute that the
	// node does not have.
	Now string
	// hint is the default of an attribute that the node does not have.
	hint string
	// isTensor is set if the value is a tensor.
	isTensor bool
	// isType is set if the value names an element type.
	isType bool
}

// maxEdited limits the length of a value that is edited in one line, in bytes.
const maxEdited = 4 << 10

// Targets returns what can be edited about a row of the list.
func Targets(ws *workspace.Workspace, row int) []Target {
	o := ws.Outline
	switch k, _ := o.At(row); {
	case o.Len() == 0:
		return nil
	case k != graph.KindNode:
		p := o.Port(row)
		if p.What == "outer" || p.Name == "" {
			return nil
		}
		return []Target{typeTarget(ws, p.Name), {Kind: ValueName, Subject: p.Name, Now: p.Name}}
	}
	n := o.Node(row)
	out := attributeTargets(ws, n)
	for _, name := range n.Outputs() {
		if name != "" {
			out = append(out, typeTarget(ws, name))
		}
	}
	for _, name := range n.Outputs() {
		if name != "" {
			out = append(out, Target{Kind: ValueName, Subject: name, Now: name})
		}
	}
	out = append(out, Target{Kind: NodeName, Subject: n.Name(), Now: n.Name()})
	if len(n.Graphs()) == 0 && ws.NewStep("replace") != nil {
		out = append(out, Target{Kind: Operator, Subject: n.Name(), Now: n.Op().String()})
	}
	return out
}

func typeTarget(ws *workspace.Workspace, value string) Target {
	t := Target{Kind: Type, Subject: value, isType: true}
	if id, ok := ws.Outline.Place.Graph.Index().Value(value); ok {
		t.Now = ws.Types.Of(ws.Outline.Place, id).Declaration()
	}
	return t
}

// attributeTargets returns the attributes of a node: those that it has, then those that its operator
// also knows.
func attributeTargets(ws *workspace.Workspace, n *graphops.Node) []Target {
	var out []Target
	has := map[string]bool{}
	hasValue := false // of a Constant, which has one only
	for _, a := range n.Attributes() {
		has[a.Name()] = true
		hasValue = hasValue || n.Is("Constant") && graphops.IsConstantValue(a.Name())
		if now, ok := typed(n, a); ok {
			out = append(out, Target{Kind: Attribute, Subject: a.Name(), Now: now, isType: graphops.HoldsElementType(n, a.Name()), isTensor: a.Kind() == graphops.AttrTensor})
		}
	}
	version, _ := ws.Model().Opset(graphops.NormalDomain(n.Domain()))
	schema, known := opschema.Find(n.Domain(), n.OpType(), version)
	if !known {
		return out
	}
	for _, a := range schema.Attributes {
		if has[a.Name] || !isTyped(a.Kind) || hasValue && graphops.IsConstantValue(a.Name) {
			continue
		}
		hint := "not set"
		if a.HasDefault() {
			hint = "default: " + spelled(a.Kind, a)
		}
		out = append(out, Target{Kind: Attribute, Subject: a.Name, hint: hint, isType: graphops.HoldsElementType(n, a.Name)})
	}
	return out
}

func isTyped(k graphops.AttributeKind) bool {
	switch k {
	case graphops.AttrInt, graphops.AttrFloat, graphops.AttrString, graphops.AttrInts, graphops.AttrFloats, graphops.AttrStrings:
		return true
	}
	return false
}

// typed returns an attribute in the form in which it is typed. It returns false if it cannot be
// edited in a line.
func typed(n *graphops.Node, a *graphops.Attribute) (string, bool) {
	if _, deferred := a.Deferred(); deferred || a.RefName() != "" {
		return "", false
	}
	if a.Kind() == graphops.AttrTensor {
		return smallTensor(a.Tensor())
	}
	if !isTyped(a.Kind()) {
		return "", false
	}
	s := spelled(a.Kind(), a)
	if d := tensor.DType(min(max(a.Int(), 0), 1<<15)); graphops.HoldsElementType(n, a.Name()) && a.Kind() == graphops.AttrInt && d.Valid() && int64(d) == a.Int() {
		s = d.String()
	}
	return s, len(s) <= maxEdited
}

// maxElements limits the elements of a tensor that is edited in one line.
const maxElements = 64

// smallTensor returns a tensor in the form in which it is typed. It returns false if it has too many
// elements, or cannot be read.
func smallTensor(t *graphops.Tensor) (string, bool) {
	if t == nil {
		return "", false
	}
	if n, err := tensor.Elements(t.Dims()); err != nil || n > maxElements {
		return "", false
	}
	v, err := t.Read()
	if err != nil {
		return "", false
	}
	s, err := v.Literal()
	return s, err == nil && len(s) <= maxEdited
}

// valued is an attribute of a node, or of an operator with its default.
type valued interface {
	Int() int64
	Float() float32
	Text() string
	Ints() []int64
	Floats() []float32
	Texts() []string
}

// spelled returns a value in the form in which the step attribute reads it.
func spelled(k graphops.AttributeKind, v valued) string {
	integer := func(v int64) string { return strconv.FormatInt(v, 10) }
	switch k {
	case graphops.AttrInt:
		return integer(v.Int())
	case graphops.AttrFloat:
		return float(v.Float())
	case graphops.AttrString:
		return v.Text()
	case graphops.AttrInts:
		return listed(v.Ints(), integer)
	case graphops.AttrFloats:
		return listed(v.Floats(), float)
	default:
		return listed(v.Texts(), strconv.Quote)
	}
}

func float(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

func listed[T any](items []T, write func(T) string) string {
	words := make([]string, len(items))
	for i, v := range items {
		words[i] = write(v)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// label says what a target is, safe to print.
func (t Target) label() string {
	switch t.Kind {
	case Attribute:
		return cells.Label(t.Subject)
	case Type:
		return "type of " + cells.Label(t.Subject)
	case ValueName:
		return "name of value " + cells.Label(t.Subject)
	case Operator:
		return "operator"
	default:
		return "name of node"
	}
}

// elementTypes are the element types that a person most likely means, for the line of suggestions.
var elementTypes = []string{"f32", "f16", "bf16", "i64", "i32", "i8", "u8", "bool", "f64", "string"}

// help says what may be typed.
func (t Target) help() string {
	switch {
	case t.Kind == Type:
		return "an element type (" + strings.Join(elementTypes[:6], ", ") + " …), which keeps the shape, or a type such as f32[batch,3,?]"
	case t.Kind == Operator:
		return "an operator, such as Relu or com.microsoft::FastGelu; the node keeps its inputs, its outputs and the attributes that the operator has"
	case t.isType:
		return "an element type: " + strings.Join(elementTypes, ", ")
	case t.Kind == Attribute && t.hint != "":
		return "the node does not have it; " + t.hint
	case t.Kind == Attribute && t.isTensor:
		return "a tensor, such as f32[2]{1,2}, or f32[]{1} for a single number"
	case t.Kind == Attribute:
		return "a value of the same kind; empty removes the attribute"
	}
	return "a new name; it changes wherever it is used"
}
