package apply

import (
	"fmt"
	"io"

	"lathe/graphops"
)

// tensor returns the tensor for the model: transposed if necessary, and with the name of the value.
func (fit *Fit) tensor() (*graphops.Tensor, error) {
	t, err := fit.entry.Tensor()
	if err != nil {
		return nil, err
	}
	if fit.Transposed {
		if t, err = transposed(t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", fit.Tensor, err)
		}
	}
	return t.WithName(fit.Value), nil
}

// maxBand is the maximum number of bytes of a transposed tensor that are held in memory at once.
// The original is read once for each section of that size.
const maxBand = 32 << 20

// transposed returns a matrix with its axes exchanged. The elements are not held in memory: they
// are rearranged each time the result is read.
func transposed(t *graphops.Tensor) (*graphops.Tensor, error) {
	width, err := t.DType().ByteLen(1)
	if whole, e := t.DType().ByteLen(2); err != nil || e != nil || whole != 2*width {
		return nil, fmt.Errorf("elements of %s are not whole bytes, so the tensor cannot be transposed", t.DType())
	}
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	rows, columns := t.Dims()[0], t.Dims()[1]
	if columns*width > maxBand && rows > 1 {
		return nil, fmt.Errorf("rows of %d elements are too long to be transposed", columns)
	}
	if rows == 1 || columns == 1 { // the order of elements does not change
		return graphops.NewTensor(t.Name(), t.DType(), []int64{columns, rows}, data), nil
	}
	made := graphops.TransformPayload(data.Len(), func(w io.Writer) error {
		return writeTransposed(w, data, rows, columns, width, maxBand)
	})
	return graphops.NewTensor(t.Name(), t.DType(), []int64{columns, rows}, made), nil
}

// writeTransposed writes the columns of a matrix one after the other. Each pass over the matrix
// collects as many columns as fit into band bytes, but at least one.
func writeTransposed(w io.Writer, data graphops.Payload, rows, columns, width, band int64) error {
	if rows == 0 || columns == 0 {
		return nil
	}
	row := make([]byte, columns*width)
	for from := int64(0); from < columns; {
		n := min(max(band/(rows*width), 1), columns-from)
		out := make([]byte, n*rows*width)
		r := data.Reader()
		for y := range rows {
			if _, err := io.ReadFull(r, row); err != nil {
				return err
			}
			for x := range n {
				copy(out[(x*rows+y)*width:], row[(from+x)*width:(from+x+1)*width])
			}
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		from += n
	}
	return nil
}
