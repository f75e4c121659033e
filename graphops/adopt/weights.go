package adopt

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// stored finds, for constants of the result, the equal constants of the original.
type stored struct {
	ctx     context.Context
	report  *Report
	byName  map[string][]*graphops.Tensor
	byRange map[fileRange][]*graphops.Tensor
}

// fileRange is the offset and length in bytes of a tensor in some file. Whether two tensors are in
// the same file is compared separately, because the file may have been opened under another name.
type fileRange struct{ offset, length int64 }

func newStored(ctx context.Context, original *graphops.Model, r *Report) *stored {
	w := &stored{ctx: ctx, report: r, byName: map[string][]*graphops.Tensor{}, byRange: map[fileRange][]*graphops.Tensor{}}
	for t := range original.StoredTensors() {
		if name := storedName(t); name != "" {
			w.byName[name] = append(w.byName[name], t.Tensor)
		}
		if data, err := t.Data(); err == nil {
			if _, offset, ok := data.Location(); ok {
				at := fileRange{offset, data.Len()}
				w.byRange[at] = append(w.byRange[at], t.Tensor)
			}
		}
	}
	return w
}

// storedName returns the name of the value that the tensor defines: the initializer, or the output
// of the Constant node. It returns "" for any other tensor.
func storedName(t graphops.StoredTensor) string {
	if t.Node < 0 {
		return t.Constant
	}
	if n := t.Place.Graph.Nodes()[t.Node]; n.Is("Constant") && len(n.Outputs()) == 1 {
		return n.Output(0)
	}
	return ""
}

// restore replaces initializers of made by tensors of the original with the same content.
func (w *stored) restore(made *graphops.Model) (*graphops.Model, error) {
	var first error
	m := made.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
		e.Initializers = slices.Clone(e.Initializers)
		for i, t := range e.Initializers {
			if first != nil {
				break
			}
			e.Initializers[i], first = w.settle(t)
		}
		return len(e.Initializers) > 0
	})
	return m, first
}

// settle returns the tensor of the original that equals t. If there is none, it returns t without
// its reference to an external file, because whoever saves the model decides where the elements are
// stored.
func (w *stored) settle(t *graphops.Tensor) (*graphops.Tensor, error) {
	if t.DType() == tensor.String {
		return t, nil
	}
	data, err := t.Data()
	if err != nil {
		return nil, fmt.Errorf("the optimized graph: %w", err)
	}
	was, err := w.find(t, data)
	if err != nil {
		return nil, err
	}
	if was != nil {
		w.report.KeptWeights++
		if was.Name() != t.Name() {
			was = was.WithName(t.Name())
		}
		return was, nil
	}
	w.report.FreshWeights++
	w.report.FreshBytes += data.Len()
	if t.IsExternal() {
		t = graphops.NewTensor(t.Name(), t.DType(), t.Dims(), data)
	}
	w.report.Fresh[t] = true
	return t, nil
}

// find returns the tensor of the original that equals t, or nil. It first looks for one with the
// same range of the same file, which needs no reading, and then for one with the same name and
// bytes.
func (w *stored) find(t *graphops.Tensor, data graphops.Payload) (*graphops.Tensor, error) {
	if _, offset, ok := data.Location(); ok {
		for _, was := range w.byRange[fileRange{offset, data.Len()}] {
			if held, err := was.Data(); err == nil && alike(t, was) && held.SameRange(data) {
				return was, nil
			}
		}
	}
	for _, was := range w.byName[t.Name()] {
		if _, err := was.Data(); err != nil {
			continue
		}
		if same, err := weights.Same(w.ctx, was, t); same || err != nil {
			return was, err
		}
	}
	return nil, nil
}

func alike(a, b *graphops.Tensor) bool {
	return a.DType() == b.DType() && slices.Equal(a.Dims(), b.Dims())
}
