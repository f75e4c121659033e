//go:build cgo

package worker

import (
	"bytes"
	"context"
	"io"

	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// partsOf computes for each tensor of a value the results that want requests other than the
// elements, such as statistics. It returns an error only if ctx ends. Other errors are stored in
// the part's Unable.
func partsOf(ctx context.Context, tensors []placed, want *wire.Want, against *tensor.Tensor) ([]execution.Part, error) {
	if !want.GetProfile() && want.GetFirst() <= 0 && want.GetGrid() == nil && want.GetWindow() == nil && against == nil && !want.GetExtent() && want.GetBins() == nil {
		return nil, nil
	}
	parts := make([]execution.Part, len(tensors))
	for i, t := range tensors {
		parts[i].At = t.at
		r := reduction{ctx: ctx, tensor: t.tensor, part: &parts[i]}
		for _, err := range []error{r.profile(want.GetProfile()), r.first(want.GetFirst()), r.grid(want.GetGrid()), r.window(want.GetWindow()), r.compare(against, want.GetAgainst()), r.calibrate(want.GetExtent(), want.GetBins())} {
			if err != nil && parts[i].Unable == "" {
				parts[i].Unable = err.Error()
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// reduction computes results about one tensor, such as statistics, and stores them in part. It does
// not copy the tensor.
type reduction struct {
	ctx    context.Context
	tensor tensor.Tensor
	part   *execution.Part
}

func (r reduction) profile(wanted bool) error {
	if !wanted {
		return nil
	}
	if r.tensor.DType == tensor.String {
		p := tensor.ProfileStrings(r.tensor.Strings)
		r.part.Strings = &p
		return nil
	}
	reader, err := r.reader(r.tensor)
	if err != nil {
		return err
	}
	p, err := tensor.ProfileReader(reader)
	if err == nil {
		r.part.Profile = &p
	}
	return err
}

func (r reduction) first(n int64) error {
	if n <= 0 {
		return nil
	}
	if err := r.tensor.Check(); err != nil {
		return err
	}
	n = min(n, r.tensor.Len())
	t := tensor.Tensor{DType: r.tensor.DType, Shape: []int64{n}}
	if t.DType == tensor.String {
		t.Strings = r.tensor.Strings[:n]
	} else {
		size, err := t.DType.ByteLen(n)
		if err != nil {
			return err
		}
		t.Data = r.tensor.Data[:size]
	}
	r.part.First = &t
	return nil
}

func (r reduction) grid(want *wire.Grid) error {
	if want == nil {
		return nil
	}
	rows, columns, err := gridSize(want)
	if err != nil {
		return err
	}
	g, err := r.stored().Grid(view(want.GetView()), rows, columns)
	if err == nil {
		r.part.Grid = &g
	}
	return err
}

// gridSize returns the size of a heat map that the client requested, or an error if it is not
// between 1 and tensor.MaxCells.
func gridSize(want *wire.Grid) (rows, columns int, err error) {
	if want.GetRows() < 1 || want.GetColumns() < 1 || want.GetRows() > tensor.MaxCells || want.GetColumns() > tensor.MaxCells {
		return 0, 0, errCells
	}
	return int(want.GetRows()), int(want.GetColumns()), nil
}

func (r reduction) window(want *wire.Window) error {
	if want == nil {
		return nil
	}
	w := tensor.Window{Row: want.GetRow(), Column: want.GetColumn(), Rows: want.GetRows(), Columns: want.GetColumns()}
	t, err := r.tensor.Window(view(want.GetView()), w)
	if err == nil {
		r.part.Window = &t
	}
	return err
}

// compare computes the errors of the tensor compared with another tensor.
func (r reduction) compare(with *tensor.Tensor, how *wire.Against) error {
	if with == nil {
		return nil
	}
	m, err := r.metrics(*with, tensor.Tolerance{RTol: how.GetRtol(), ATol: how.GetAtol()})
	if err == nil {
		r.part.Metrics = &m
	}
	return err
}

func (r reduction) metrics(with tensor.Tensor, tol tensor.Tolerance) (tensor.Metrics, error) {
	text := r.tensor.DType == tensor.String || with.DType == tensor.String
	if text || tensor.FormatShape(with.Shape) != tensor.FormatShape(r.tensor.Shape) {
		return tensor.Compare(with, r.tensor, tol)
	}
	a, err := r.reader(with)
	if err != nil {
		return tensor.Metrics{}, err
	}
	b, err := r.reader(r.tensor)
	if err != nil {
		return tensor.Metrics{}, err
	}
	return tensor.CompareReaders(a, b, r.tensor.Shape, tol)
}

func (r reduction) reader(t tensor.Tensor) (*tensor.Reader, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return tensor.NewReader(&cancellable{r.ctx, bytes.NewReader(t.Data)}, t.DType, t.Len())
}

func (r reduction) stored() tensor.Stored {
	return tensor.Stored{DType: r.tensor.DType, Shape: r.tensor.Shape, Data: &cancellable{r.ctx, bytes.NewReader(r.tensor.Data)}}
}

// cancellable is a reader of a tensor's bytes that returns an error when its context ends.
type cancellable struct {
	ctx context.Context
	*bytes.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

func (c *cancellable) ReadAt(p []byte, offset int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.ReadAt(p, offset)
}

var (
	_ io.Reader   = (*cancellable)(nil)
	_ io.ReaderAt = (*cancellable)(nil)
)

func view(v *wire.View) tensor.View {
	return tensor.View{Down: int(v.GetDown()), Across: int(v.GetAcross()), At: v.GetAt()}
}
