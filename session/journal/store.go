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
	"time"

	"lathe/graphops/pattern"
)

// Store is a folder of journals and views.
type Store struct {
	Dir string // from the function Dir; made by the first write
	Now func() time.Time
}

// Dir returns the folder of the journals. stateHome is the folder for the state of programs,
// usually $XDG_STATE_HOME.
func Dir(stateHome string) string { return filepath.Join(stateHome, "lathe", "sessions") }

// fileName matches the names of the files in the folder. The groups are the hash, the ID of the
// workbench, and the extension. For a view, the last two are empty.
var fileName = pattern.New(`^([0-9a-f]{32})(?:-([0-9a-f]{16})\.(yaml|lock)|\.view\.yaml)$`)

// hashOf returns a hash that identifies a model file. It is that of the path with all symbolic
// links resolved, so it is the same for every path to the file.
func hashOf(model string) string {
	sum := sha256.Sum256([]byte(realPath(model)))
	return hex.EncodeToString(sum[:16])
}

// realPath returns the absolute path with symbolic links resolved, as far as the path exists.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// Start begins a journal for a model. First it removes files from the folder that are too old. It
// writes only the lock file; the first Flush writes the journal.
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
	return nil, fmt.Errorf("%s: another program keeps removing its lock files", s.Dir)
}

// names calls each for every file in the folder, with its name and the groups of fileName.
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
