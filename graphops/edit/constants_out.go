package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// asMissing is where a constant is that a file of weights has.
const asMissing = "a file of weights"

// InitializersOut takes weights out of the main graph: their names and types stay, and nothing
// defines them until a file of weights does. Without names it takes all but shapes, axes and
// indices: no training changes those, and no file of weights has them. It gives what was taken
// out.
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
	next, report := e.finish() // which forgets the types of what nothing defines
	ed := graphops.Edit(next)
	ed.ValueInfo = append(ed.ValueInfo, types...)
	return ed.Model(), report, out, nil
}

// keepsWeight tells what keeps an initializer from being left out, "" for nothing.
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

// fewIndices is how many elements of whole numbers are taken for shapes, axes or indices.
const fewIndices = 64

// InputsOut makes of inputs of the main graph values that nothing defines until a file of
// weights does, as InitializersOut does of initializers. What no node reads falls away.
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
		return nil, fmt.Errorf("input %q: there is none", name)
	}
	return ed.Model(), nil
}
