package nbits

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/blockwise"
)

// form is how nodes read a weight.
type form uint8

const (
	matrixForm form = iota // the second factor of a MatMul
	tableForm              // the table of a Gather
)

// reading is a constant, and how nodes read it.
type reading struct {
	stored
	form form
}

// packed is a weight that is quantized.
type packed struct {
	*constant
	o     Options
	form  form
	nodes int    // how many read it
	first string // the name of the first of them
	// the names of its parts; zeros is "" without zero points
	codes, scales, zeros string
	// value is the name of the dequantized matrix, in the format Standard.
	value string
	// factors are the values that it is multiplied with.
	factors  []string
	measured *blockwise.Measured
	done     *blockwise.Compensated // by GPTQ
	kept     bool                   // measured has the scales and zero points
	counted  bool                   // in the report
}

// weightOf returns the quantized form of a constant, the same for all nodes that read it so.
func (p *plan) weightOf(c *constant, f form) *packed {
	key := reading{c.key(), f}
	if w := p.known[key]; w != nil {
		return w
	}
	w := &packed{constant: c, o: p.o, form: f}
	p.known[key] = w
	p.weights = append(p.weights, w)
	return w
}

// isTurned reports whether the codes are stored transposed, as the reference does for a symmetric matrix
// with one scale for each column.
func (w *packed) isTurned() bool { return w.o.PerChannel && w.o.Symmetric }

// matrix returns the numbers of rows and columns.
func (w *packed) matrix() (rows, cols int64) {
	dims := w.tensor.Dims()
	return dims[len(dims)-2], dims[len(dims)-1]
}

// block returns the number of elements of a block.
func (w *packed) block() int64 {
	if w.o.PerChannel {
		rows, _ := w.matrix()
		return rows
	}
	return w.o.BlockSize
}

// blocks returns the number of blocks of a column.
func (w *packed) blocks() int64 {
	rows, _ := w.matrix()
	return (rows + w.block() - 1) / w.block()
}

// axis returns the axis of a table along which it is divided into blocks.
func (w *packed) axis() int {
	rank := len(w.tensor.Dims())
	return (w.o.TableAxis + rank) % rank
}

// isBytes reports whether the codes are packed into bytes. Otherwise they have a type of 4 or 8 bits.
func (w *packed) isBytes() bool {
	return w.o.Format == Operators && (w.form == matrixForm || w.o.Bits != 4)
}

// dtype returns the type of the codes.
func (w *packed) dtype() tensor.DType {
	switch {
	case w.isBytes():
		return tensor.U8
	case w.o.Bits == 8 && w.o.Symmetric:
		return tensor.I8
	case w.o.Bits == 8:
		return tensor.U8
	case w.o.Symmetric:
		return tensor.I4
	}
	return tensor.U4
}

// over returns the weight for reading it from data.
func (w *packed) over(data io.ReaderAt) blockwise.Weight {
	rule := blockwise.Rule{Elem: w.tensor.DType(), Bits: w.o.Bits, Size: w.block(), Symmetric: w.o.Symmetric}
	if w.form == tableForm {
		s := blockwise.Strips{Rule: rule, Outer: 1, Inner: 1, Table: true, Signed: w.o.Symmetric && !w.isBytes(), RowBytes: w.isBytes(), Data: data}
		for i, d := range w.tensor.Dims() {
			switch at := w.axis(); {
			case i < at:
				s.Outer *= d
			case i == at:
				s.Length = d
			default:
				s.Inner *= d
			}
		}
		return s
	}
	rows, cols := w.matrix()
	if w.o.Format == Operators {
		m := blockwise.Matrix{Rule: rule, Rows: rows, Cols: cols, Method: blockwiseMethods[w.o.Method], Data: data}
		if w.measured != nil {
			m.Fits, m.Iterations = w.measured.Fits, w.measured.Iterations
		}
		return m
	}
	return blockwise.Strips{Rule: rule, Outer: 1, Length: rows, Inner: cols, Signed: w.o.Symmetric, Turned: w.isTurned(), Data: data}
}

// blockwiseMethods are the methods that look at one block at a time.
var blockwiseMethods = map[Method]blockwise.Method{KQuant: blockwise.KQuant, HQQ: blockwise.HQQ}

// open returns the weight for reading it.
func (w *packed) open() (blockwise.Weight, error) {
	data, err := w.tensor.Data()
	if err != nil {
		return nil, fmt.Errorf("weight %q: %w", w.name, err)
	}
	at, err := readerAt(data)
	if err != nil {
		return nil, fmt.Errorf("weight %q: %w", w.name, err)
	}
	return w.over(at), nil
}

// before returns the number of bytes of the weight.
func (w *packed) before() int64 {
	n, err := w.tensor.ByteLen()
	if err != nil {
		return 0 // planning found the size to be known
	}
	return n
}

// after returns the number of bytes that it becomes.
func (w *packed) after() int64 {
	b := w.over(nil)
	return b.Len(blockwise.Codes) + b.Len(blockwise.Scales) + b.Len(blockwise.ZeroPoints)
}

// part returns one of the tensors that the weight becomes. Its elements are computed when they are read,
// unless they are known already.
func (w *packed) part(name string, d tensor.DType, dims []int64, part blockwise.Part) *graphops.Tensor {
	if w.done != nil && part == blockwise.Codes {
		return graphops.NewTensor(name, d, dims, graphops.BytesPayload(w.done.Codes))
	}
	if (w.kept || w.done != nil) && part != blockwise.Codes {
		b := w.measured.Scales
		if part == blockwise.ZeroPoints {
			b = w.measured.ZeroPoints
		}
		return graphops.NewTensor(name, d, dims, graphops.BytesPayload(b))
	}
	return graphops.NewTensor(name, d, dims, graphops.TransformPayload(w.over(nil).Len(part), func(dst io.Writer) error {
		b, err := w.open()
		if err != nil {
			return err
		}
		return b.Write(context.Background(), dst, part)
	}))
}

// Measure returns how well the numbers of the weight are preserved. For GPTQ, whose result depends on
// data, it is how well round to nearest would preserve them.
func (w *packed) Measure(ctx context.Context, progress func(read int64)) (quant.Fidelity, error) {
	b, err := w.open()
	if err != nil {
		return quant.Fidelity{}, err
	}
	m, err := b.Measure(ctx, false, progress)
	return quant.Fidelity{CodeError: m.Error, Low: m.Low, High: m.High}, err
}

// Type returns the type of the codes before they are packed into bytes.
func (w *packed) Type() tensor.DType {
	switch {
	case w.o.Bits == 2:
		return tensor.U2
	case w.o.Bits == 8:
		return tensor.U8
	case w.isBytes():
		return tensor.U4
	}
	return w.dtype()
}
