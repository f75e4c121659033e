package durable

import (
	"fmt"
	"os"
	"path/filepath"
)

// mostTries is how often a temporary folder is made if another process removes it before it is locked.
const mostTries = 8

// lockedTemp makes a temporary folder beside path and locks it, as long as the returned file is open.
// On file systems without locks the file is nil.
func lockedTemp(path string) (temp string, lock *os.File, err error) {
	for range mostTries {
		if temp, err = os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+tempEnd); err != nil {
			return "", nil, err
		}
		if f, failure := os.Open(temp); failure == nil {
			if Lock(f) == nil && IsAt(f, temp) {
				return temp, f, nil
			}
			f.Close()
		}
		if _, gone := os.Lstat(temp); gone == nil {
			return temp, nil, nil // it cannot be locked
		}
	}
	return "", nil, fmt.Errorf("%s: another process removes each temporary folder beside it", path)
}

const tempEnd = ".lathe-tmp"

// removeStaleFolders removes the temporary folders that killed processes left when they wrote a folder of
// this name: those that no process has locked. Errors are ignored, because what stays is in nobody's way.
func removeStaleFolders(path string) {
	list, err := filepath.Glob(filepath.Join(escaped(filepath.Dir(path)), "."+escaped(filepath.Base(path))+".*"+tempEnd))
	if err != nil {
		return
	}
	for _, name := range list {
		info, err := os.Lstat(name)
		if err != nil || !info.IsDir() {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if Lock(f) == nil && IsAt(f, name) {
			_ = os.RemoveAll(name)
		}
		f.Close()
	}
}

// escaped returns a name as a pattern of filepath.Glob that matches only that name.
func escaped(name string) string {
	var out []rune
	for _, r := range name {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
