package npz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"lathe/graphops/tensor"
)

// File is an .npz archive, an .npy file or a folder of .npy files, of which a few rows are read at
// a time. It must not be used concurrently.
type File struct {
	Arrays []*Array
	open   []io.Closer
}

// Array is one array of a File.
type Array struct {
	Name  string // as in Entry
	DType tensor.DType
	Shape []int64

	header header
	kind   kind
	start  int64 // of the elements
	size   int64 // of the whole file
	source func() (io.ReadCloser, error)

	at   io.ReadCloser // reads from row on
	row  int64
	held *tensor.Tensor // for arrays that are not stored by rows
}

// OpenRows opens the arrays at a path, as Open does, without reading their elements. It does not
// check that all elements exist; that is checked when the last row is read.
func OpenRows(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	paths := []string{path}
	if info.IsDir() {
		if paths, err = filepath.Glob(filepath.Join(escaped(path), "*.npy")); err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("%s: no .npy file in this folder", path)
		}
	}
	f := &File{}
	for _, p := range paths {
		if err := f.add(p); err != nil {
			return nil, errors.Join(wrap(p, err), f.Close())
		}
	}
	return f, nil
}

// escaped returns a folder's name with the special characters of filepath.Glob escaped.
func escaped(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// Close closes the file.
func (f *File) Close() error {
	var err error
	for _, a := range f.Arrays {
		a.rewind()
	}
	for _, c := range f.open {
		err = errors.Join(err, c.Close())
	}
	return err
}

// add opens one file. Its first bytes determine whether it is an archive.
func (f *File) add(path string) error {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	f.open = append(f.open, file)
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	}
	var magic [2]byte
	if _, err := file.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(magic[:]) == "PK" {
		return f.addArchive(file, info.Size())
	}
	return f.addArray(&Array{Name: strings.TrimSuffix(filepath.Base(path), ".npy"), size: info.Size(), source: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(file, 0, info.Size())), nil
	}})
}

func (f *File) addArchive(file io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(file, size)
	if errors.Is(err, zip.ErrFormat) {
		return fmt.Errorf("%w: it is cut off, damaged or not an archive; save it again", err)
	}
	if err != nil {
		return err
	}
	for _, z := range archive.File {
		name, ok := strings.CutSuffix(z.Name, ".npy")
		switch {
		case !ok:
			return fmt.Errorf("entry %q is not an array; an .npz file contains only .npy files", z.Name)
		case slices.ContainsFunc(f.Arrays, func(a *Array) bool { return a.Name == name }):
			return fmt.Errorf("array %q occurs twice", name)
		}
		if err := checkEntry(z, size); err != nil {
			return fmt.Errorf("array %q: %w", name, err)
		}
		if err := f.addArray(&Array{Name: name, size: int64(z.UncompressedSize64), source: z.Open}); err != nil {
			return fmt.Errorf("array %q: %w", name, err)
		}
	}
	return nil
}

// addArray reads the header of an array and adds the array.
func (f *File) addArray(a *Array) error {
	r, err := a.source()
	if err != nil {
		return err
	}
	defer r.Close()
	if a.header, a.start, err = readHeader(r); err != nil {
		return err
	}
	if a.kind, err = parseDescr(a.header.descr); err != nil {
		return err
	}
	n, err := tensor.Elements(a.header.shape)
	if err != nil {
		return err
	}
	hi, want := bits.Mul64(uint64(n), uint64(a.kind.size))
	if hi != 0 || a.size < a.start || want != uint64(a.size-a.start) {
		return fmt.Errorf("%s of type %q needs %d bytes, got %d", tensor.FormatShape(a.header.shape), a.header.descr, want, max(0, a.size-a.start))
	}
	a.DType, a.Shape = a.kind.dtype, a.header.shape
	f.Arrays = append(f.Arrays, a)
	return nil
}

// Whole returns the whole array.
func (a *Array) Whole() (tensor.Tensor, error) {
	r, err := a.source()
	if err != nil {
		return tensor.Tensor{}, err
	}
	defer r.Close()
	t, err := readArray(r, a.size, newBudget(Options{}))
	return t, a.wrap(err)
}

// Rows returns the rows from lo up to, but not including, hi. Reading is fast if lo is at or after
// the end of the rows that were read last. Otherwise the array is read again from its start, which
// takes long if it is compressed. An array in Fortran order is read into memory as a whole.
func (a *Array) Rows(lo, hi int64) (tensor.Tensor, error) {
	if len(a.Shape) == 0 || lo < 0 || hi < lo || hi > a.Shape[0] {
		return tensor.Tensor{}, fmt.Errorf("array %q has shape %s, but rows %d to %d are requested", a.Name, tensor.FormatShape(a.Shape), lo, hi)
	}
	if a.header.fortran && len(a.Shape) > 1 {
		return a.heldRows(lo, hi)
	}
	t, err := a.read(lo, hi)
	if err != nil {
		a.rewind()
	}
	return t, a.wrap(err)
}

func (a *Array) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("array %q: %w", a.Name, err)
}

func (a *Array) heldRows(lo, hi int64) (tensor.Tensor, error) {
	if a.held == nil {
		t, err := a.Whole()
		if err != nil {
			return t, err
		}
		a.held = &t
	}
	return a.held.Rows(lo, hi)
}

func (a *Array) read(lo, hi int64) (tensor.Tensor, error) {
	// This does not overflow, because Elements accepted the shape.
	each := int64(a.kind.size)
	for _, d := range a.Shape[1:] {
		each *= d
	}
	if err := a.seek(lo, each); err != nil {
		return tensor.Tensor{}, err
	}
	h := a.header
	h.shape = slices.Concat([]int64{hi - lo}, a.Shape[1:])
	n, err := tensor.Elements(h.shape)
	if err != nil {
		return tensor.Tensor{}, err
	}
	if err := newBudget(Options{}).take(memory(a.kind, n)); err != nil {
		return tensor.Tensor{}, err
	}
	data := make([]byte, (hi-lo)*each)
	if _, err := io.ReadFull(a.at, data); err != nil {
		return tensor.Tensor{}, fmt.Errorf("the elements are cut off: %w", err)
	}
	if a.row = hi; hi == a.Shape[0] {
		if err := readEnd(a.at); err != nil {
			return tensor.Tensor{}, err
		}
		a.rewind()
	}
	return a.kind.tensor(h, n, data)
}

// seek moves to the start of a row. each is the number of bytes of a row.
func (a *Array) seek(row, each int64) error {
	if a.at != nil && row < a.row {
		a.rewind()
	}
	if a.at == nil {
		r, err := a.source()
		if err != nil {
			return err
		}
		a.at, a.row = r, 0
		if _, err := io.CopyN(io.Discard, r, a.start); err != nil {
			return err
		}
	}
	_, err := io.CopyN(io.Discard, a.at, (row-a.row)*each)
	return err
}

// rewind makes the next read start at the beginning of the array.
func (a *Array) rewind() {
	if a.at != nil {
		_ = a.at.Close() // nothing was written
		a.at = nil
	}
}
