package values

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/tui/cells"
)

// TensorSource is a tensor that can be looked at, whether it is in the model file, in memory or in
// a worker. Two sources are equal if they are the same tensor.
type TensorSource interface {
	DType() tensor.DType
	Dims() []int64
	Elements() (int64, error)
	ByteLen() (int64, error)
	// Where says where the elements are, safe to print.
	Where() string

	Profile(ctx context.Context, progress weights.Progress) (tensor.Profile, error)
	Strings(ctx context.Context) (tensor.StringProfile, error)
	Grid(ctx context.Context, v tensor.View, rows, columns int, progress weights.Progress) (tensor.Grid, error)
	Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error)
}

// Stored is a tensor whose elements are in the model's files or in memory.
type Stored struct{ *graphops.Tensor }

// Where implements TensorSource.
func (s Stored) Where() string { return whereStored(s.Tensor) }

// Profile implements TensorSource.
func (s Stored) Profile(ctx context.Context, progress weights.Progress) (tensor.Profile, error) {
	return weights.Profile(ctx, s.Tensor, progress)
}

// Strings implements TensorSource.
func (s Stored) Strings(context.Context) (tensor.StringProfile, error) {
	return weights.Strings(s.Tensor)
}

// Grid implements TensorSource.
func (s Stored) Grid(ctx context.Context, v tensor.View, rows, columns int, progress weights.Progress) (tensor.Grid, error) {
	return weights.Grid(ctx, s.Tensor, v, rows, columns, progress)
}

// Window implements TensorSource.
func (s Stored) Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error) {
	return weights.Window(ctx, s.Tensor, v, w)
}

// Fed is a tensor that was the value of an input in a run.
type Fed struct {
	Stored
	Run    *Run
	origin string // safe to print
}

// Where implements TensorSource.
func (f Fed) Where() string { return f.origin }

// Held is a tensor that a worker keeps. The worker computes what is asked about it.
type Held struct {
	Lease *lease
	value string // raw name
	nth   int    // index among the tensors of the value
	dtype tensor.DType
	dims  []int64
}

// DType implements TensorSource.
func (h *Held) DType() tensor.DType { return h.dtype }

// Dims implements TensorSource.
func (h *Held) Dims() []int64 { return h.dims }

// Elements implements TensorSource.
func (h *Held) Elements() (int64, error) { return tensor.Elements(h.dims) }

// Where implements TensorSource.
func (h *Held) Where() string { return "computed from " + cells.Prose(h.Lease.Probe.Case) }

// ByteLen implements TensorSource.
func (h *Held) ByteLen() (int64, error) {
	n, err := h.Elements()
	if err != nil {
		return 0, err
	}
	return h.dtype.ByteLen(n)
}

// look asks the worker for something about the tensor, such as a window of elements. If the worker
// cannot do it, look returns an error.
func (h *Held) look(ctx context.Context, want execution.Want) (execution.Part, error) {
	want.Name = h.value
	got, err := h.Lease.look(ctx, want)
	switch {
	case err != nil:
		return execution.Part{}, err
	case h.nth >= len(got.Parts):
		return execution.Part{}, errors.New("the worker sent nothing about this tensor")
	}
	return got.Parts[h.nth], nil
}

// wanted returns the requested part of an answer. If the worker did not send it, wanted returns the
// worker's reason as an error.
func wanted[T any](p *T, part execution.Part, err error) (T, error) {
	switch {
	case err != nil || p != nil:
	case part.Unable != "":
		err = errors.New(part.Unable)
	default:
		err = errors.New("the worker did not send what was requested")
	}
	if err != nil {
		var none T
		return none, err
	}
	return *p, nil
}

// Profile implements TensorSource.
func (h *Held) Profile(ctx context.Context, _ weights.Progress) (tensor.Profile, error) {
	part, err := h.look(ctx, execution.Want{Profile: true})
	return wanted(part.Profile, part, err)
}

// Strings implements TensorSource.
func (h *Held) Strings(ctx context.Context) (tensor.StringProfile, error) {
	part, err := h.look(ctx, execution.Want{Profile: true})
	return wanted(part.Strings, part, err)
}

// Grid implements TensorSource.
func (h *Held) Grid(ctx context.Context, v tensor.View, rows, columns int, _ weights.Progress) (tensor.Grid, error) {
	part, err := h.look(ctx, execution.Want{Grid: &execution.GridWant{View: v, Rows: rows, Columns: columns}})
	return wanted(part.Grid, part, err)
}

// Window implements TensorSource.
func (h *Held) Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error) {
	part, err := h.look(ctx, execution.Want{Window: &execution.WindowWant{View: v, Window: w}})
	return wanted(part.Window, part, err)
}

// Nowhere is a tensor without elements: of a run that has not finished, or of a value that is not
// made of tensors. why says so.
type Nowhere struct{ Why string }

// DType implements TensorSource.
func (Nowhere) DType() tensor.DType { return tensor.Undefined }

// Dims implements TensorSource.
func (Nowhere) Dims() []int64 { return nil }

// Elements implements TensorSource.
func (Nowhere) Elements() (int64, error) { return 0, nil }

// ByteLen implements TensorSource.
func (Nowhere) ByteLen() (int64, error) { return 0, nil }

// Where implements TensorSource.
func (n Nowhere) Where() string { return n.Why }

// Profile implements TensorSource.
func (n Nowhere) Profile(context.Context, weights.Progress) (tensor.Profile, error) {
	return tensor.Profile{}, errors.New(n.Why)
}

// Strings implements TensorSource.
func (n Nowhere) Strings(context.Context) (tensor.StringProfile, error) {
	return tensor.StringProfile{}, errors.New(n.Why)
}

// Grid implements TensorSource.
func (n Nowhere) Grid(context.Context, tensor.View, int, int, weights.Progress) (tensor.Grid, error) {
	return tensor.Grid{}, errors.New(n.Why)
}

// Window implements TensorSource.
func (n Nowhere) Window(context.Context, tensor.View, tensor.Window) (tensor.Tensor, error) {
	return tensor.Tensor{}, errors.New(n.Why)
}
