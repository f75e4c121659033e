package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"lathe/graphops/pattern"
)

// tempName is the parts of a temporary name, such as .out.onnx.ABCDEFGH.lathe-tmp. The temporary
// names of files that are written together have the same id.
type tempName struct {
	base string // name of the file that it becomes, or is
	id   string
	kind tempKind
}

// tempKind says what a temporary name is for, and thereby what to do with it if its process was
// killed.
type tempKind string

const (
	tempWhole tempKind = ""     // no file refers to it, so it can be removed
	tempNew   tempKind = ".new" // also the second name of a file of a Group in place
	tempOld   tempKind = ".old" // the second name of a file about to be removed
)

var tempPattern = pattern.New(`^\.(.+)\.([A-Z2-7]{8})(\.new|\.old)?\.lathe-tmp$`)

// maxTempBase is the maximum length of the part that comes from the file's name. A name has at most
// 255 bytes, and the rest is for the other parts.
const maxTempBase = 200

// maxTempEnd is the number of bytes that are kept from the end of a longer name.
const maxTempEnd = 16

func newTempName(t Target) tempName {
	return tempName{base: filepath.Base(t.Path), id: rand.Text()[:8]}
}

// of returns the temporary name for another file that is written together with this one.
func (n tempName) of(base string, k tempKind) tempName {
	return tempName{base: base, id: n.id, kind: k}
}

func (n tempName) String() string {
	base := n.base
	if len(base) > maxTempBase {
		// The end is kept, because files that are written together differ in the end of their names.
		base = strings.ToValidUTF8(base[:maxTempBase-maxTempEnd], "") + strings.ToValidUTF8(base[len(base)-maxTempEnd:], "")
	}
	return fmt.Sprintf(".%s.%s%s.lathe-tmp", base, n.id, n.kind)
}

// IsTemporary reports whether a file of this name is being written, or was left by a killed process.
func IsTemporary(name string) bool {
	_, ok := parseTempName(name)
	return ok
}

func parseTempName(s string) (n tempName, ok bool) {
	m := tempPattern.FindStringSubmatch(s)
	if m == nil {
		return n, false
	}
	return tempName{base: m[1], id: m[2], kind: tempKind(m[3])}, true
}

// temporary is a file with a temporary name. It is locked while it is in use. The system releases
// the lock when the process ends, even if it is killed. A temporary file that another process can
// lock is therefore stale.
type temporary struct {
	file *os.File // nil after it is closed
	path string   // empty after it has its final name
}

// errSwept is the error if another process removes a temporary file as stale between its creation
// and its locking.
var errSwept = errors.New("its temporary file is repeatedly removed by another program")

// withNewName calls f with a new temporary name. If another process removes the temporary file of f
// as stale, it tries again with another name. With the same name, that process could remove the
// second file in place of the first.
func withNewName(t Target, f func(tempName) error) (err error) {
	for range 100 {
		if err = f(newTempName(t)); !errors.Is(err, errSwept) {
			break
		}
	}
	return err
}

// createTemporary creates a new file and locks it.
func createTemporary(path string, perm fs.FileMode) (*temporary, error) {
	f, err := live.create(path, perm)
	if err != nil {
		return nil, err
	}
	t := &temporary{file: f, path: path}
	// If the file system has no locks, f is used without one. No other process can lock it then, so
	// none removes it as stale.
	if err := Lock(f); errors.Is(err, ErrHeld) || !IsAt(f, path) {
		t.remove()
		return nil, errSwept
	}
	return t, nil
}

// forget makes RemoveTemporaries leave the temporary file alone.
func (t *temporary) forget() { live.forget(t.path) }

// remove removes the file, unless it has its final name already, and closes it.
func (t *temporary) remove() {
	if t.path != "" {
		_ = os.Remove(t.path) // the caller reports the original error
		t.forget()
		t.path = ""
	}
	_ = t.close()
}

func (t *temporary) close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// live are the temporary files that this process is writing.
var live = liveTemporaries{paths: map[string]bool{}}

type liveTemporaries struct {
	mu     sync.Mutex
	paths  map[string]bool
	closed bool
}

var errClosed = errors.New("the program is ending")

func (l *liveTemporaries) create(path string, perm fs.FileMode) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		l.paths[path] = true
	}
	return f, err
}

func (l *liveTemporaries) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.paths, path)
}

// RemoveTemporaries removes the files that are being written. It is called when the program is
// about to end without waiting for them. Writing these files fails from then on, and no new ones
// are created. Files that are about to be renamed are kept.
func RemoveTemporaries() {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.closed = true
	for path := range live.paths {
		_ = os.Remove(path) // errors cannot be reported any more
	}
	clear(live.paths)
}
