package simplify

import (
	"bufio"
	"errors"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// besides concatenates matrices with the same number of rows along their columns. Lists become one
// list. The result is computed each time it is written.
func besides(name string, parts []*graphops.Tensor) (*graphops.Tensor, error) {
	dims := parts[0].Dims()
	rows := int64(1)
	if len(dims) == 2 {
		rows = dims[0]
	}
	columns, total := int64(0), int64(0)
	var payloads []graphops.Payload
	var widths []int64
	for _, t := range parts {
		d := t.Dims()
		if len(d) != len(dims) || len(d) < 1 || len(d) > 2 || len(d) == 2 && d[0] != rows || t.DType() != parts[0].DType() || t.DType().Bits()%8 != 0 {
			return nil, errors.New("the tensors do not have the same rows")
		}
		p, err := t.Data()
		if err != nil {
			return nil, err
		}
		width, err := t.DType().ByteLen(d[len(d)-1])
		if err != nil {
			return nil, err
		}
		if p.Len() != rows*width {
			return nil, errors.New("a tensor does not have the number of elements that its shape says")
		}
		columns, total = columns+d[len(d)-1], total+p.Len()
		payloads, widths = append(payloads, p), append(widths, width)
	}
	out := []int64{columns}
	if len(dims) == 2 {
		out = []int64{rows, columns}
	}
	return graphops.NewTensor(name, parts[0].DType(), out, graphops.TransformPayload(total, func(w io.Writer) error {
		return writeBesides(w, payloads, widths, rows)
	})), nil
}

// writeBesides writes one row of each payload in turn.
func writeBesides(w io.Writer, payloads []graphops.Payload, widths []int64, rows int64) error {
	readers := make([]*bufio.Reader, len(payloads))
	for i, p := range payloads {
		readers[i] = bufio.NewReaderSize(p.Reader(), 1<<16)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for range rows {
		for i, r := range readers {
			if _, err := io.CopyN(out, r, widths[i]); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, p := range payloads {
		if err := p.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// zerosTensor returns a list of n zeros of f32.
func zerosTensor(n int64) *graphops.Tensor {
	return graphops.NewTensor("zeros", tensor.F32, []int64{n}, graphops.TransformPayload(4*n, func(w io.Writer) error {
		_, err := io.CopyN(w, zeros{}, 4*n)
		return err
	}))
}

// zeros is an infinite stream of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
