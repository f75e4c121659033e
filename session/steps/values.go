package steps

import (
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/session/text"
)

// value is an input or output of a model in a report, with its type.
type value struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
	// Inferred reports that the file does not state the whole type and shape.
	Inferred bool `json:"inferred,omitempty"`
	// Declared is what the file states if the graph contradicts it.
	Declared *declaration `json:"declared,omitempty"`
}

// declaration is the type that the file states for a value.
type declaration struct {
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
}

// shapeText returns the shape, marked if the file states another type. It is "" if nothing is
// known.
func (v value) shapeText() string {
	s := ""
	if v.Shape != nil || v.Type != "?" {
		s = v.Shape.String()
	}
	switch d := v.Declared; {
	case d == nil:
		return s
	case d.Type == v.Type:
		return fmt.Sprintf("%s (declared %s)", s, d.Shape)
	default:
		return fmt.Sprintf("%s (declared %s %s)", s, d.Type, d.Shape)
	}
}

func valuesOf(list []*graphops.ValueInfo) []value {
	out := make([]value, len(list))
	for i, v := range list {
		t := v.Type()
		out[i] = value{Name: v.Name(), Type: t.String(), Shape: t.Shape}
	}
	return out
}

// namesOf returns the names of values, in order.
func namesOf(list []*graphops.ValueInfo) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Name()
	}
	return out
}

func writeValues(w io.Writer, title string, list []value) {
	fmt.Fprintf(w, "%s\n", title)
	t := text.Table{}
	if len(list) == 0 {
		t.Add("none")
	}
	for _, v := range list {
		t.Add(text.Clean(v.Name), v.Type, text.Clean(v.shapeText()))
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
}

func writeWarnings(w io.Writer, warnings []string) {
	for _, s := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text.Clean(s))
	}
}

// orEmpty replaces nil by an empty list, as JSON readers expect.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
