package npz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"lathe/graphops/tensor"
)

// readArray reads one .npy file of the given size. It checks the header against the size before it
// allocates memory.
func readArray(r io.Reader, size int64, b *budget) (tensor.Tensor, error) {
	h, used, err := readHeader(r)
	if err != nil {
		return tensor.Tensor{}, err
	}
	k, err := parseDescr(h.descr)
	if err != nil {
		return tensor.Tensor{}, err
	}
	n, err := tensor.Elements(h.shape)
	if err != nil {
		return tensor.Tensor{}, err
	}
	hi, want := bits.Mul64(uint64(n), uint64(k.size))
	if hi != 0 || size < used || want != uint64(size-used) {
		return tensor.Tensor{}, fmt.Errorf("%s of type %q needs %d bytes, got %d", tensor.FormatShape(h.shape), h.descr, want, max(0, size-used))
	}
	if err := b.take(memory(k, n)); err != nil {
		return tensor.Tensor{}, err
	}
	data := make([]byte, want)
	if _, err := io.ReadFull(r, data); err != nil {
		return tensor.Tensor{}, fmt.Errorf("the elements are cut off: %w", err)
	}
	if err := readEnd(r); err != nil {
		return tensor.Tensor{}, err
	}
	return k.tensor(h, n, data)
}

// memory returns the number of bytes of memory that reading n elements takes, at most 2^63-1. Each
// string has a header, and its text is in memory twice while it is converted.
func memory(k kind, n int64) int64 {
	each := uint64(k.size)
	if k.text != 0 {
		each = 2*each + 16
	}
	hi, lo := bits.Mul64(uint64(n), each)
	if hi != 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}

// readEnd returns an error unless r is at its end. In an archive, reading to the end also verifies
// the checksum.
func readEnd(r io.Reader) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	switch {
	case n > 0:
		return errors.New("bytes after the last element")
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// tensor returns a tensor of n numbers or strings from the bytes in data.
func (k kind) tensor(h header, n int64, data []byte) (tensor.Tensor, error) {
	if h.fortran && len(h.shape) > 1 {
		data = toRowMajor(data, h.shape, k.size)
	}
	if k.bigEndian {
		swap(data, k.part)
	}
	t := tensor.Tensor{DType: k.dtype, Shape: h.shape}
	if k.text == 0 {
		t.Data = data
		return t, t.Check()
	}
	t.Strings = make([]string, n)
	for i := range t.Strings {
		s, err := k.decodeText(data[i*k.size:][:k.size])
		if err != nil {
			return tensor.Tensor{}, fmt.Errorf("element %d: %w", i, err)
		}
		t.Strings[i] = s
	}
	return t, t.Check()
}

// decodeText reads one string of fixed width, little endian. It is padded with zeros at the end.
func (k kind) decodeText(raw []byte) (string, error) {
	if k.text == 'S' {
		return strings.TrimRight(string(raw), "\x00"), nil
	}
	var s []byte
	for i := 0; i < len(raw); i += 4 {
		r := binary.LittleEndian.Uint32(raw[i:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", fmt.Errorf("%#x is not a Unicode character", r)
		}
		s = utf8.AppendRune(s, rune(r))
	}
	return strings.TrimRight(string(s), "\x00"), nil
}

// swap reverses the bytes of each number, which has size bytes.
func swap(data []byte, size int) {
	for i := 0; i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// toRowMajor reorders elements that are stored in Fortran order, with the first axis varying
// fastest.
func toRowMajor(data []byte, shape []int64, size int) []byte {
	out := make([]byte, 0, len(data))
	stride := make([]int, len(shape)) // in bytes of data
	step := size
	for axis, d := range shape {
		stride[axis] = step
		step *= int(d)
	}
	index := make([]int64, len(shape))
	at := 0
	for len(out) < len(data) {
		out = append(out, data[at:at+size]...)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis]++
			at += stride[axis]
			if index[axis] < shape[axis] {
				break
			}
			at -= stride[axis] * int(shape[axis])
			index[axis] = 0
		}
	}
	return out
}

// WriteArray writes one .npy file, little endian and in row-major order. Strings are written as
// fixed-width Unicode. They must be UTF-8 and not end with a zero byte. Types that numpy does not
// have are errors.
func WriteArray(w io.Writer, t tensor.Tensor) error {
	if err := t.Check(); err != nil {
		return err
	}
	descr, data, err := encode(t)
	if err != nil {
		return err
	}
	if err := writeHeader(w, descr, t.Shape); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// writeHeader writes the part of the file before the elements.
func writeHeader(w io.Writer, descr string, shape []int64) error {
	var dims strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&dims, "%d, ", d)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, strings.TrimSuffix(dims.String(), " "))
	if len(shape) > maxRank || len(text) > maxHeader {
		return fmt.Errorf("%d dimensions; numpy has at most %d", len(shape), maxRank)
	}
	// As in numpy, spaces are added so that the elements start at a multiple of 64.
	start := len(magic) + 4
	pad := 63 - (start+len(text))%64
	text += strings.Repeat(" ", pad) + "\n"

	var head bytes.Buffer
	head.WriteString(magic + "\x01\x00")
	head.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))
	head.WriteString(text)
	_, err := w.Write(head.Bytes())
	return err
}

// encode returns numpy's name of the tensor's type, and the elements in numpy's format.
func encode(t tensor.Tensor) (descr string, data []byte, err error) {
	if t.DType == tensor.String {
		return encodeText(t.Strings)
	}
	if descr, ok := describe(t.DType); ok {
		return descr, t.Data, nil
	}
	return "", nil, fmt.Errorf("numpy has no type for %s; cast it to one that it has", t.DType)
}

// describe returns numpy's name of a numeric type or bool. ok is false if numpy does not have the
// type.
func describe(d tensor.DType) (descr string, ok bool) {
	for code, x := range codes {
		switch {
		case x != d:
		case d.Bits() == 8:
			return "|" + code, true
		default:
			return "<" + code, true
		}
	}
	return "", false
}

func encodeText(texts []string) (descr string, data []byte, err error) {
	width := 1
	for i, s := range texts {
		if !utf8.ValidString(s) || strings.HasSuffix(s, "\x00") {
			return "", nil, fmt.Errorf("element %d: %q is not text that numpy can hold", i, s)
		}
		width = max(width, utf8.RuneCountInString(s))
	}
	// All strings get the width of the longest. One long string could therefore need far more
	// memory than all strings have now.
	if int64(len(texts)) > DefaultMaxBytes/4/int64(width) {
		return "", nil, fmt.Errorf("%d texts of up to %d characters take more than %d bytes in numpy's form", len(texts), width, DefaultMaxBytes)
	}
	for _, s := range texts {
		end := len(data) + 4*width
		for _, r := range s {
			data = binary.LittleEndian.AppendUint32(data, uint32(r))
		}
		data = append(data, make([]byte, end-len(data))...)
	}
	return fmt.Sprintf("<U%d", width), data, nil
}
