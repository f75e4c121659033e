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

// DataError is an error about a file or folder with values. Its text begins with the path, so a
// caller need not add the path.
type DataError struct{ Err error }

// Error returns the text of the error in one line.
func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// ofData returns err as a DataError. The text of an *fs.PathError begins with an operation such as
// "open", so it is replaced by one that begins with the path.
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

// dataKinds lists, for error messages, which files and folders ReadCases can read.
const dataKinds = ".npz, .npy, .json, .pb, a folder of .npy files, of images or of ONNX's input_0.pb …"

// checkKind returns an error for a regular file that ReadCases cannot read, for example an image,
// which can only be the value of a single input. It decides by the extension, or else by the first
// bytes.
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
		return fmt.Errorf("%s: an image is a value for a single input: --input %s=%s", path, name, path)
	case hasExtension(path, ".raw", ".bin"):
		return fmt.Errorf("%s: raw bytes are a value for a single input: --input %s=%s", path, name, path)
	case hasExtension(path, ".npz", ".npy"):
		return nil
	}
	arrays, err := beginsAsArrays(path)
	if err != nil || arrays {
		return err
	}
	return fmt.Errorf("%s: contains no values that can be read: expected %s; for an image or raw bytes use --input NAME=FILE", path, dataKinds)
}

// beginsAsArrays reports whether a file begins like an .npz archive or an .npy file.
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
