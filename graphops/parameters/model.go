package parameters

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// readModel lists the initializers of the model's main graph. If several have the same name, the
// last one applies, as in ONNX Runtime.
func readModel(m *graphops.Model) *Set {
	s := &Set{Path: m.Path(), Kind: Model, model: m}
	at := map[string]int{}
	for _, t := range m.Graph().Initializers() {
		e := Entry{Name: t.Name(), DType: t.DType(), TypeName: t.DType().ONNXName(), Dims: t.Dims(), tensor: t}
		e.Bytes, e.unusable = t.ByteLen()
		if e.unusable == nil && e.DType != tensor.String {
			_, e.unusable = t.Data() // opens the file of external data without reading it
		}
		if i, ok := at[e.Name]; ok {
			s.Entries[i] = e
			s.Warnings = append(s.Warnings, fmt.Sprintf("initializer %q is defined more than once; the last one is taken", brief(e.Name)))
			continue
		}
		at[e.Name] = len(s.Entries)
		s.Entries = append(s.Entries, e)
	}
	if n := len(m.Graph().SparseInitializers()); n > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d sparse initializers are left out", n))
	}
	return s
}
