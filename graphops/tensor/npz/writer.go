package npz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// Write writes an .npz archive with the given arrays, as Writer does.
func Write(w io.Writer, entries []Entry) error {
	archive := NewWriter(w)
	for _, e := range entries {
		if err := archive.Tensor(e.Name, e.Tensor); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Writer writes an .npz archive array by array, uncompressed like numpy.savez. Two arrays with the
// same name are an error.
type Writer struct {
	archive *zip.Writer
	names   map[string]bool
}

// NewWriter starts an archive.
func NewWriter(w io.Writer) *Writer {
	return &Writer{archive: zip.NewWriter(w), names: map[string]bool{}}
}

// Close ends the archive. It does not close the underlying writer.
func (w *Writer) Close() error { return w.archive.Close() }

// Tensor writes one array. A type that numpy does not have is an error.
func (w *Writer) Tensor(name string, t tensor.Tensor) error {
	return w.array(name, func(out io.Writer) error { return WriteArray(out, t) })
}

// Elements writes one array of numbers or bools. The elements come from r in the form of
// tensor.Tensor.Data, so that they need not be in memory. They are written as the type that HeldAs
// returns.
func (w *Writer) Elements(name string, d tensor.DType, shape []int64, r io.Reader) error {
	return w.array(name, func(out io.Writer) error {
		held, ok := HeldAs(d)
		descr, known := describe(held)
		if !ok || !known {
			return fmt.Errorf("elements of type %s cannot be written one by one", d)
		}
		n, err := tensor.Elements(shape)
		if err != nil {
			return err
		}
		if err := writeHeader(out, descr, shape); err != nil {
			return err
		}
		if held == d {
			return copyElements(out, r, d, n)
		}
		return widen(out, r, d, held, n)
	})
}

func (w *Writer) array(name string, write func(io.Writer) error) error {
	if w.names[name] {
		return fmt.Errorf("array %q occurs twice", name)
	}
	w.names[name] = true
	out, err := w.archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	if err := write(out); err != nil {
		return fmt.Errorf("array %q: %w", name, err)
	}
	return nil
}

// copyElements copies n elements. It returns an error if r has fewer or more.
func copyElements(out io.Writer, r io.Reader, d tensor.DType, n int64) error {
	want, err := d.ByteLen(n)
	if err != nil {
		return err
	}
	got, err := io.Copy(out, r)
	if err == nil && got != want {
		err = fmt.Errorf("%d elements of type %s take %d bytes, got %d", n, d, want, got)
	}
	return err
}

// HeldAs returns the type as which elements of type d are stored in numpy's formats: d itself if
// numpy has it, otherwise a wider type. ok is false for an invalid type.
func HeldAs(d tensor.DType) (held tensor.DType, ok bool) {
	if _, known := describe(d); known || d == tensor.String {
		return d, true
	}
	switch d.Kind() {
	case tensor.KindFloat: // at most 16 bits, and within the exponent range of f32
		return tensor.F32, true
	case tensor.KindSigned:
		return tensor.I8, true
	case tensor.KindUnsigned:
		return tensor.U8, true
	default:
		return tensor.Undefined, false
	}
}

// widen decodes n elements and writes them as a wider type.
func widen(out io.Writer, r io.Reader, d, held tensor.DType, n int64) error {
	in, err := tensor.NewReader(r, d, n)
	if err != nil {
		return err
	}
	var buf []byte
	for {
		values, err := in.Float64s()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		size := len(values) * held.Bits() / 8
		if len(buf) < size {
			buf = make([]byte, size)
		}
		if err := tensor.EncodeFloat64(buf, held, values); err != nil {
			return err
		}
		if _, err := out.Write(buf[:size]); err != nil {
			return err
		}
	}
}
