package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// explained is a system error with a message for the user that says what to do.
type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }

// room has the free space of a folder's file system and the number of bytes to be written. On some
// file systems they prevent a write (see short); on the others they only occur in messages.
type room struct {
	folder string // absolute if it exists, as "." says little in a message
	wanted int64  // total size of all files, 0 if unknown
	own    int64  // size of the file being written, 0 if unknown
	known  bool
	free   int64
	// whole is set if the file system neither compresses nor shares blocks, so that a file needs as
	// much space as it has bytes.
	whole bool
	// noFiles is set if the file system has reached its maximum number of files.
	noFiles bool
}

func roomIn(folder string, wanted int64) room {
	r := room{folder: folder, wanted: wanted}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return r
	}
	if abs, err := filepath.Abs(folder); err == nil {
		r.folder = abs
	}
	r.known, r.free = true, int64(s.Bavail*uint64(s.Bsize))
	r.whole = slices.Contains([]int64{unix.EXT4_SUPER_MAGIC, unix.TMPFS_MAGIC}, s.Type) // ext2 and ext3 have the number of ext4
	r.noFiles = s.Files > 0 && s.Ffree == 0
	return r
}

// largeWrite is from how many bytes on a write is refused if there is too little space. A smaller
// one fails before it does harm, and the free space changes all the time.
const largeWrite = 64 << 20

// short returns an error if the files certainly do not fit, so that a large write does not fill the
// disk before it fails. It refuses no write on a file system that compresses or shares blocks, which
// can store more than its free space. A quota or another program may still leave less.
func (r room) short() error {
	if !r.known || !r.whole || r.wanted < largeWrite || r.wanted <= r.free {
		return nil
	}
	text := fmt.Sprintf("too little space: %s to write, %s are free in %s; make room or choose another folder", size(r.wanted), size(r.free), r.folder)
	return &explained{text, unix.ENOSPC}
}

// of returns r for one of several files, which has own bytes.
func (r room) of(own int64) room {
	r.own = own
	return r
}

// explain returns an error that says what a system error means for the file that is written and
// what to do. It leaves out the temporary name, because the user did not choose it and will not
// find it.
func (r room) explain(err error) error {
	cause := withoutPath(err)
	text := ""
	switch {
	case errors.Is(cause, unix.ENOSPC):
		text = r.full()
	case errors.Is(cause, unix.EDQUOT):
		text = fmt.Sprintf("the disk quota in %s is used up%s; make room or choose another folder", r.folder, toWrite(r.wanted))
	case errors.Is(cause, unix.EFBIG):
		text = r.tooLarge()
	case errors.Is(cause, unix.EMFILE):
		text = r.tooMany()
	case errors.Is(cause, unix.EROFS):
		text = fmt.Sprintf("cannot be written: %s is on a read-only file system; choose another folder", r.folder)
	case errors.Is(cause, os.ErrPermission):
		text = fmt.Sprintf("cannot be written: no permission to make files in %s; choose another folder", r.folder)
	case errors.Is(cause, os.ErrNotExist) && !r.known:
		text = fmt.Sprintf("cannot be created: there is no folder %s; make it first", r.folder)
	case errors.Is(cause, unix.EIO):
		text = fmt.Sprintf("the disk reports an error while %s is written to; choose another folder", r.folder)
	default:
		return cause
	}
	return &explained{text, cause}
}

func (r room) full() string {
	text := "the disk is full"
	switch {
	case r.noFiles:
		return fmt.Sprintf("the file system of %s can hold no more files; remove some or choose another folder", r.folder)
	case r.known && r.wanted > 0:
		text += fmt.Sprintf(": %s to write, %s were free in %s", size(r.wanted), size(r.free), r.folder)
	case r.known:
		text += fmt.Sprintf(": %s were free in %s", size(r.free), r.folder)
	}
	return text + "; make room or choose another folder"
}

// tooLarge is the message for a file above the maximum size. The limit is that of the process or
// that of the file system. (The signal that the system sends at the limit of the process does not
// end a Go program.)
func (r room) tooLarge() string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && limit.Cur < unix.RLIM_INFINITY {
		return fmt.Sprintf("files are limited to %s here%s; raise the limit with ulimit -f%s", size(int64(limit.Cur)), toWrite(r.own), r.orSplit())
	}
	return fmt.Sprintf("the file system does not allow files that large%s; choose another%s", toWrite(r.own), r.orSplit())
}

// orSplit returns a second advice for messages about the file of a model. It is empty for other
// files.
func (r room) orSplit() string {
	if r.own == 0 {
		return ""
	}
	return ", or export with --external-data and --split-data"
}

// tooMany is the message for the limit of open files. All files of a model stay open until they are
// renamed.
func (r room) tooMany() string {
	text := "the process may not have more files open"
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		text = fmt.Sprintf("the process may have no more than %d files open", limit.Cur)
	}
	text += "; raise the limit with ulimit -n"
	if r.own < r.wanted {
		text += ", or take a larger --split-data"
	}
	return text
}

// Explain returns an error that says how many files the process may have open, if that is why a file, a
// pipe or a process cannot be opened. Otherwise it returns err.
func Explain(err error) error {
	if !errors.Is(err, unix.EMFILE) {
		return err
	}
	return &explained{room{}.tooMany(), err}
}

// toWrite returns a part of a message that says how many bytes are to be written. It is empty if
// the number is 0, which means unknown.
func toWrite(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", with %s to write", size(n))
}

// size formats a number of bytes for a message.
func size(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}

// isNoRoom reports whether an error must come from the file that is written. A call that also reads
// can return errors of the source.
func isNoRoom(err error) bool {
	return isAny(err, unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.EROFS)
}

func isAny(err error, list ...error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// withoutPath returns a system error without the file name and the call.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	default:
		return err
	}
}
