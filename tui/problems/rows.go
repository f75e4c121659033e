package problems

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/tui/graph"
)

// row is a line of the list: a problem, and the others that have the same origin. It has no problem if
// it is about a job or the runtime.
type row struct {
	problem *check.Problem
	line    int   // its index in the checkup
	others  []int // theirs
}

// origin is what problems have in common if they follow from the same fault.
type origin struct {
	code     string
	severity check.Severity
	place    *graphops.Place
	fault    any
}

// originOf returns the origin of a problem: a node, an attribute, or what one command repairs. If the
// check knows none of these, problems with the same words have the same one.
func originOf(p *check.Problem) origin {
	o := origin{code: p.Code, severity: p.Severity, place: p.Place}
	switch {
	case p.Cause != nil:
		o.fault = p.Cause
	case p.Suspect != nil:
		o.fault = p.Suspect
	case p.Fix != nil:
		o.fault = fmt.Sprint(*p.Fix)
	default:
		o.fault = p.Message
	}
	return o
}

// rowsOf returns a row for each origin of problems, in the order of the problems. Problems of the model
// as a whole have a row each.
func rowsOf(c *graph.Checkup) (rows []row) {
	known := map[origin]int{}
	for i := range c.Problems {
		p := &c.Problems[i]
		o := originOf(p)
		if at, ok := known[o]; ok && p.Place != nil {
			rows[at].others = append(rows[at].others, i)
			continue
		}
		known[o] = len(rows)
		rows = append(rows, row{problem: p, line: i})
	}
	return rows
}

// causeOf returns the row of the node or attribute that probably causes a problem. Its place is nil if
// none is known.
func causeOf(m *graphops.Model, p *check.Problem) graph.Spot {
	switch {
	case p == nil:
	case p.Suspect != nil:
		return graph.Spot{Place: p.Suspect.Place, Row: graph.NewOutline(m, p.Suspect.Place).NodeRow(p.Suspect.Node)}
	case p.Cause != nil:
		return graph.Spot{Place: p.Cause.Place, Row: graph.NewOutline(m, p.Cause.Place).NodeRow(p.Cause.Node)}
	}
	return graph.Spot{}
}

// finding returns the line of a row. A row of several problems says how many, and lists the nodes of
// the others below.
func (d *Dialog) finding(c *graph.Checkup, r row) graph.Finding {
	line := c.Lines[r.line]
	if key := d.WS.Keys.Key(PlaceDoctor, actionCause); key != "" && r.problem.Suspect != nil {
		line.Note += " (" + key + " goes there)"
	}
	if len(r.others) == 0 {
		return line
	}
	severity := r.problem.Severity.String()
	line.Where = fmt.Sprintf("%s ×%d:%s", severity, len(r.others)+1, strings.TrimPrefix(line.Where, severity+":"))
	nodes := make([]string, len(r.others))
	for i, at := range r.others {
		nodes[i] = strings.TrimPrefix(c.Lines[at].Where, severity+": ")
	}
	line.Also = "the same at " + strings.Join(nodes, ", ")
	return line
}
