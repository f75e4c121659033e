package graphops

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"lathe/graphops/flock"
)

// tempName is the name of a temporary: .out.onnx.ABCDEFGH.lathe-tmp. Those of one
// model and its data share the id.
type tempName struct {
	base string // of the file that it becomes, or is
	id   string
	kind tempKind
}

// tempKind tells what becomes of a temporary whose process was killed.
type tempKind string

const (
	tempWhole tempKind = ""     // nothing refers to it
	tempNew   tempKind = ".new" // also the second name of a data file in place
	tempOld   tempKind = ".old" // the second name of a data file about to go
)

var tempPattern = regexp.MustCompile(`^\.(.+)\.([A-Z2-7]{8})(\.new|\.old)?\.lathe-tmp$`)

// maxTempBase leaves room in a name, which has 255 bytes at most, for the rest.
const maxTempBase = 200

// maxTempEnd is how much of that is the end of a longer name.
const maxTempEnd = 16

func newTempName(t target) tempName {
	return tempName{base: filepath.Base(t.path), id: rand.Text()[:8]}
}

// of is a name of another file that goes with this one.
func (n tempName) of(base string, k tempKind) tempName {
	return tempName{base: base, id: n.id, kind: k}
}

func (n tempName) String() string {
	base := n.base
	if len(base) > maxTempBase {
		// The ends of names tell the data files of a model apart.
		base = strings.ToValidUTF8(base[:maxTempBase-maxTempEnd], "") + strings.ToValidUTF8(base[len(base)-maxTempEnd:], "")
	}
	return fmt.Sprintf(".%s.%s%s.lathe-tmp", base, n.id, n.kind)
}

func parseTempName(s string) (n tempName, ok bool) {
	m := tempPattern.FindStringSubmatch(s)
	if m == nil {
		return n, false
	}
	return tempName{base: m[1], id: m[2], kind: tempKind(m[3])}, true
}

// temporary is a file under a temporary name. While it is in use it is locked,
// and the lock goes with the process, however that ends: a temporary that can be
// locked by another is stale.
type temporary struct {
	file *os.File // nil once it is closed
	path string   // "" once it has its own name
}

// errSwept is about a temporary that another process took for a stale one,
// because it came between making and locking it.
var errSwept = errors.New("its temporary file is removed by another program again and again")

// withNewName calls f until what it makes is not swept, with another name each
// time: a name that is used twice could be removed for the sake of the first.
func withNewName(t target, f func(tempName) error) (err error) {
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
	// Where there are no locks, nobody can take it for stale.
	if err := flock.Lock(f); errors.Is(err, flock.ErrHeld) || !flock.IsAt(f, path) {
		t.remove()
		return nil, errSwept
	}
	return t, nil
}

// forget lets the temporary stay when the program ends on the spot.
func (t *temporary) forget() { live.forget(t.path) }

// remove removes the file unless it has its own name, and closes it.
func (t *temporary) remove() {
	if t.path != "" {
		_ = os.Remove(t.path) // the error that brought us here is the one to tell
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

// live are the temporaries that this process is writing.
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

// RemoveTemporaries removes the files that are being written, for a program that
// ends on the spot: what still writes them ends with an error, and no other is
// begun. Files that are about to take their place are left to do so.
func RemoveTemporaries() {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.closed = true
	for path := range live.paths {
		_ = os.Remove(path) // nobody is left to tell
	}
	clear(live.paths)
}
