package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Store is a folder of journals and views.
type Store struct {
	Dir string // from the function Dir; made by the first write
	Now func() time.Time
}

// Dir returns the folder of journals below the folder for state, which is $XDG_STATE_HOME if that
// is set.
func Dir(stateHome string) string { return filepath.Join(stateHome, "lathe", "sessions") }

// fileName matches the files of the folder. Its groups are the parts of the name.
var fileName = regexp.MustCompile(`^([0-9a-f]{32})(?:-([0-9a-f]{16})\.(yaml|lock)|\.view\.yaml)$`)

// hashOf identifies a model file by its path without links, so that every path to the file has the
// same hash.
func hashOf(model string) string {
	sum := sha256.Sum256([]byte(realPath(model)))
	return hex.EncodeToString(sum[:16])
}

// realPath returns the absolute path without links, as far as the path exists.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// Start begins a journal of a model. It writes only the lock file. First it removes old files from
// the folder.
func (s Store) Start(model string) (*Journal, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	s.sweep()
	for range 100 {
		id := make([]byte, 8)
		_, _ = rand.Read(id) // never fails
		base := filepath.Join(s.Dir, hashOf(model)+"-"+hex.EncodeToString(id))
		held, err := claim(base+".lock", os.O_CREATE|os.O_EXCL)
		if err == nil {
			return &Journal{store: s, base: base, lock: held}, nil
		}
		if !errors.Is(err, errHeld) && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: its lock files are removed by another program again and again", s.Dir)
}

// names calls each for the files in the folder, with the parts of their names.
func (s Store) names(each func(name, hash, id, kind string)) error {
	list, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if m := fileName.FindStringSubmatch(e.Name()); m != nil {
			each(m[0], m[1], m[2], m[3])
		}
	}
	return err
}
