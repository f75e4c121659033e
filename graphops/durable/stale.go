package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// RemoveStale removes what killed processes left in a folder: temporary files that no process has
// locked. It handles the second names of files that were written together first, because what
// happens to them depends on whether the temporary file of their main file still exists. Errors are
// ignored, as these files do not interfere with the following write.
//
// isOrphan reports whether a leftover can be removed because no file needs it. If it is nil, the
// files of a group stay with all their temporary names, so that a later call can judge them.
func RemoveStale(folder string, isOrphan func(Leftover) bool) {
	names := temporariesIn(folder)
	if isOrphan == nil {
		names = withoutGroups(names)
	}
	for _, whole := range []bool{false, true} {
		for _, n := range names {
			if whole == (n.kind == tempWhole) {
				n.removeStale(folder, isOrphan)
			}
		}
	}
}

func withoutGroups(names []tempName) []tempName {
	ofGroup := map[string]bool{} // by id
	for _, n := range names {
		ofGroup[n.id] = ofGroup[n.id] || n.kind != tempWhole
	}
	return slices.DeleteFunc(names, func(n tempName) bool { return ofGroup[n.id] })
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

func (n tempName) removeStale(folder string, isOrphan func(Leftover) bool) {
	path := filepath.Join(folder, n.String())
	f := lockStale(path)
	if f == nil {
		return
	}
	defer f.Close()
	if own := filepath.Join(folder, n.base); n.kind != tempWhole && IsAt(f, own) &&
		isOrphan(Leftover{folder, n.base, n.kind == tempOld, n.id}) {
		_ = os.Remove(own)
	}
	_ = os.Remove(path)
}

// Leftover is a file that a killed process was about to add or to remove when it wrote several files
// together (see Group).
type Leftover struct {
	Folder string
	Name   string
	// Old is set if the file belonged to the replaced main file, and not to the new one.
	Old bool
	id  string
}

// Replaced reports whether the killed process had replaced the main file, which has the given name
// in the same folder. Its temporary file exists until then.
func (l Leftover) Replaced(main string) bool {
	_, err := os.Lstat(filepath.Join(l.Folder, tempName{base: main, id: l.id}.String()))
	return errors.Is(err, os.ErrNotExist)
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
	if err != nil || !info.Mode().IsRegular() || Lock(f) != nil || !IsAt(f, path) {
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
