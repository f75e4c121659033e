package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Severity tells how bad a problem is; the zero value says nothing.
type Severity int

// The severities, the worst first.
const (
	Error Severity = iota + 1
	Warning
	Info
)

// String is the severity as a report has it.
func (s Severity) String() string { return [...]string{"", "error", "warning", "info"}[s] }

// Problem is something wrong or risky in a model. Names in its texts are quoted.
type Problem struct {
	Code     string
	Severity Severity
	Place    *graphops.Place // nil where it is about the model as a whole
	Node     int             // position in Place, -1 where it is about no node
	Value    string          // the value, initializer or function at fault; "" for none
	Message  string          // what is the matter, without the node's name
	Hint     string          // what to do about it
	Fix      *Fix            // a step that does so, where there is one
}

// Fix is a step that mends a problem: its name and what its options are given, as
// on a command line.
type Fix struct {
	Step    string
	Options []Setting
}

// Setting is an option of a step, by its long name, and a value; an option that
// takes several stands several times.
type Setting struct{ Option, Value string }

// String is the problem in one line, with where it is.
func (p Problem) String() string {
	if at := p.Where(); at != "" {
		return at + ": " + p.Message
	}
	return p.Message
}

// Where names the node, and the place if that is not the main graph; "" of the
// model as a whole.
func (p Problem) Where() string {
	if p.Place == nil {
		return ""
	}
	where := ""
	if p.Place.ID != 0 {
		where = "in " + p.Place.String()
	}
	if p.Node < 0 {
		return where
	}
	if where != "" {
		where += ": "
	}
	return where + shape.NodeName(p.Node, p.Place.Graph.Nodes()[p.Node])
}

// of is a problem of a node.
func of(n site, format string, args ...any) Problem {
	return Problem{Place: n.place, Node: n.index, Message: fmt.Sprintf(format, args...)}
}

// in is a problem of a place, or with nil of the model, that is about no node.
func in(p *graphops.Place, format string, args ...any) Problem {
	return Problem{Place: p, Node: -1, Message: fmt.Sprintf(format, args...)}
}
