package graphops

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// File is an opened file of stored tensors that is no model, such as a training
// checkpoint. Payloads are ranges of it, and go into a model like those of the model's
// own file (Model.AlsoFromFiles). It need not be closed: it does so when the last
// payload that points into it is gone.
type File struct {
	src    *source
	beside *externalFiles
}

// OpenFile opens a regular file. Files beside it may lie where external data of a model
// at this path may: in its folder, and in those that are allowed. Every error starts
// with the path.
func OpenFile(path string, allow []string) (*File, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files, err := newExternalFiles(src, allow)
	if err != nil {
		_ = src.file.Close() // it was only read from
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{src, files}, nil
}

// Path is the name that the file was opened by.
func (f *File) Path() string { return f.src.path }

// Size is the number of bytes that the file had when it was opened.
func (f *File) Size() int64 { return f.src.size }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.src.ReadAt(p, off) }

// Unchanged is an error if the file is not as it was when it was opened.
func (f *File) Unchanged() error { return f.src.unchanged() }

// Range is the payload of n bytes from an offset on, which must lie in the file.
func (f *File) Range(offset, n int64) (Payload, error) {
	if offset < 0 || n < 0 || offset > f.src.size || n > f.src.size-offset {
		return Payload{}, fmt.Errorf("%d bytes from byte %d on are wanted, %s has %d", n, offset, filepath.Base(f.src.path), f.src.size)
	}
	return rangePayload(f.src, offset, n), nil
}

// Beside opens a file at a location relative to f's folder, which is as hostile as what
// it was read from: by the rules of external data it may not lie elsewhere, whatever
// links lead there. A file with a second hard link, which may be one of another folder
// under a name of this one, is refused as well.
func (f *File) Beside(location string) (*File, error) {
	if err := checkLocation(location); err != nil {
		return nil, err
	}
	src, err := f.beside.source(location)
	if err != nil {
		return nil, err
	}
	info, err := src.file.Stat()
	if err != nil {
		return nil, &externalFileError{location, reason(err)}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
		return nil, &externalFileError{location, &advisedError{
			fmt.Sprintf("has %d hard links, so it may be a file of another folder", stat.Nlink), "copy it",
		}}
	}
	return &File{src, f.beside}, nil
}

// Is reports whether f is the file of another name.
func (f *File) Is(g *File) bool { return f.src == g.src || os.SameFile(f.src.seen, g.src.seen) }

// Close closes the file; payloads that point into it cannot be read any more.
func (f *File) Close() error { return f.src.file.Close() }

// AlsoFromFiles is the model with files among those that it is read from, for one that
// has taken over payloads of them: saving asks them whether they have changed, and does
// not overwrite them.
func (m *Model) AlsoFromFiles(files ...*File) *Model {
	c := m.changed()
	c.also = append([]origin(nil), m.also...)
	for _, f := range files {
		c.also = append(c.also, origin{src: f.src})
	}
	return c
}

// ZipNames are the names of the files in an archive, as many of the first as fit into a
// megabyte; none where it is damaged.
func (f *File) ZipNames() []string { return zipNames(f.src) }
