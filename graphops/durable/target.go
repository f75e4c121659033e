package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops/permit"
)

// Target is a file to be written.
type Target struct {
	Asked string // the caller's path, for messages
	Entry string // the path without "..", which has another meaning after a link
	Path  string // the file itself, with a symbolic link resolved
	old   *permissions
}

var errExists = errors.New("exists already; choose another name or pass --force")

// errTaken is for files that belong to a main file that may replace another. Their names were not in
// use when the write began, so another program has taken one since, and --force is given already.
var errTaken = errors.New("another program is writing the same file; run the command again when it has ended")

// findTarget returns the target of a path, or an error if it must not be written.
func findTarget(path string, overwrite bool) (Target, error) {
	t, err := FollowTarget(path)
	if err != nil {
		return t, err
	}
	return t, t.Look(overwrite)
}

// FollowTarget returns the target of a path. If the path is a symbolic link, the target is the file
// that the link leads to, as for any program that opens the link for writing.
func FollowTarget(path string) (Target, error) {
	entry, err := withoutDotDot(path)
	t := Target{Asked: path, Entry: entry, Path: entry}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Lstat(entry)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return t, nil // other errors are reported by Look
	}
	real, err := filepath.EvalSymlinks(entry)
	if errors.Is(err, os.ErrNotExist) {
		return t, fmt.Errorf("%s: is a symbolic link that leads nowhere; remove it or name the file itself", path)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	t.Path = real
	return t, nil
}

// withoutDotDot returns a path to the same file without "..", so that the text before the last
// slash is its folder. The folder of "link/../f" is the parent of the folder that the link leads
// to.
func withoutDotDot(path string) (string, error) {
	folder, name := filepath.Split(path)
	if !slices.Contains(strings.Split(filepath.ToSlash(folder), "/"), "..") {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("cannot be created: there is no folder %s; make it first", filepath.ToSlash(folder))
	}
	if err != nil {
		return "", withoutPath(err)
	}
	return filepath.Join(real, name), nil
}

// Folder returns the folder of the file itself.
func (t *Target) Folder() string { return filepath.Dir(t.Path) }

// Replaces reports whether a file is to be replaced. The file may have been removed since the
// target was examined.
func (t *Target) Replaces() bool { return t.old != nil }

// Permitted returns an error if the limits of package permit forbid to write the target. Look must
// have examined it.
func (t *Target) Permitted(ctx context.Context) error {
	return permit.ToWrite(ctx, t.Path, t.Replaces())
}

// firstMode returns the mode of the temporary file while it is written. If a file is replaced, only
// the owner has access at first, because the file may not be readable for others.
func (t *Target) firstMode() fs.FileMode {
	if t.Replaces() {
		return 0o600
	}
	return 0o666 // the system removes the rights in the umask
}

// Look returns an error if there is a file that must not be replaced. If there is a file to be
// replaced, it records its permissions.
func (t *Target) Look(overwrite bool) error {
	info, err := os.Lstat(t.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", t.Asked, withoutPath(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is %s, expected a file to write", t.Asked, DescribeMode(info.Mode()))
	case !overwrite:
		return fmt.Errorf("%s: %w", t.Asked, errExists)
	}
	t.old = permissionsOf(t.Path, info)
	return nil
}

// DescribeMode says what is at a path where a regular file is expected.
func DescribeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "not a file"
	}
}
