package graphops

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// WriteOptions say how a file is written.
type WriteOptions struct {
	// Overwrite allows replacing an existing file. Without it, one is an error.
	Overwrite bool
	// Progress, if set, hears how many bytes have been written so far.
	Progress func(written int64)
}

// WriteFile writes a file so that path holds the old content or the new one,
// whole, whatever happens: into a temporary beside it, synced, renamed, and
// the folder synced. An error or a cancelled context leaves nothing behind.
func WriteFile(ctx context.Context, path string, o WriteOptions, write func(w io.Writer) error) error {
	out, err := createOutput(ctx, path, o)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := write(out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return commitAll(out)
}

// output is a file being written under a temporary name.
type output struct {
	ctx     context.Context
	path    string
	o       WriteOptions
	f       *os.File
	buf     *bufio.Writer
	written int64
}

func createOutput(ctx context.Context, path string, o WriteOptions) (*output, error) {
	perm, err := outputPermission(path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%s.lathe-tmp", filepath.Base(path), rand.Text()[:8]))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: cannot be created: there is no folder %s; make it first", path, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be created: %w", path, errors.Unwrap(err))
	}
	return &output{ctx: ctx, path: path, o: o, f: f, buf: bufio.NewWriterSize(f, 256<<10)}, nil
}

var errExists = errors.New("exists already; choose another name or pass --force")

// outputPermission refuses what must not be replaced and tells the permissions
// that the new file gets: those of the file it replaces.
func outputPermission(path string, overwrite bool) (os.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0o666, nil
	case err != nil:
		return 0, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s: is %s, expected a file to write", path, describeMode(info.Mode()))
	case !overwrite:
		return 0, fmt.Errorf("%s: %w", path, errExists)
	}
	return info.Mode().Perm(), nil
}

func (o *output) Write(b []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := o.buf.Write(b)
	o.count(int64(n))
	return n, err
}

func (o *output) count(n int64) {
	o.written += n
	if o.o.Progress != nil {
		o.o.Progress(o.written)
	}
}

// copyRange writes n bytes of a source, by the kernel where it can.
func (o *output) copyRange(src *source, offset, n int64) error {
	if err := o.buf.Flush(); err != nil {
		return err
	}
	for n > 0 {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		k, err := copyFileRange(o.f, src, offset, min(n, 8<<20))
		if err != nil {
			return err
		}
		if k == 0 {
			return fmt.Errorf("%s: ended at byte %d while it was read; it changed, open it again", src.path, offset)
		}
		offset += k
		n -= k
		o.count(k)
	}
	return nil
}

// copyPlain copies a range through memory.
func copyPlain(dst *os.File, src *source, offset, n int64) (int64, error) {
	buf := make([]byte, min(n, 1<<20))
	k, err := src.ReadAt(buf, offset)
	if k > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil {
		_, err = dst.Write(buf[:k])
	}
	return int64(k), err
}

// commitAll puts files in place, the last one first, once all of them are whole
// and may be where they go: of several none is left alone.
func commitAll(files ...*output) error {
	for _, f := range files {
		if err := f.finish(); err != nil {
			return err
		}
	}
	for i, f := range slices.Backward(files) {
		if err := f.commit(); err != nil {
			withdraw(files[i+1:])
			return err
		}
	}
	return nil
}

// withdraw removes files that were placed, unless they may have replaced
// others, which could not be brought back.
func withdraw(placed []*output) {
	for _, f := range placed {
		if !f.o.Overwrite {
			_ = os.Remove(f.path) // the error that brought us here is the one to tell
		}
	}
}

// finish makes the temporary whole and durable, and makes sure that it may take
// its place.
func (o *output) finish() error {
	err := o.ctx.Err()
	if err == nil {
		err = o.buf.Flush()
	}
	if err == nil {
		err = o.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.path, err)
	}
	_, err = outputPermission(o.path, o.o.Overwrite)
	return err
}

// commit puts the finished temporary in place.
func (o *output) commit() error {
	if err := o.place(); err != nil {
		return fmt.Errorf("%s: %w", o.path, err)
	}
	err := o.f.Close()
	o.f = nil
	syncFolder(filepath.Dir(o.path))
	return err
}

// place gives the temporary its name. Where nothing may be replaced it links,
// which looks and places in one step: a rename would replace what another
// program has put there since finish looked. A file system without links is
// left with that look.
func (o *output) place() error {
	temp := o.f.Name()
	if !o.o.Overwrite {
		err := os.Link(temp, o.path)
		if err == nil {
			return os.Remove(temp)
		}
		if errors.Is(err, os.ErrExist) {
			return errExists
		}
	}
	return os.Rename(temp, o.path)
}

// discard removes the temporary; it does nothing after commit.
func (o *output) discard() {
	if o.f != nil {
		o.f.Close()
		_ = os.Remove(o.f.Name()) // the error that brought us here is the one to tell
		o.f = nil
	}
}

// syncFolder makes a rename durable. Some file systems cannot sync a folder;
// the rename has happened all the same.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
