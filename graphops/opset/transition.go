package opset

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// transition is what a step does to the nodes of an operator.
type transition struct {
	before, after *opschema.Schema
	row           row
	// narrows reports that the later version accepts fewer types for an input or output.
	narrows bool
}

// transition returns the transition of a step. It is nil if the operator does not change in that
// version.
func (c *carrier) transition(at change) *transition {
	t, ok := c.changes[at]
	if ok {
		return t
	}
	before, known := opschema.Find(graphops.DefaultDomain, at.op, at.since-1)
	if after, _ := opschema.Find(graphops.DefaultDomain, at.op, at.since); known && before.Since != after.Since {
		t = &transition{before: before, after: after, row: table()[at]}
		for i := range max(len(before.Inputs), len(after.Inputs)) {
			t.narrows = t.narrows || narrower(before.Input, after.Input, i)
		}
		for i := range max(len(before.Outputs), len(after.Outputs)) {
			t.narrows = t.narrows || narrower(before.Output, after.Output, i)
		}
	}
	c.changes[at] = t
	return t
}

// narrower reports whether the later version accepts fewer types at a position.
func narrower(before, after func(int) (opschema.Param, bool), i int) bool {
	old, had := before(i)
	param, ok := after(i)
	return had && ok && slices.ContainsFunc(old.Types(), func(t graphops.Type) bool { return !param.Allows(t) })
}
