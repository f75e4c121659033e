package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// keepLost is how long a file is kept if its model is gone or if it cannot be read.
	keepLost = 4 * 7 * 24 * time.Hour
	// keepAny is how long any file is kept.
	keepAny = 365 * 24 * time.Hour
)

// sweep removes files that are too old. It ignores errors, because the next sweep tries again.
func (s Store) sweep() {
	_ = s.names(func(name, _, id, kind string) {
		path := filepath.Join(s.Dir, name)
		info, err := os.Lstat(path)
		if err != nil || s.Now().Sub(info.ModTime()) < keepLost {
			return
		}
		old := s.Now().Sub(info.ModTime()) >= keepAny
		switch {
		case id == "":
			if old || isLost(path, modelOfView) {
				_ = remove(path)
			}
		case kind == "yaml":
			if old || isLost(path, modelOfJournal) {
				s.drop(path[:len(path)-len(".yaml")])
			}
		default: // the lock of a journal that was never written
			if _, err := os.Lstat(path[:len(path)-len(".lock")] + ".yaml"); errors.Is(err, fs.ErrNotExist) {
				s.drop(path[:len(path)-len(".lock")])
			}
		}
	})
}

// drop removes a journal and its lock, unless a process holds the lock.
func (s Store) drop(base string) {
	held, err := claim(base+".lock", os.O_CREATE)
	if err != nil {
		return
	}
	j := &Journal{store: s, base: base, lock: held}
	_ = j.end(true)
}

// isLost reports whether the file cannot be read or the model that it is about no longer exists.
func isLost(path string, model func([]byte) (string, error)) bool {
	content, err := read(path)
	if err != nil {
		return true
	}
	at, err := model(content)
	if err != nil {
		return true
	}
	_, err = os.Stat(at)
	return errors.Is(err, fs.ErrNotExist)
}

func modelOfJournal(content []byte) (string, error) {
	f, _, err := decode(content)
	if err != nil {
		return "", err
	}
	return f.Files[0].Path, nil
}

func modelOfView(content []byte) (string, error) {
	f, err := decodeView(content)
	return f.Model, err
}
