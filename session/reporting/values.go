package reporting

import (
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/session/text"
)

// Value is an input or output of a model in a report, with its type.
type Value struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
	// Inferred reports that the file does not state the whole type and shape.
	Inferred bool `json:"inferred,omitempty"`
	// Declared is what the file states if the graph contradicts it.
	Declared *Declaration `json:"declared,omitempty"`
}

// Declaration is the type that the file states for a value.
type Declaration struct {
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
}

// ShapeText returns the shape, marked if the file states another type. It is "" if nothing is
// known.
func (v Value) ShapeText() string {
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

// ValuesOf describes values as the file states them.
func ValuesOf(list []*graphops.ValueInfo) []Value {
	out := make([]Value, len(list))
	for i, v := range list {
		t := v.Type()
		out[i] = Value{Name: v.Name(), Type: t.String(), Shape: t.Shape}
	}
	return out
}

// WriteValues writes a title and a table of values.
func WriteValues(w io.Writer, title string, list []Value) {
	fmt.Fprintf(w, "%s\n", title)
	t := text.Table{}
	if len(list) == 0 {
		t.Add("none")
	}
	for _, v := range list {
		t.Add(text.Clean(v.Name), v.Type, text.Clean(v.ShapeText()))
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
}

// WriteWarnings writes one line for each warning.
func WriteWarnings(w io.Writer, warnings []string) {
	for _, s := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text.Clean(s))
	}
}

// OrEmpty replaces nil by an empty list, as JSON readers expect.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
