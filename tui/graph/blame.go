package graph

import (
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/fault"
	"lathe/session/runtime"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// Blame says which part of the model made a job fail: the explanation of the error, and the rows
// that it is about.
type Blame struct {
	Model *graphops.Model
	fault.Finding
	Spots []Spot
	// IsTold is true if the text of the error already contains the explanation of the finding.
	IsTold bool
}

// BlameOf finds the part of the model that the runtime's error is about. It returns nil if the
// error does not say, or if it is about a model other than m. It may build indices, so it is called
// in the background.
func BlameOf(err error, step session.Step, m *graphops.Model) *Blame {
	// A step that reads files itself says which file failed. Its error is about m only if that file
	// is the unedited m.
	if m == nil || !session.TakesModel(step) && (m.Edited() || failedModel(err) != m.Path()) {
		return nil
	}
	var failure *runtime.Failure
	if errors.As(err, &failure) && failure.Suspect != nil {
		return suspected(m, *failure.Suspect)
	}
	b := &Blame{Model: m}
	var refused *ort.Error
	switch {
	case failure != nil && failure.Finding.Fault.Message != "":
		// The runtime may have loaded only a part of the model, and the finding then refers to that
		// part.
		b.Finding, b.IsTold = fault.Locate(failure.Finding.Fault, m), failure.Finding.Fault.Recognized()
	case errors.As(err, &refused) && refused.Phase != ort.Starting:
		b.Finding = fault.Locate(fault.Parse(int(refused.Code), refused.Message), m)
	default:
		return nil
	}
	for _, s := range b.Sites {
		b.Spots = append(b.Spots, Spot{s.Place, InputRows(s.Place) + s.Index})
	}
	if len(b.Spots) == 0 && b.ValuePlace != nil {
		b.Spots = valueRows(m, b.ValuePlace, b.Value)
	}
	if !b.Fault.Recognized() && len(b.Spots) == 0 {
		return nil
	}
	return b
}

// failedModel returns the name of the model that a worker failed on, from the error.
func failedModel(err error) string {
	var refused *ort.Error
	var crash *ort.CrashError
	switch {
	case errors.As(err, &refused):
		return refused.Model
	case errors.As(err, &crash):
		return crash.Model
	}
	return ""
}

// suspected returns the blame for a node that crashes the runtime, or nil if the model does not
// have that node. The node was found by running parts of the model, and the parts share its nodes.
func suspected(m *graphops.Model, s fault.Suspect) *Blame {
	i := slices.Index(m.Graph().Nodes(), s.Site.Node())
	if i < 0 {
		return nil
	}
	main := m.Places()[0]
	b := &Blame{Model: m, Spots: []Spot{{main, InputRows(main) + i}}, IsTold: true}
	b.Explanation = "the runtime crashes on this node, even in a model of this node alone"
	if !s.Alone {
		b.Explanation = "the runtime crashes on the model up to this node, but not on the part before it"
	}
	return b
}

// valueRows returns the row that computes a value, or else all rows that read it.
func valueRows(m *graphops.Model, p *graphops.Place, value string) []Spot {
	w := NewWiring(NewOutline(m, p), &Typing{Model: m})
	id, ok := w.Index.Value(value)
	if !ok {
		return nil
	}
	if row := w.Maker(id); row >= 0 {
		return []Spot{{p, row}}
	}
	var out []Spot
	for _, row := range w.Readers(id) {
		out = append(out, Spot{p, row})
	}
	return out
}

// Lines explain the error: the cause, a hint, and the values involved.
func (b *Blame) Lines() []DetailLine {
	out := []DetailLine{{cells.Prose(b.Explanation), theme.Warning}}
	if b.Hint != "" {
		out = append(out, DetailLine{cells.Prose(b.Hint), theme.Plain})
	}
	for _, o := range b.Operands {
		what := "value"
		if o.Side != "" {
			what = string(o.Side)
		}
		out = append(out, DetailLine{"  " + what + " " + cells.Prose(o.String()), theme.Plain})
	}
	return out
}
