package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// InputOptions say which initializers become inputs, and whether they keep their values as
// defaults.
type InputOptions struct {
	// Values are the names of the initializers. If it is empty, they are all for which this is
	// possible.
	Values []string
	// Optional keeps the initializers, which then are the defaults of the inputs.
	Optional bool
}

// InitializersToInputs makes initializers inputs of the main graph. It also returns the
// initializers that it removed, so that the caller can save their values. With Optional it removes
// none.
func InitializersToInputs(m *graphops.Model, p *graphops.Place, o InputOptions) (*graphops.Model, *Report, []*graphops.Tensor, error) {
	e := beginConstants(m, p)
	if err := e.holdsInputs(); err != nil {
		return nil, nil, nil, err
	}
	keeps := e.keepsValue
	if o.Optional {
		if ir := m.IRVersion(); ir < graphops.OptionalInputsIR {
			return nil, nil, nil, fmt.Errorf("in IR version %d every initializer is a constant, even if it is listed as an input; optional inputs need version %d", ir, graphops.OptionalInputsIR)
		}
		keeps = e.keepsOptional
	}
	chosen, err := e.chosen(o.Values, e.initializers(), keeps)
	if err != nil {
		return nil, nil, nil, err
	}
	tensors := e.listAsInputs(chosen)
	to := asOptional
	if o.Optional {
		e.warnShapes(tensors, "as defaults, which a caller may replace,")
	} else {
		to = asInput
		e.dropInitializers(e.names(chosen))
		e.warnShapes(tensors, "without their values")
	}
	for _, t := range tensors {
		e.report.changed("constant", t.Name(), asInitializer, to)
	}
	if o.Optional {
		tensors = nil
	}
	next, report := e.finish()
	return next, report, tensors, nil
}

// listAsInputs adds an input for each chosen initializer that is not one already, and returns the
// initializers.
func (e *constants) listAsInputs(chosen []graphops.ValueID) []*graphops.Tensor {
	dense, _ := e.counted()
	var out []*graphops.Tensor
	for _, id := range chosen {
		t := dense[e.index.Name(id)]
		if out = append(out, t); !e.index.IsInput(id) {
			e.next.Inputs = append(e.next.Inputs, e.inputFor(t))
		}
	}
	return out
}

// holdsInputs returns an error unless the place is the main graph. Calls determine the inputs of a
// function, and the enclosing node those of a body.
func (e *constants) holdsInputs() error {
	switch e.place.Kind {
	case graphops.MainGraph:
		return nil
	case graphops.FunctionBody:
		return fmt.Errorf("%q: calls determine the inputs of a function; edit the main graph instead", e.place)
	default:
		return fmt.Errorf("%q: the inputs of a body are determined by node %s, which contains it; edit the main graph instead",
			e.place, nodeLabel(e.place.Parent.Graph, e.place.Node))
	}
}

// keepsValue returns why the value cannot become an input, or "" if it can.
func (e *constants) keepsValue(id graphops.ValueID) string {
	t := e.index.Initializer(id)
	switch {
	case !e.index.IsInitializer(id) && e.index.IsInput(id):
		return "is an input already"
	case !e.index.IsInitializer(id):
		why := e.notInitializer(id)
		if i := e.index.Producer(id); i >= 0 && e.graph.Nodes()[i].IsConstant() {
			why += "; make it one first with to-initializers"
		}
		return why
	case e.twice[e.index.Name(id)]:
		return definedTwice
	case t == nil:
		return "is a sparse initializer, but inputs are dense"
	}
	if _, err := t.Elements(); err != nil || !t.DType().Valid() {
		return "has an invalid type or shape"
	}
	return ""
}

func (e *constants) keepsOptional(id graphops.ValueID) string {
	if e.index.IsInitializer(id) && e.index.IsInput(id) {
		return "is an optional input already"
	}
	return e.keepsValue(id)
}

// shapeLike is the maximum number of elements of an integer vector that may be a shape or a list of
// axes. ONNX Runtime and numpy allow at most 64 axes.
const shapeLike = 64

// warnShapes warns about new inputs that may be shapes, axes or counts. A runtime may need their
// values when it loads the model. A default does not help, because callers can replace it.
func (e *constants) warnShapes(tensors []*graphops.Tensor, why string) {
	var names []string
	for _, t := range tensors {
		n, err := t.Elements()
		if err == nil && t.DType() == tensor.I64 && len(t.Dims()) <= 1 && n <= shapeLike {
			names = append(names, t.Name())
		}
	}
	if len(names) > 0 {
		e.report.warn("some of them seem to be shapes, axes or counts (%s): %s less is known before a run, and a runtime may refuse some operators", graphops.QuoteNames(names), why)
	}
}
