package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Left is a journal that was left behind. This process holds its lock until Continue, Keep or
// Discard is called. So if two workbenches start at the same time, only one of them can continue
// it.
type Left struct {
	Entry
	Written time.Time
	Host    string // where the workbench ran
	// Changed are the files that the history depends on and that have been changed since then. If
	// the model is among them, it comes first.
	Changed []string

	journal *Journal
}

// Left returns the journals that workbenches on a model left behind, the latest first. If a journal
// cannot be read, it returns an error, and still returns the others.
func (s Store) Left(model string) ([]*Left, error) {
	var list []*Left
	var errs []error
	hash := hashOf(model)
	err := s.names(func(name, h, _, kind string) {
		if h != hash || kind != "yaml" {
			return
		}
		l, err := s.takeUp(filepath.Join(s.Dir, name), realPath(model))
		if err != nil {
			errs = append(errs, err)
		}
		if l != nil {
			list = append(list, l)
		}
	})
	slices.SortFunc(list, func(a, b *Left) int {
		return cmp.Or(b.Written.Compare(a.Written), cmp.Compare(a.journal.base, b.journal.base))
	})
	return list, errors.Join(append(errs, err)...)
}

// takeUp locks a journal and reads it. It returns nil if another process holds the lock.
func (s Store) takeUp(path, model string) (*Left, error) {
	base := path[:len(path)-len(".yaml")]
	held, err := claim(base+".lock", os.O_CREATE)
	if errors.Is(err, errHeld) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &Left{journal: &Journal{store: s, base: base, lock: held}}
	content, err := read(path)
	if errors.Is(err, fs.ErrNotExist) { // discarded in the meantime
		return nil, l.journal.end(true)
	}
	var f file
	if err == nil {
		f, l.Entry, err = decode(content)
		if err == nil && f.Files[0].Path != model {
			err = aboutAnother(f.Files[0].Path)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.journal.end(false))
	}
	l.Written, l.Host = f.Written, f.Process.Host
	for _, state := range f.Files {
		if !state.isSame() {
			l.Changed = append(l.Changed, state.Path)
		}
	}
	return l, nil
}

func aboutAnother(model string) error { return fmt.Errorf("is about another model, %q", model) }

// Continue returns the journal, still locked, as that of this workbench.
func (l *Left) Continue() *Journal { return l.journal }

// Keep releases the journal and leaves it for another time.
func (l *Left) Keep() error { return l.journal.Leave() }

// Discard removes the journal and its lock.
func (l *Left) Discard() error { return l.journal.Close() }
