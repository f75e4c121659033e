// Package npz reads and writes numpy's array files: .npy with one array, and .npz, a zip archive of
// .npy files.
//
// Files are not trusted. Memory is not allocated just because a file claims a size. Arrays of
// Python objects are rejected, because they are pickles.
package npz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"lathe/graphops/tensor"
)

// DefaultMaxBytes is the default limit of the memory that the arrays of one file may take.
const DefaultMaxBytes = 2 << 30

// maxRatio is the largest ratio to which deflate can compress: 1032 bytes become 1 byte, if the
// longest match has the shortest code (RFC 1951). An entry that claims a larger ratio is invalid.
const maxRatio = 1032

// Entry is a named array.
type Entry struct {
	Name   string // in an archive, the file name without ".npy"
	Tensor tensor.Tensor
}

// Options are limits for reading.
type Options struct {
	MaxBytes int64 // of all arrays together; 0 means DefaultMaxBytes
}

// Open reads all arrays at a path, which is an .npz archive, a single .npy file, or a folder of
// .npy files. Arrays of a folder are sorted by name, and those of an archive have the order of the
// archive. The array of an .npy file has the name of the file.
func Open(path string, o Options) ([]Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	b := newBudget(o)
	if info.IsDir() {
		return readFolder(path, b)
	}
	return readPath(path, b)
}

// readFolder reads the .npy files of a folder. It ignores other files. A folder without .npy files
// is an error.
func readFolder(folder string, b *budget) ([]Entry, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".npy" {
			continue
		}
		e, err := readPath(filepath.Join(folder, f.Name()), b)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e...)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: no .npy file in this folder", folder)
	}
	return entries, nil
}

// readPath reads one file. Its first bytes determine whether it is an archive.
func readPath(path string, b *budget) ([]Entry, error) {
	// Without O_NONBLOCK, opening a pipe would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic[:2]) == "PK" {
		entries, err := readArchive(f, info.Size(), b)
		return entries, wrap(path, err)
	}
	t, err := readArray(f, info.Size(), b)
	if err != nil {
		return nil, wrap(path, err)
	}
	return []Entry{{Name: strings.TrimSuffix(filepath.Base(path), ".npy"), Tensor: t}}, nil
}

func wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

// readArchive reads all arrays of an .npz archive of the given size.
func readArchive(r io.ReaderAt, size int64, b *budget) ([]Entry, error) {
	archive, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%w: it is cut off, damaged or not an archive; save it again", err)
	}
	if err != nil {
		return nil, err
	}
	var entries []Entry
	seen := map[string]bool{}
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		switch {
		case !ok:
			return nil, fmt.Errorf("entry %q is not an array; an .npz file contains only .npy files", f.Name)
		case seen[name]:
			return nil, fmt.Errorf("array %q occurs twice", name)
		}
		seen[name] = true
		t, err := readEntry(f, size, b)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		entries = append(entries, Entry{Name: name, Tensor: t})
	}
	return entries, nil
}

// checkEntry returns an error for an entry whose sizes are impossible in an archive of the given
// size, and for an encrypted one.
func checkEntry(f *zip.File, archiveSize int64) error {
	packed, unpacked := f.CompressedSize64, f.UncompressedSize64
	switch {
	case f.Flags&1 != 0:
		return errors.New("encrypted")
	case packed > uint64(archiveSize):
		return fmt.Errorf("claims %d bytes, but the archive has only %d bytes", packed, archiveSize)
	case f.Method == zip.Store && packed != unpacked, unpacked/maxRatio > packed:
		return fmt.Errorf("claims to unpack to %d bytes from %d, more than compression can yield", unpacked, packed)
	}
	return nil
}

// readEntry reads one array of an archive of the given size.
func readEntry(f *zip.File, archiveSize int64, b *budget) (tensor.Tensor, error) {
	if err := checkEntry(f, archiveSize); err != nil {
		return tensor.Tensor{}, err
	}
	unpacked := f.UncompressedSize64
	r, err := f.Open()
	if err != nil {
		return tensor.Tensor{}, err
	}
	defer r.Close()
	return readArray(r, int64(unpacked), b)
}

// budget is the memory in bytes that is left for the arrays of one call of Open.
type budget struct{ left, limit int64 }

func newBudget(o Options) *budget {
	limit := o.MaxBytes
	if limit == 0 {
		limit = DefaultMaxBytes
	}
	return &budget{left: limit, limit: limit}
}

func (b *budget) take(size int64) error {
	if size > b.left {
		return fmt.Errorf("the arrays of this file take more than the %d bytes allowed", b.limit)
	}
	b.left -= size
	return nil
}
