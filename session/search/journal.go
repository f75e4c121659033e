package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops/durable"
)

// Journal is a file with the trials of a search, a line of JSON each. Lines are only appended, so that
// a process that is killed loses at most the trial in progress. A last line that is not complete is
// removed when the file is opened; other lines that are not trials are passed over.
type Journal struct {
	file  *os.File
	units int
	known map[string]Outcome
}

// ErrBusy is the error of OpenJournal if another process appends to the file.
var ErrBusy = errors.New("another search with the same model, data and options is in progress; wait for it, or stop it")

// entry is a line of the file.
type entry struct {
	Assignment Assignment `json:"assignment"`
	Outcome
}

// OpenJournal opens the file at a path, or makes it, for assignments of some units. Its folder is made
// too.
func OpenJournal(path string, units int) (_ *Journal, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := durable.Lock(f); errors.Is(err, durable.ErrHeld) {
		return nil, ErrBusy
	} else if err != nil {
		return nil, fmt.Errorf("%s: cannot be locked: %w", path, err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	known, whole := readEntries(content, units)
	if whole < int64(len(content)) {
		if err := f.Truncate(whole); err != nil {
			return nil, err
		}
	}
	return &Journal{f, units, known}, nil
}

// readEntries returns the trials of a file's content, and the length of its complete lines.
func readEntries(content []byte, units int) (known map[string]Outcome, whole int64) {
	known = map[string]Outcome{}
	for {
		at := bytes.IndexByte(content[whole:], '\n')
		if at < 0 {
			return known, whole
		}
		line := content[whole : whole+int64(at)]
		whole += int64(at) + 1
		var e entry
		if json.Unmarshal(line, &e) == nil && len(e.Assignment) == units && (e.Failed != "" || e.Bytes > 0) {
			known[string(e.Assignment)] = e.Outcome
		}
	}
}

// Get returns the outcome of a trial in the file.
func (j *Journal) Get(a Assignment) (Outcome, bool) {
	o, ok := j.known[string(a)]
	return o, ok
}

// Trials returns the trials of the file, in no order.
func (j *Journal) Trials() (out []Trial) {
	for a, o := range j.known {
		out = append(out, Trial{Assignment(a), o})
	}
	return out
}

// Put appends a trial.
func (j *Journal) Put(a Assignment, o Outcome) error {
	line, err := json.Marshal(entry{a, o})
	if err != nil {
		return err
	}
	j.known[string(a)] = o
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// Close closes the file, which ends the lock.
func (j *Journal) Close() error { return j.file.Close() }
