package graphops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// target is a file to be written.
type target struct {
	asked string // the caller's path, for messages
	entry string // the path without "..", which has another meaning after a link
	path  string // the file itself, with a symbolic link resolved
	old   *permissions
}

var errExists = errors.New("exists already; choose another name or pass --force")

// findTarget returns the target of a path, or an error if it must not be written.
func findTarget(path string, overwrite bool) (target, error) {
	t, err := followTarget(path)
	if err != nil {
		return t, err
	}
	return t, t.look(overwrite)
}

// followTarget returns the target of a path. If the path is a symbolic link, the target is the file
// that the link leads to, as for any program that opens the link for writing.
func followTarget(path string) (target, error) {
	entry, err := withoutDotDot(path)
	t := target{asked: path, entry: entry, path: entry}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Lstat(entry)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return t, nil // other errors are reported by look
	}
	real, err := filepath.EvalSymlinks(entry)
	if errors.Is(err, os.ErrNotExist) {
		return t, fmt.Errorf("%s: is a symbolic link that leads nowhere; remove it or name the file itself", path)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	t.path = real
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

func (t *target) folder() string { return filepath.Dir(t.path) }

// replaces reports whether a file is to be replaced. The file may have been removed since the
// target was examined.
func (t *target) replaces() bool { return t.old != nil }

// firstMode returns the mode of the temporary file while it is written. If a file is replaced, only
// the owner has access at first, because the file may not be readable for others.
func (t *target) firstMode() fs.FileMode {
	if t.replaces() {
		return 0o600
	}
	return 0o666 // the system removes the rights in the umask
}

// look returns an error if there is a file that must not be replaced. If there is a file to be
// replaced, it records its permissions.
func (t *target) look(overwrite bool) error {
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", t.asked, withoutPath(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is %s, expected a file to write", t.asked, describeMode(info.Mode()))
	case !overwrite:
		return fmt.Errorf("%s: %w", t.asked, errExists)
	}
	t.old = permissionsOf(t.path, info)
	return nil
}
