package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Interrupted describes the last session of a model that ended without being closed, for a list. To
// continue such a session, use Store.Left, which also locks its journal.
type Interrupted struct {
	Model   string // the absolute path of the model file, without links
	Named   string // the model file, as the person typed it in Folder
	Folder  string // the working folder of the session
	Host    string // where the workbench ran
	Written time.Time
	Steps   int
	Job     string // the command that was running, or ""
	Earlier int    // number of earlier interrupted sessions of the model
}

// Interrupted lists the models whose sessions ended without being closed, the latest first. It
// leaves out sessions in which no step was taken and no job ran. If a journal cannot be read, it
// returns an error, and still returns the list of the others.
func (s Store) Interrupted(ctx context.Context) ([]Interrupted, error) {
	latest := map[string]Interrupted{}
	var errs []error
	err := s.names(func(name, hash, _, kind string) {
		if kind != "yaml" || ctx.Err() != nil {
			return
		}
		i, err := describe(filepath.Join(s.Dir, name), hash)
		if err != nil {
			errs = append(errs, err)
		}
		if err != nil || i.Steps == 0 && i.Job == "" {
			return
		}
		if known, ok := latest[i.Model]; ok {
			if known.Written.After(i.Written) {
				i, known = known, i
			}
			i.Earlier = max(i.Earlier, known.Earlier) + 1
		}
		latest[i.Model] = i
	})
	list := make([]Interrupted, 0, len(latest))
	for _, i := range latest {
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b Interrupted) int {
		return cmp.Or(b.Written.Compare(a.Written), strings.Compare(a.Model, b.Model))
	})
	return list, errors.Join(append(errs, err, ctx.Err())...)
}

// describe reads the journal at path. The description is empty if a process is using the journal,
// or if the journal no longer exists. hash is the hash of the model's path, as in the name of the
// file.
func describe(path, hash string) (Interrupted, error) {
	content, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Interrupted{}, nil
	}
	var i Interrupted
	if err == nil {
		i, err = description(content, hash)
	}
	// Checking whether the lock is held takes it for a moment. A workbench that starts in that
	// moment believes that the journal is in use. So this is done last, and only briefly.
	held, locking := isHeld(path[:len(path)-len(".yaml")] + ".lock")
	switch {
	case held:
		return Interrupted{}, nil
	case err == nil:
		err = locking
	}
	if err != nil {
		return Interrupted{}, fmt.Errorf("%s: %w", path, err)
	}
	return i, nil
}

func description(content []byte, hash string) (Interrupted, error) {
	f, e, err := decode(content)
	if err != nil {
		return Interrupted{}, err
	}
	model := f.Files[0].Path
	if hashOf(model) != hash {
		return Interrupted{}, aboutAnother(model)
	}
	return Interrupted{
		Model: model, Named: e.Model, Folder: e.Folder, Host: f.Process.Host, Written: f.Written,
		Steps: len(e.History), Job: e.Job,
	}, nil
}

// isHeld reports whether a process holds the lock file.
func isHeld(path string) (bool, error) {
	f, err := claim(path, 0)
	switch {
	case errors.Is(err, errHeld):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return false, f.Close()
}
