package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lathe/graphops/permit"
)

// WriteFolder writes a new folder whole or not at all. fill gets the path of a temporary folder beside
// it, which becomes the folder if fill and ctx return no error. Another file or folder is never
// replaced. Errors of WriteFolder itself start with the path.
//
// If the process is killed, the temporary folder stays; its name ends like that of a temporary file.
// The next call with the same path removes it, unless a process is still writing it.
func WriteFolder(ctx context.Context, path string, fill func(temporary string) error) error {
	path = filepath.Clean(path)
	if err := CheckNewFolder(path); err != nil {
		return err
	}
	if err := permit.ToWrite(ctx, path, false); err != nil {
		return err
	}
	removeStaleFolders(path)
	temp, lock, err := lockedTemp(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	defer lock.Close()                        // nothing was written through it
	defer func() { _ = os.RemoveAll(temp) }() // it is gone if it became the folder
	if err := fill(temp); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(temp, 0o755), syncTree(temp), ctx.Err()); err != nil { //nolint:gosec // what a new folder has
		return fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	if err := placeNew(temp, path); err != nil {
		return fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// CheckNewFolder returns the error that WriteFolder would return first, so that it is reported before
// a long run.
func CheckNewFolder(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%s: exists already, and a folder is never replaced; choose another name", path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", path, withoutPath(err))
	}
	info, err := os.Stat(filepath.Dir(filepath.Clean(path)))
	switch {
	case err != nil:
		return fmt.Errorf("%s: the folder %s: %w", path, filepath.Dir(path), withoutPath(err))
	case !info.IsDir():
		return fmt.Errorf("%s: %s is not a folder", path, filepath.Dir(path))
	}
	return nil
}

// syncTree makes the content of a folder durable. Files of this package are synced already, but not
// the ones that the caller copied.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			if err == nil && d.IsDir() {
				syncFolder(path)
			}
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close() // synced, or the error says why not
		return f.Sync()
	})
}
