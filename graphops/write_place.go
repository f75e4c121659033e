package graphops

import (
	"errors"
	"fmt"
	"os"
)

// place renames the finished temporary file, durably.
func (o *output) place() error {
	err := o.rename()
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("was removed by another program while it was written; write it again")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.target.asked, withoutPath(err))
	}
	o.temp.path = ""
	syncFolder(o.target.folder())
	return nil
}

func (o *output) rename() error {
	if o.o.Overwrite {
		return os.Rename(o.temp.path, o.target.path)
	}
	return placeNew(o.temp.path, o.target.path)
}

// placeNew renames without replacing, so that a file created by another program since the check
// is kept. If the system has no such call, a hard link does it in one step too, but with both names
// for a moment. On a file system without links it can only check first.
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

// syncFolder makes a rename durable. Some file systems cannot sync a folder, but the rename has
// happened anyway.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
