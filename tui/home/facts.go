package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
)

// facts is what the list shows about a model file.
type facts struct {
	isKnown  bool
	bytes    int64 // of the file and its external data, -1 if unknown
	opset    int64
	hasOpset bool
	latest   *store.Latest // nil if there is no measurement of this file
	err      error         // why it cannot be opened
	// withResults is true if the stored latencies were already known when the file was read.
	// Otherwise the file may have to be read again.
	withResults bool
}

// reader reads the facts of files.
type reader struct {
	folder  string
	open    func(path string) (*graphops.Model, error)
	results map[string]store.Latest // by absolute path; nil until they are read
}

// facts opens a file. A panic becomes the row's error: one file must not end the list.
func (r reader) facts(path string) (f facts) {
	defer func() {
		if p := recover(); p != nil {
			f.err = fmt.Errorf("internal error: %v", p)
		}
	}()
	f = facts{isKnown: true, bytes: -1, withResults: r.results != nil}
	full := filepath.Join(r.folder, path)
	info, statErr := os.Stat(full)
	if statErr == nil {
		f.bytes = info.Size()
	}
	m, err := r.open(full)
	if err != nil {
		f.err = errors.New(strings.TrimPrefix(err.Error(), full+": "))
		return f
	}
	f.opset, f.hasOpset = m.Opset(graphops.DefaultDomain)
	f.bytes = max(f.bytes, m.FileBytes()) + externalBytes(m)
	if l, ok := r.results[full]; ok && statErr == nil && isOf(l, m, modified(full, info)) {
		f.latest = &l
	}
	return f
}

// externalBytes returns the declared size of the weights in external files.
func externalBytes(m *graphops.Model) int64 {
	var sum int64
	for t := range m.ExternalTensors() {
		if n, err := t.ByteLen(); err == nil && sum+n > sum {
			sum += n
		}
	}
	return sum
}

// modified returns when a file, or a symbolic link to it, last changed.
func modified(path string, info fs.FileInfo) time.Time {
	at := info.ModTime()
	if link, err := os.Lstat(path); err == nil && link.ModTime().After(at) {
		at = link.ModTime()
	}
	return at
}

// isOf reports whether a measurement belongs to the present content of a model file.
func isOf(l store.Latest, m *graphops.Model, modified time.Time) bool {
	if modified.After(l.Time) {
		return false
	}
	if l.Structure == "" {
		return true
	}
	sum, err := graphops.StructureSum(m)
	return err == nil && sum == l.Structure
}
