package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/session/journal"
)

// TestInterrupted lists sessions without claiming them.
func TestInterrupted(t *testing.T) {
	s, path := model(t)
	dir := filepath.Dir(path)
	other := filepath.Join(dir, "other.onnx")
	check(t, os.WriteFile(other, nil, 0o600))
	hour := 0
	leave := func(model string, e journal.Entry) {
		t.Helper()
		hour++
		s.Now = func() time.Time { return time.Date(2026, 3, 4, hour, 0, 0, 0, time.UTC) }
		j := start(t, s, model)
		write(t, j, e)
		check(t, j.Leave())
	}
	leave(path, entry(path))
	leave(other, journal.Entry{Model: "other.onnx", Folder: dir, Job: "lathe bench other.onnx"})
	leave(path, entry(path))
	leave(other, journal.Entry{Model: "other.onnx", Folder: dir}) // did nothing
	leave(path, journal.Entry{Model: "m.onnx", Folder: dir, Job: "lathe check m.onnx"})
	open := start(t, s, other)
	write(t, open, entry(other)) // still in use
	before := names(t, s.Dir)

	list, err := s.Interrupted(t.Context())
	check(t, err)
	want := []journal.Interrupted{
		{Model: path, Named: "m.onnx", Folder: dir, Written: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC), Job: "lathe check m.onnx", Earlier: 2},
		{Model: other, Named: "other.onnx", Folder: dir, Written: time.Date(2026, 3, 4, 2, 0, 0, 0, time.UTC), Job: "lathe bench other.onnx"},
	}
	if diff := cmp.Diff(want, list, cmpopts.IgnoreFields(journal.Interrupted{}, "Host")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, names(t, s.Dir)); diff != "" {
		t.Errorf("the folder changed:\n%s", diff)
	}
	for _, l := range left(t, s, path, 3) { // they can still be claimed
		check(t, l.Keep())
	}
}

// TestInterruptedReportsWhatIsBroken lists the other journals in spite of a broken one.
func TestInterruptedReportsWhatIsBroken(t *testing.T) {
	s, path := model(t)
	j := start(t, s, path)
	write(t, j, entry(path))
	check(t, j.Leave())
	good := ""
	for _, name := range names(t, s.Dir) {
		if strings.HasSuffix(name, ".yaml") {
			good = name
		}
	}
	content, err := os.ReadFile(filepath.Join(s.Dir, good))
	check(t, err)
	moved := strings.Repeat("0", 32) + good[32:]
	check(t, os.WriteFile(filepath.Join(s.Dir, moved), content, 0o600))
	broken := strings.Repeat("f", 32) + good[32:]
	check(t, os.WriteFile(filepath.Join(s.Dir, broken), []byte("{"), 0o600))
	list, err := s.Interrupted(t.Context())
	if len(list) != 1 || list[0].Steps != 2 {
		t.Errorf("found %+v, want the good one", list)
	}
	if err == nil || !strings.Contains(err.Error(), moved+": is about another model") || !strings.Contains(err.Error(), broken+": ") {
		t.Errorf("the error is %v", err)
	}
	s.Dir = filepath.Join(s.Dir, "missing")
	if list, err := s.Interrupted(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("of a missing folder: %v, %v", list, err)
	}
}
