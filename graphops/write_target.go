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

// target is where a file is put.
type target struct {
	asked string // as the caller names it, for messages
	entry string // the same without "..", which does not mean the same behind a link
	path  string // the file itself, a symbolic link followed
	old   *permissions
}

var errExists = errors.New("exists already; choose another name or pass --force")

// findTarget is the target of a path, unless it must not be written to.
func findTarget(path string, overwrite bool) (target, error) {
	t, err := followTarget(path)
	if err != nil {
		return t, err
	}
	return t, t.look(overwrite)
}

// followTarget follows a symbolic link to the file that it leads to, which is
// what a program that opens the link for writing would change.
func followTarget(path string) (target, error) {
	entry, err := withoutDotDot(path)
	t := target{asked: path, entry: entry, path: entry}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Lstat(entry)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return t, nil // what is wrong with it is told when it is looked at
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

// withoutDotDot is a path to the same file whose folder can be cut off as text:
// "link/../f" is in the folder above the one that the link leads to.
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

// replaces reports whether there is, or was, a file to be replaced.
func (t *target) replaces() bool { return t.old != nil }

// firstMode is the mode of the temporary while it is written. What replaces a
// file that others may not read must at no time be open to them.
func (t *target) firstMode() fs.FileMode {
	if t.replaces() {
		return 0o600
	}
	return 0o666 // less the umask
}

// look refuses what must not be replaced and notes the permissions of what is.
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
