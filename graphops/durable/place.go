package durable

import (
	"errors"
	"fmt"
	"os"
)

// place gives the finished temporary file its final name and syncs the folder.
func (o *output) place() error {
	err := o.rename()
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("was removed by another program while it was written; write it again")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.target.Asked, withoutPath(err))
	}
	o.temp.path = ""
	syncFolder(o.target.Folder())
	return nil
}

func (o *output) rename() error {
	if o.o.Overwrite {
		return os.Rename(o.temp.path, o.target.Path)
	}
	return placeNew(o.temp.path, o.target.Path)
}

// placeNew renames a file unless the new name exists, so that it never replaces a file that another
// program has just created. If the system has no call for that, placeNew creates a hard link and
// removes the old name. On a file system without hard links it can only check first and then
// rename.
func placeNew(from, to string) error {
	err := renameNew(from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		if errors.Is(err, os.ErrExist) {
			return errExists
		}
		return err
	}
	if err = os.Link(from, to); err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, os.ErrExist) {
		return errExists
	}
	if _, err := os.Lstat(to); err == nil {
		return errExists
	}
	return os.Rename(from, to)
}

// syncFolder makes a rename durable. It ignores errors, because some file systems cannot sync a
// folder and the rename has happened anyway.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
