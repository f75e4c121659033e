package tui

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/tui/cells"
)

// tensorSource is a tensor that can be looked at, whether it is in the model file, in memory or in
// a worker. Two sources are equal if they are the same tensor.
type tensorSource interface {
	DType() tensor.DType
	Dims() []int64
	Elements() (int64, error)
	ByteLen() (int64, error)
	// where says where the elements are, safe to print.
	Where() string

	Profile(ctx context.Context, progress weights.Progress) (tensor.Profile, error)
	Strings(ctx context.Context) (tensor.StringProfile, error)
	grid(ctx context.Context, v tensor.View, rows, columns int, progress weights.Progress) (tensor.Grid, error)
	Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error)
}

// stored is a tensor whose elements are in the model's files or in memory.
type stored struct{ *graphops.Tensor }

func (s stored) Where() string { return whereStored(s.Tensor) }

func (s stored) Profile(ctx context.Context, progress weights.Progress) (tensor.Profile, error) {
	return weights.Profile(ctx, s.Tensor, progress)
}

func (s stored) Strings(context.Context) (tensor.StringProfile, error) {
	return weights.Strings(s.Tensor)
}

func (s stored) grid(ctx context.Context, v tensor.View, rows, columns int, progress weights.Progress) (tensor.Grid, error) {
	return weights.Grid(ctx, s.Tensor, v, rows, columns, progress)
}

func (s stored) Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error) {
	return weights.Window(ctx, s.Tensor, v, w)
}

// fed is a tensor that was the value of an input in a run.
type fed struct {
	stored
	run    *valueRun
	origin string // safe to print
}

func (f fed) Where() string { return f.origin }

// held is a tensor that a worker keeps. The worker computes what is asked about it.
type held struct {
	lease *lease
	value string // raw name
	nth   int    // index among the tensors of the value
	dtype tensor.DType
	dims  []int64
}

func (h *held) DType() tensor.DType      { return h.dtype }
func (h *held) Dims() []int64            { return h.dims }
func (h *held) Elements() (int64, error) { return tensor.Elements(h.dims) }
func (h *held) Where() string            { return "computed from " + cells.Prose(h.lease.probe.Case) }

func (h *held) ByteLen() (int64, error) {
	n, err := h.Elements()
	if err != nil {
		return 0, err
	}
	return h.dtype.ByteLen(n)
}

// look asks the worker for something about the tensor, such as a window of elements. If the worker
// cannot do it, look returns an error.
func (h *held) look(ctx context.Context, want graphops.Want) (graphops.Part, error) {
	want.Name = h.value
	got, err := h.lease.look(ctx, want)
	switch {
	case err != nil:
		return graphops.Part{}, err
	case h.nth >= len(got.Parts):
		return graphops.Part{}, errors.New("the worker sent nothing about this tensor")
	}
	return got.Parts[h.nth], nil
}

// wanted returns the requested part of an answer. If the worker did not send it, wanted returns the
// worker's reason as an error.
func wanted[T any](p *T, part graphops.Part, err error) (T, error) {
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

func (h *held) Profile(ctx context.Context, _ weights.Progress) (tensor.Profile, error) {
	part, err := h.look(ctx, graphops.Want{Profile: true})
	return wanted(part.Profile, part, err)
}

func (h *held) Strings(ctx context.Context) (tensor.StringProfile, error) {
	part, err := h.look(ctx, graphops.Want{Profile: true})
	return wanted(part.Strings, part, err)
}

func (h *held) grid(ctx context.Context, v tensor.View, rows, columns int, _ weights.Progress) (tensor.Grid, error) {
	part, err := h.look(ctx, graphops.Want{Grid: &graphops.GridWant{View: v, Rows: rows, Columns: columns}})
	return wanted(part.Grid, part, err)
}

func (h *held) Window(ctx context.Context, v tensor.View, w tensor.Window) (tensor.Tensor, error) {
	part, err := h.look(ctx, graphops.Want{Window: &graphops.WindowWant{View: v, Window: w}})
	return wanted(part.Window, part, err)
}

// nowhere is a tensor without elements: of a run that has not finished, or of a value that is not
// made of tensors. why says so.
type nowhere struct{ why string }

func (nowhere) DType() tensor.DType      { return tensor.Undefined }
func (nowhere) Dims() []int64            { return nil }
func (nowhere) Elements() (int64, error) { return 0, nil }
func (nowhere) ByteLen() (int64, error)  { return 0, nil }
func (n nowhere) Where() string          { return n.why }

func (n nowhere) Profile(context.Context, weights.Progress) (tensor.Profile, error) {
	return tensor.Profile{}, errors.New(n.why)
}

func (n nowhere) Strings(context.Context) (tensor.StringProfile, error) {
	return tensor.StringProfile{}, errors.New(n.why)
}

func (n nowhere) grid(context.Context, tensor.View, int, int, weights.Progress) (tensor.Grid, error) {
	return tensor.Grid{}, errors.New(n.why)
}

func (n nowhere) Window(context.Context, tensor.View, tensor.Window) (tensor.Tensor, error) {
	return tensor.Tensor{}, errors.New(n.why)
}
