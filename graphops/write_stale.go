package graphops

import (
	"errors"
	"os"
	"path/filepath"

	"lathe/graphops/flock"

	"golang.org/x/sys/unix"
)

// removeStale removes what killed processes left in a folder: temporary files that no process has
// locked. It handles the temporary names of data files first, because what happens to them depends
// on whether the temporary file of their model still exists. Errors are ignored, as these files do
// not interfere with the following write.
func removeStale(folder string) {
	names := temporariesIn(folder)
	for _, whole := range []bool{false, true} {
		for _, n := range names {
			if whole == (n.kind == tempWhole) {
				n.removeStale(folder)
			}
		}
	}
}

func temporariesIn(folder string) []tempName {
	d, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1)
	var out []tempName
	for _, s := range list {
		if n, ok := parseTempName(s); ok {
			out = append(out, n)
		}
	}
	return out
}

func (n tempName) removeStale(folder string) {
	path := filepath.Join(folder, n.String())
	f := lockStale(path)
	if f == nil {
		return
	}
	defer f.Close()
	if own := filepath.Join(folder, n.base); n.kind != tempWhole && flock.IsAt(f, own) && n.isOrphan(folder) {
		_ = os.Remove(own)
	}
	_ = os.Remove(path)
}

// isOrphan reports whether a data file with this temporary name belongs to no model. Its process
// was killed while it replaced a model. If the temporary file of the new model still exists, the
// old model was not replaced, and the new data is not needed. Otherwise the data of the old model
// is not needed. The file is kept if its model refers to it, if its model cannot be read, or if
// another model uses it.
func (n tempName) isOrphan(folder string) bool {
	base, ok := modelOfData(n.base)
	if !ok {
		return false
	}
	_, err := os.Lstat(filepath.Join(folder, tempName{base: base, id: n.id}.String()))
	replaced := errors.Is(err, os.ErrNotExist)
	if replaced != (n.kind == tempOld) {
		return false
	}
	own := filepath.Join(folder, n.base)
	named, err := filesNamedBy(filepath.Join(folder, base))
	switch {
	case err == nil && named.have(own), err != nil && !errors.Is(err, os.ErrNotExist):
		return false
	}
	return usersOfData([]string{own}, filepath.Join(folder, base)).reasonToKeep(own) == ""
}

// lockStale opens and locks a temporary file that no process uses. It returns nil if the file is in
// use, is not a regular file, or cannot be locked. On some network file systems no file can be
// locked, so stale files are not recognised there.
func lockStale(path string) *os.File {
	f, err := openForLock(path)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || flock.Lock(f) != nil || !flock.IsAt(f, path) {
		f.Close()
		return nil
	}
	return f
}

// openForLock opens a file so that it can be locked. It opens it for writing if possible, because
// some network file systems can lock only such files. A symbolic link is an error.
func openForLock(path string) (*os.File, error) {
	const flags = unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0)
	if errors.Is(err, os.ErrPermission) {
		f, err = os.OpenFile(path, os.O_RDONLY|flags, 0)
	}
	return f, err
}
