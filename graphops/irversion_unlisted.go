package graphops

import "slices"

// WithoutUnlisted returns the model without unused initializers that are not listed as inputs. ONNX
// Runtime does not load a model with such initializers if its version of the file format is below
// OptionalInputsIR. A model of a later version is returned unchanged. dropped has the names of the
// removed initializers by place.
func (m *Model) WithoutUnlisted() (rest *Model, dropped map[*Place][]string) {
	if m.IRVersion() >= OptionalInputsIR {
		return m, nil
	}
	dropped = map[*Place][]string{}
	rest = m.EditPlaces(func(p *Place, e *GraphEditor) bool {
		if len(e.Initializers)+len(e.Sparse) == 0 {
			return false
		}
		names := e.dropUnlisted()
		if len(names) == 0 {
			return false
		}
		dropped[p] = names
		e.DropUndefined()
		return true
	})
	return rest, dropped
}

// dropUnlisted removes the initializers that no node reads and that are neither inputs nor outputs.
// It returns their names.
func (e *GraphEditor) dropUnlisted() (names []string) {
	stays := map[string]bool{}
	for _, n := range e.Nodes {
		for _, list := range [][]string{n.inputs, n.Captured()} {
			for _, name := range list {
				stays[name] = true
			}
		}
	}
	for _, list := range [][]*ValueInfo{e.Inputs, e.Outputs} {
		for _, v := range list {
			stays[v.name] = true
		}
	}
	unlisted := func(name string) bool {
		if !stays[name] {
			names = append(names, name)
		}
		return !stays[name]
	}
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *Tensor) bool { return unlisted(t.name) })
	e.Sparse = slices.DeleteFunc(e.Sparse, func(s *SparseTensor) bool { return unlisted(s.Name()) })
	return names
}
