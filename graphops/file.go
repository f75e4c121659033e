package graphops

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"lathe/graphops/formats"
)

// File is an open file that contains tensors but is not a model, such as a training checkpoint.
// Parts of the file can be used as payloads in a model (see Model.AlsoFromFiles). A File need not
// be closed: the garbage collector does this when no payload refers to it any more.
type File struct {
	src    *source
	beside *externalFiles
}

// OpenFile opens a regular file. The file may refer to other files under the same rules as a model
// at this path to its external data: they must be in its folder or in one of the allowed folders.
// Every error starts with the path.
func OpenFile(path string, allow []string) (*File, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files, err := newExternalFiles(src, allow)
	if err != nil {
		_ = src.file.Close() // opened for reading only
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{src, files}, nil
}

// Path returns the name by which the file was opened.
func (f *File) Path() string { return f.src.path }

// Size returns the size of the file when it was opened.
func (f *File) Size() int64 { return f.src.size }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.src.ReadAt(p, off) }

// Unchanged returns an error if the file has changed since it was opened.
func (f *File) Unchanged() error { return f.src.unchanged() }

// Range returns n bytes at an offset as a payload. It returns an error if they are not inside the
// file.
func (f *File) Range(offset, n int64) (Payload, error) {
	if offset < 0 || n < 0 || offset > f.src.size || n > f.src.size-offset {
		return Payload{}, fmt.Errorf("%d bytes from byte %d on are needed, but %s has only %d bytes", n, offset, filepath.Base(f.src.path), f.src.size)
	}
	return rangePayload(f.src, offset, n), nil
}

// Beside opens another file that this one refers to. The location is relative to the folder of f,
// and is not trusted. After all links are resolved, the file must be in that folder or in an
// allowed one. A file with a second hard link is rejected too, because it may belong to another
// folder.
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

// Is reports whether f and g are the same file.
func (f *File) Is(g *File) bool { return f.src == g.src || os.SameFile(f.src.seen, g.src.seen) }

// Close closes the file. Payloads that refer to it can no longer be read.
func (f *File) Close() error { return f.src.file.Close() }

// AlsoFromFiles returns the model with the given files added to those that it is read from. It must
// be called if the model uses payloads of these files. Saving then checks that the files have not
// changed, and never overwrites them.
func (m *Model) AlsoFromFiles(files ...*File) *Model {
	c := m.changed()
	c.also = append([]origin(nil), m.also...)
	for _, f := range files {
		c.also = append(c.also, origin{src: f.src})
	}
	return c
}

// ZipNames returns the names of the files in a zip archive. It reads at most one megabyte of the
// archive's directory, so it may return only the first names. It returns none for a damaged
// archive.
func (f *File) ZipNames() []string { return formats.ZipNames(f.src, f.src.size) }
