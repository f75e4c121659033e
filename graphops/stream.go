package graphops

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// spoolFrom is the number of bytes from which a stream is stored in a temporary file instead of
	// memory.
	spoolFrom = 64 << 20
	// chunkSize is the size in bytes of the chunks in which a stream is stored in memory. With
	// chunks, data need not be copied when more is read.
	chunkSize = 1 << 20
)

// streamSource reads a stream to its end. A regular file that is still at its start is not copied.
// It is used as if it had been opened by its path.
func streamSource(r io.Reader, name, tempDir string) (*source, error) {
	if f, ok := r.(*os.File); ok {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil && at == 0 {
			if src, err := newSource(f, name); err == nil {
				return src, nil
			}
		}
	}
	r = io.LimitReader(r, MaxModelBytes+1)
	held, err := readChunks(r)
	if err != nil {
		return nil, reason(err)
	}
	if held.size() < spoolFrom {
		return &source{ReaderAt: held, path: name, size: held.size()}, nil
	}
	src, err := spool(io.MultiReader(io.NewSectionReader(held, 0, held.size()), r), name, tempDir)
	if err != nil {
		return nil, fmt.Errorf("a streamed model of more than %d MiB cannot be stored in a temporary file in %s: %w; set TMPDIR to a folder with more space, or save the model and open it by its path",
			spoolFrom>>20, cmp.Or(tempDir, os.TempDir()), reason(err))
	}
	return src, nil
}

// spool copies a stream into an unnamed file, which the system frees when nothing refers to it.
func spool(r io.Reader, name, tempDir string) (*source, error) {
	f, err := os.CreateTemp(tempDir, "lathe-*.onnx")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		_, err = io.Copy(f, r)
	}
	var src *source
	if err == nil {
		src, err = newSource(f, name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return src, nil
}

// chunks are the content of a stream in memory. All chunks except the last have chunkSize bytes.
type chunks [][]byte

// readChunks reads a stream to its end, but at most spoolFrom bytes.
func readChunks(r io.Reader) (chunks, error) {
	var c chunks
	for c.size() < spoolFrom {
		b := make([]byte, chunkSize)
		n, err := io.ReadFull(r, b)
		c = append(c, b[:n])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c chunks) size() int64 {
	if len(c) == 0 {
		return 0
	}
	return int64(len(c)-1)*chunkSize + int64(len(c[len(c)-1]))
}

// ReadAt implements io.ReaderAt.
func (c chunks) ReadAt(b []byte, offset int64) (int, error) {
	n := 0
	for n < len(b) && offset < c.size() {
		k := copy(b[n:], c[offset/chunkSize][offset%chunkSize:])
		n += k
		offset += int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
