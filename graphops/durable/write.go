package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Options say how a file is written.
type Options struct {
	// Overwrite allows replacing an existing file. Otherwise an existing file is an error.
	Overwrite bool
	// Progress, if set, is called with the number of bytes written so far.
	Progress func(written int64)
	// IsOrphan reports whether a leftover can be removed because no file needs it. Only a package
	// that can read the main files of a Group knows that. If it is nil, leftovers stay.
	IsOrphan func(Leftover) bool
}

// partOf returns the options for one of several files that are written together. done is the number
// of bytes written to all of them, which is what Progress reports.
func (o Options) partOf(done *int64) Options {
	if hear := o.Progress; hear != nil {
		before := int64(0)
		o.Progress = func(n int64) {
			*done += n - before
			before = n
			hear(*done)
		}
	}
	return o
}

// WriteFile writes a file so that, at any time, path has either the complete old content or the
// complete new content. It writes a temporary file in the same folder, syncs it, renames it, and
// syncs the folder. If there is an error, or the context is cancelled, no temporary file remains.
// It first removes temporary files that killed processes left in the folder.
//
// If path is a symbolic link, the file that it leads to is replaced. The new file gets the
// permissions of the replaced file: the mode without special bits, the access-control list, and the
// owner and group if this process may set them. If the replaced file has other hard links, these
// keep the old content.
func WriteFile(ctx context.Context, path string, o Options, write func(w io.Writer) error) error {
	out, err := beginFile(ctx, path, o)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := write(out); err != nil {
		return out.blame(err)
	}
	if err := out.finish(); err != nil {
		return err
	}
	out.temp.forget()
	if err := out.place(); err != nil {
		return err
	}
	return out.temp.close()
}

// Check returns the error that WriteFile would return before it writes: for a file that must not be
// replaced, or a folder that is not writable. No file remains afterwards.
func Check(ctx context.Context, path string, o Options) (Target, error) {
	out, err := beginFile(ctx, path, o)
	if err != nil {
		return Target{}, err
	}
	out.discard()
	return out.target, nil
}

// beginFile opens the temporary file that will replace the file at path.
func beginFile(ctx context.Context, path string, o Options) (*output, error) {
	t, err := findTarget(path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	if err := t.Permitted(ctx); err != nil {
		return nil, err
	}
	RemoveStale(t.Folder(), o.IsOrphan)
	var out *output
	err = withNewName(t, func(n tempName) (err error) {
		out, err = createOutput(ctx, t, n, roomIn(t.Folder(), 0), o)
		return err
	})
	return out, err
}

// output is a file that is being written. It has a temporary name until it is complete.
type output struct {
	ctx     context.Context
	target  Target
	o       Options
	temp    *temporary
	blocks  *blocks
	written int64
	ordered int64 // number of bytes that the system was asked to write to the disk
	room    room  // when writing began
	failure error // the first error of the file itself, explained
}

// createOutput creates the temporary file for a target.
func createOutput(ctx context.Context, t Target, name tempName, r room, o Options) (*output, error) {
	temp, err := createTemporary(filepath.Join(t.Folder(), name.String()), t.firstMode())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Asked, r.explain(err))
	}
	return &output{ctx: ctx, target: t, o: o, temp: temp, blocks: newBlocks(temp.file), room: r}, nil
}

// Write implements io.Writer. Its error says what the user can do (see room.explain).
func (o *output) Write(b []byte) (int, error) {
	if err := o.stopped(); err != nil {
		return 0, err
	}
	n, err := o.blocks.Write(b)
	o.count(int64(n))
	return n, o.fail(err)
}

// stopped returns the error that stopped the write: that of the file, or that of the cancelled
// context.
func (o *output) stopped() error {
	if o.failure == nil {
		o.failure = o.ctx.Err()
	}
	return o.failure
}

// fail records the first error of the file that is written. A full disk is then reported as such,
// and not as an error of the tensor that was being written.
func (o *output) fail(err error) error {
	if err != nil && o.failure == nil {
		o.failure = o.room.explain(err)
	}
	return o.failure
}

// blame adds the path of the written file to an error.
func (o *output) blame(err error) error {
	if o.failure != nil {
		err = o.failure
	}
	return fmt.Errorf("%s: %w", o.target.Asked, err)
}

// writeOutStep is the number of bytes after which the system is asked to write them to the disk.
// Otherwise the disk would be idle while data is copied, and the sync at the end would take as long
// as the copy.
const writeOutStep = 8 << 20

func (o *output) count(n int64) {
	o.written += n
	if k := o.written - o.ordered; k >= writeOutStep {
		startWriteOut(o.temp.file, o.ordered, k)
		o.ordered = o.written
	}
	if o.o.Progress != nil {
		o.o.Progress(o.written)
	}
}

// Source is a file, or bytes in memory, from which a Copier copies.
type Source struct {
	io.ReaderAt
	Path string   // for messages
	File *os.File // nil if it is not a file of this machine
}

// Copier is what a writer of this package is besides an io.Writer. It copies a range of a source
// without reading it into memory as a whole. If possible, the file system shares the blocks.
type Copier interface {
	CopyRange(src Source, offset, n int64) error
}

// CopyRange appends n bytes of a source to the file.
func (o *output) CopyRange(src Source, offset, n int64) error {
	for n > 0 {
		if err := o.stopped(); err != nil {
			return err
		}
		k, err := o.copySome(src, offset, n)
		if err != nil {
			return err
		}
		if k == 0 {
			return fmt.Errorf("%s: the file ended at byte %d: it changed while it was in use; open it again", src.Path, offset)
		}
		offset += k
		n -= k
		o.count(k)
	}
	return nil
}

// copySome appends up to n bytes of a source to the file and returns their number, which is 0 at
// the end of the source. If the file system may share the blocks of the two files, the system
// copies them.
func (o *output) copySome(src Source, offset, n int64) (int64, error) {
	if src.File != nil && canShare(offset, o.written, n) {
		if err := o.blocks.flush(); err != nil {
			return 0, o.fail(err)
		}
		k, err := copyFileRange(o.temp.file, src.File, offset, min(n, writeOutStep))
		switch {
		case k > 0:
			o.blocks.at += k
			return k, nil
		case isNoRoom(err):
			return 0, o.fail(err)
		case err != nil && !errors.Is(err, errors.ErrUnsupported):
			return 0, fmt.Errorf("%s: %w", src.Path, err)
		}
	}
	free := o.blocks.free()
	k, err := src.ReadAt(free[:min(n, int64(len(free)))], offset)
	if k == 0 && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return int64(k), o.fail(o.blocks.extend(k))
}

// canShare reports whether a file system that can share blocks between files could do so for this
// range. For that, it must start at the same offset within a page in both files. Otherwise a copy
// by the system goes page by page, which is slower than a copy through memory.
func canShare(from, to, n int64) bool {
	const page = 4096
	return from%page == to%page && n >= page
}

// finish writes the rest of the temporary file, syncs it, and sets its permissions. It checks the
// target again, because another program may have changed it in the meantime.
func (o *output) finish() error {
	if err := o.stopped(); err != nil {
		return o.blame(err)
	}
	if err := o.target.Look(o.o.Overwrite); err != nil {
		return err
	}
	if o.target.Replaces() {
		o.target.old.give(o.temp.file)
	}
	err := o.blocks.end()
	if err == nil {
		err = o.temp.file.Sync()
	}
	if err := o.fail(err); err != nil {
		return o.blame(err)
	}
	return nil
}

// discard removes the temporary file, unless it was renamed.
func (o *output) discard() {
	o.temp.remove()
}
