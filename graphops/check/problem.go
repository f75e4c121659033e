package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Severity is how bad a problem is. The zero value means not specified.
type Severity int

// The severities, the worst first.
const (
	Error Severity = iota + 1
	Warning
	Info
)

// String returns the severity as in a report.
func (s Severity) String() string { return [...]string{"", "error", "warning", "info"}[s] }

// Problem is something wrong or risky in a model. Names in its texts are quoted.
type Problem struct {
	Code     string
	Severity Severity
	Place    *graphops.Place // nil if it is about the model as a whole
	Node     int             // index in Place, -1 if it is not about a node
	Value    string          // the value, initializer or function with the problem; may be empty
	Message  string          // what is wrong, without the node's name
	Hint     string          // what to do about it
	Fix      *Fix            // a step that does so, if there is one
	Cause    *Cause          // what this and other problems follow from, if that is known
	Suspect  *Suspect        // an attribute that probably causes it, if there is exactly one
}

// Cause is a node from which several problems follow. They share it, and have the same fix.
type Cause struct {
	Place *graphops.Place
	Node  int
	// Nodes are the nodes that it makes wrong, in order. Some of them have no problem of their own
	// yet, because what they read is wrong only as long as another problem is not solved.
	Nodes []int
	Text  string // all of this in one line
}

// Where returns the node, and the place if it is not the main graph.
func (c *Cause) Where() string { return Problem{Place: c.Place, Node: c.Node}.Where() }

// Fix is a step that solves a problem: its name and the values of its options, as on a command
// line.
type Fix struct {
	Step    string
	Options []Setting
}

// Setting is an option of a step, by its long name, and a value. An option with several values
// occurs several times.
type Setting struct{ Option, Value string }

// String returns the problem in one line, including where it is.
func (p Problem) String() string {
	if at := p.Where(); at != "" {
		return at + ": " + p.Message
	}
	return p.Message
}

// Where returns the node, and the place if it is not the main graph; empty for the model as a
// whole.
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

// of returns a problem of a node.
func of(n site, format string, args ...any) Problem {
	return Problem{Place: n.place, Node: n.index, Message: fmt.Sprintf(format, args...)}
}

// in returns a problem of a place, or of the model if p is nil, that is not about a node.
func in(p *graphops.Place, format string, args ...any) Problem {
	return Problem{Place: p, Node: -1, Message: fmt.Sprintf(format, args...)}
}
