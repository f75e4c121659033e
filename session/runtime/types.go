package runtime

import (
	"context"
	"slices"

	"lathe/graphops"
)

// Types implements execution.Typer. It asks the runtime for the types, and loads only the nodes that
// compute the values. So an unknown operator elsewhere in the model does not matter. At first it
// replaces large weights by inputs, so that a model that does not fit into memory works too. If
// that fails, for example because an operator requires a constant weight, it loads the weights as
// well.
func (w *Workers) Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	types := map[string]graphops.Type{}
	made, err := producedAmong(m, names, types)
	if err != nil || len(made) == 0 {
		return types, err
	}
	part, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: made})
	if err != nil {
		return nil, err
	}
	var l Loaded
	for _, declare := range []bool{true, false} {
		e := graphops.Edit(part)
		if declare && !declareWeights(e) {
			continue
		}
		if l, err = w.Load(ctx, e.Model(), probing); err == nil {
			break
		}
		if !declare || ctx.Err() != nil {
			return nil, err
		}
	}
	for _, o := range l.Outputs() {
		types[o.Name] = o.Type
	}
	_ = l.Close() // the answer is valid even if the worker ends slowly
	return types, nil
}

// producedAmong returns those of the names whose values a node computes. For the others it stores
// the type that the model declares in types.
func producedAmong(m *graphops.Model, names []string, types map[string]graphops.Type) (made []string, err error) {
	x := m.Graph().Index()
	for _, name := range names {
		id, err := x.Lookup("value", name)
		if err != nil {
			return nil, err
		}
		if x.Producer(id) >= 0 {
			made = append(made, name)
			continue
		}
		types[name] = x.Type(id)
	}
	return made, nil
}

// minDeclared is the size, in bytes, from which on a constant is replaced by an input. Smaller ones
// stay, because they may be shapes, axes or repeats, whose elements shape inference needs.
const minDeclared = 4096

// declareWeights replaces large initializers by inputs, so that their data is not read. It reports
// whether it replaced any.
func declareWeights(e *graphops.Editor) bool {
	isInput := map[string]bool{}
	for _, v := range e.Inputs {
		isInput[v.Name()] = true
	}
	before := len(e.Initializers)
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool {
		if n, err := t.ByteLen(); err != nil || n < minDeclared {
			return false
		}
		if !isInput[t.Name()] {
			isInput[t.Name()] = true
			e.Inputs = append(e.Inputs, graphops.NewValueInfo(t.Name(), graphops.Type{
				Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims()),
			}))
		}
		return true
	})
	return len(e.Initializers) < before
}

// typeOfKind parses a type that is not a tensor, in the form in which a worker writes it:
// "seq(map(i64,f32))". It returns the unknown type if the text is not a type.
func typeOfKind(kind string) graphops.Type {
	t, err := graphops.ParseType(kind)
	if err != nil {
		return graphops.Type{}
	}
	return t
}
