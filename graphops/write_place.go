package graphops

import (
	"errors"
	"fmt"
	"os"
)

// place gives the finished temporary its name, durably.
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

// placeNew renames without replacing: what another program has put there since
// the target was looked at stays. Where the system has no such call a link does
// it in one step too, under both names for a moment; a file system without
// links is left with a look.
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

// syncFolder makes a rename durable. Some file systems cannot sync a folder;
// the rename has happened all the same.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
