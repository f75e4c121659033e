package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// asMissing says in a report that the elements of a constant are in a separate file of weights.
const asMissing = "a file of weights"

// InitializersOut removes initializers from the main graph and returns them, so that the caller can
// save them in a file of weights. value_info keeps their names and types. The values are undefined
// until such a file is applied (package apply). Without names, it removes all except shapes, axes
// and indices: training does not change these, and files of weights do not contain them.
func InitializersOut(m *graphops.Model, p *graphops.Place, names []string) (*graphops.Model, *Report, []*graphops.Tensor, error) {
	e := beginConstants(m, p)
	if err := e.holdsInputs(); err != nil {
		return nil, nil, nil, err
	}
	keeps := e.keepsWeight
	if len(names) > 0 {
		keeps = e.keepsValue
	}
	chosen, err := e.chosen(names, e.initializers(), keeps)
	if err != nil {
		return nil, nil, nil, err
	}
	dense, _ := e.counted()
	gone := e.names(chosen)
	e.dropInitializers(gone)
	e.dropInputs(gone)
	var out []*graphops.Tensor
	var types []*graphops.ValueInfo
	for _, id := range chosen {
		t := dense[e.index.Name(id)]
		out, types = append(out, t), append(types, e.inputFor(t))
		e.report.changed("constant", t.Name(), asInitializer, asMissing)
	}
	next, report := e.finish() // this also forgets the types of undefined values
	ed := graphops.Edit(next)
	ed.ValueInfo = append(ed.ValueInfo, types...)
	return ed.Model(), report, out, nil
}

// keepsWeight returns why the initializer is not removed without being named, or "" if it is.
func (e *constants) keepsWeight(id graphops.ValueID) string {
	if why := e.keepsValue(id); why != "" {
		return why
	}
	t := e.index.Initializer(id)
	if n, err := t.Elements(); err == nil && n <= fewIndices && (t.DType() == tensor.I64 || t.DType() == tensor.I32 || t.DType() == tensor.Bool) {
		return "is a shape, an axis or an index"
	}
	return ""
}

// fewIndices is the maximum number of elements of an integer tensor that is regarded as a shape,
// axes or indices.
const fewIndices = 64

// InputsOut removes inputs from the main graph. Those that nodes read become values that are
// undefined until a file of weights is applied, as after InitializersOut.
func InputsOut(m *graphops.Model, names []string) (*graphops.Model, error) {
	x := m.Graph().Index()
	gone := map[string]bool{}
	for _, name := range names {
		gone[name] = true
	}
	ed := graphops.Edit(m)
	var kept []*graphops.ValueInfo
	for _, v := range ed.Inputs {
		if !gone[v.Name()] {
			kept = append(kept, v)
			continue
		}
		delete(gone, v.Name())
		if id, ok := x.Value(v.Name()); ok && len(x.Readers(id)) > 0 {
			ed.ValueInfo = append(ed.ValueInfo, v)
		}
	}
	ed.Inputs = kept
	for name := range gone {
		return nil, fmt.Errorf("input %q: the model has no such input", name)
	}
	return ed.Model(), nil
}
