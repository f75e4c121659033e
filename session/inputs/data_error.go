package inputs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lathe/graphops"
	"lathe/session/inputs/picture"
)

// DataError is about a file or folder of values. Its text begins with that path, so
// that nothing is to be named before it.
type DataError struct{ Err error }

// Error is one line.
func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap gives what is wrong.
func (e *DataError) Unwrap() error { return e.Err }

// ofData marks an error whose text begins with a path of data. What the system says
// of a file is turned around, since it begins with what was tried.
func ofData(err error) error {
	var p *fs.PathError
	var marked *DataError
	switch {
	case err == nil || errors.As(err, &marked):
		return err
	case errors.As(err, &p):
		err = fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return &DataError{err}
}

// dataKinds are what ReadCases reads, for errors.
const dataKinds = ".npz, .npy, .json, .pb, a folder of .npy files, of images or of ONNX's input_0.pb …"

// checkKind refuses a regular file that cannot hold values for several inputs, by its name or,
// where that says nothing, by what it begins with.
func checkKind(path string, open []graphops.NamedType) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	name := "NAME"
	if len(open) == 1 {
		name = open[0].Name
	}
	switch {
	case hasExtension(path, picture.Extensions...):
		return fmt.Errorf("%s: an image goes to a single input: --input %s=%s", path, name, path)
	case hasExtension(path, ".raw", ".bin"):
		return fmt.Errorf("%s: raw bytes go to a single input: --input %s=%s", path, name, path)
	case hasExtension(path, ".npz", ".npy"):
		return nil
	}
	arrays, err := beginsAsArrays(path)
	if err != nil || arrays {
		return err
	}
	return fmt.Errorf("%s: holds no values that can be read: expected %s; an image or raw bytes: --input NAME=FILE", path, dataKinds)
}

// beginsAsArrays reports whether a file begins as an .npz archive or an .npy file.
func beginsAsArrays(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	first := make([]byte, 6)
	n, err := io.ReadFull(f, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(first[:n]) == "\x93NUMPY" || n >= 2 && string(first[:2]) == "PK", nil
}
