package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// asMissing says that a constant is in a file of weights.
const asMissing = "a file of weights"

// InitializersOut removes weights from the main graph. Their names and types remain, and they are
// undefined until a file of weights is applied. Without names it removes all but shapes, axes and
// indices, which training does not change and files of weights do not contain. It also returns what
// was removed.
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

// keepsWeight returns why an initializer cannot be left out, or "".
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

// fewIndices is the number of integer elements up to which a tensor is regarded as shape, axes or
// indices.
const fewIndices = 64

// InputsOut turns inputs of the main graph into values that are undefined until a file of weights
// is applied, like InitializersOut for initializers. Inputs that no node reads are removed.
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
