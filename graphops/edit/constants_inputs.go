package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// InputOptions say which initializers become inputs.
type InputOptions struct {
	// Values are the names; if empty, all that are possible.
	Values []string
	// Optional keeps the initializers as defaults of the inputs.
	Optional bool
}

// InitializersToInputs turns initializers into inputs of the main graph. It also returns the
// removed initializers, whose values are not in the result.
func InitializersToInputs(m *graphops.Model, p *graphops.Place, o InputOptions) (*graphops.Model, *Report, []*graphops.Tensor, error) {
	e := beginConstants(m, p)
	if err := e.holdsInputs(); err != nil {
		return nil, nil, nil, err
	}
	keeps := e.keepsValue
	if o.Optional {
		if ir := m.IRVersion(); ir < graphops.OptionalInputsIR {
			return nil, nil, nil, fmt.Errorf("IR version %d takes every initializer for a constant, listed as an input or not; version %d brought optional inputs", ir, graphops.OptionalInputsIR)
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

// listAsInputs makes sure that initializers are listed as inputs.
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

// holdsInputs refuses places whose inputs cannot be changed independently.
func (e *constants) holdsInputs() error {
	switch e.place.Kind {
	case graphops.MainGraph:
		return nil
	case graphops.FunctionBody:
		return fmt.Errorf("%q: what goes into a function is given by its calls; work on the main graph", e.place)
	default:
		return fmt.Errorf("%q: what goes into a body is given by node %s, which holds it; work on the main graph",
			e.place, nodeLabel(e.place.Parent.Graph, e.place.Node))
	}
}

// keepsValue returns why an initializer cannot become an input, or "".
func (e *constants) keepsValue(id graphops.ValueID) string {
	t := e.index.Initializer(id)
	switch {
	case !e.index.IsInitializer(id) && e.index.IsInput(id):
		return "is an input already"
	case !e.index.IsInitializer(id):
		why := e.notInitializer(id)
		if i := e.index.Producer(id); i >= 0 && isConstant(e.graph.Nodes()[i]) {
			why += "; move it there first with to-initializers"
		}
		return why
	case e.twice[e.index.Name(id)]:
		return definedTwice
	case t == nil:
		return "is stored sparse, and inputs are dense"
	}
	if _, err := t.Elements(); err != nil || !t.DType().Valid() {
		return "has a type or shape that makes no sense"
	}
	return ""
}

func (e *constants) keepsOptional(id graphops.ValueID) string {
	if e.index.IsInitializer(id) && e.index.IsInput(id) {
		return "is an optional input already"
	}
	return e.keepsValue(id)
}

// shapeLike is the maximum number of elements for which a vector of integers looks like a shape or
// a list of axes. Tensors have few dimensions: the limit of onnxruntime and numpy is 64.
const shapeLike = 64

// warnShapes warns about inputs whose value a runtime may need before it runs. A default does not
// help, because callers can replace it.
func (e *constants) warnShapes(tensors []*graphops.Tensor, why string) {
	var names []string
	for _, t := range tensors {
		n, err := t.Elements()
		if err == nil && t.DType() == tensor.I64 && len(t.Dims()) <= 1 && n <= shapeLike {
			names = append(names, t.Name())
		}
	}
	if len(names) > 0 {
		e.report.warn("shapes, axes or counts seem to be among them (%s): %s less is known before a run, and some operators refuse", graphops.QuoteNames(names), why)
	}
}
