package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/session"
	"lathe/session/journal"
)

// hold is the environment variable that turns the test binary into a workbench. It writes a journal
// into the folder that the variable names, and waits to be killed.
const hold = "LATHE_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(hold); dir != "" {
		holdJournal(dir)
	}
	os.Exit(m.Run())
}

func holdJournal(dir string) {
	j, err := journal.Store{Dir: filepath.Join(dir, "journals"), Now: time.Now}.Start(filepath.Join(dir, "m.onnx"))
	if err == nil {
		j.Put(journal.Entry{Model: "m.onnx", Folder: dir, Job: "lathe bench m.onnx"})
		err = j.Flush(context.Background())
	}
	fmt.Println("ready", err)
	select {}
}

// model makes a folder with a model file.
func model(t *testing.T) (s journal.Store, path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "m.onnx")
	check(t, os.WriteFile(path, []byte("model"), 0o600))
	return journal.Store{Dir: filepath.Join(dir, "journals"), Now: time.Now}, path
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, s journal.Store, path string) *journal.Journal {
	t.Helper()
	j, err := s.Start(path)
	check(t, err)
	t.Cleanup(func() { check(t, j.Close()) })
	return j
}

// left expects n journals that were left behind.
func left(t *testing.T, s journal.Store, path string, n int) []*journal.Left {
	t.Helper()
	list, err := s.Left(path)
	check(t, err)
	if len(list) != n {
		t.Fatalf("%d journals are left, want %d", len(list), n)
	}
	return list
}

func write(t *testing.T, j *journal.Journal, e journal.Entry) {
	t.Helper()
	j.Put(e)
	check(t, j.Flush(t.Context()))
}

// names lists the files in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func entry(path string) journal.Entry {
	hostile := "a\xff\x1b[2J\u202e\u009b\n"
	return journal.Entry{
		Model: filepath.Base(path), Folder: filepath.Dir(path),
		History: []session.Past{
			{Call: session.Call{Step: "inspect"}},
			{Call: session.Call{Step: "prune", Options: []session.Setting{{Name: "output", Values: []string{hostile, "h"}}, {Name: "out", Values: []string{"x.onnx"}}}}, Changed: true},
		},
		Job:  "lathe bench '" + hostile + "'",
		View: journal.View{"row": {hostile}, hostile: {"", "true", "1"}, "marks": {}},
	}
}

// TestLeft follows a lost connection: a journal is written, left, found, continued, and ended.
func TestLeft(t *testing.T) {
	s, path := model(t)
	left(t, s, path, 0)
	want := entry(path)
	j := start(t, s, path)
	write(t, j, journal.Entry{Model: path})
	j.Put(journal.Entry{Model: path})
	write(t, j, want)
	left(t, s, path, 0) // it is held
	before := time.Now()
	check(t, j.Leave())

	found := left(t, s, path, 1)[0]
	if diff := cmp.Diff(want, found.Entry, cmpopts.IgnoreUnexported(session.Call{}, session.Setting{})); diff != "" {
		t.Error(diff)
	}
	if age := before.Sub(found.Written); age < 0 || age > time.Minute || len(found.Changed) > 0 {
		t.Errorf("written %v ago, changed since: %v", age, found.Changed)
	}
	left(t, s, path, 0) // it is held by the process that found it
	check(t, found.Keep())
	j = left(t, s, path, 1)[0].Continue()
	write(t, j, want)
	left(t, s, path, 0)
	check(t, j.Close(), j.Close())
	j.Put(want)
	check(t, j.Flush(t.Context()))
	if got := names(t, s.Dir); len(got) > 0 {
		t.Errorf("the folder holds %v", got)
	}
}

// TestSeveral checks that two workbenches on one file have separate journals, the later first.
func TestSeveral(t *testing.T) {
	s, path := model(t)
	a, b := start(t, s, path), start(t, s, path)
	write(t, a, journal.Entry{Model: path, Job: "a"})
	write(t, b, journal.Entry{Model: path, Job: "b"})
	check(t, a.Leave())
	if l := left(t, s, path, 1)[0]; l.Job != "a" {
		t.Errorf("found %q", l.Job)
	} else {
		check(t, l.Keep(), b.Leave())
	}
	list := left(t, s, path, 2)
	if list[0].Job != "b" || list[1].Job != "a" {
		t.Errorf("found %q, %q", list[0].Job, list[1].Job)
	}
	check(t, list[0].Discard(), list[1].Keep())
	left(t, s, path, 1)
	other := filepath.Join(filepath.Dir(path), "other.onnx")
	left(t, s, other, 0)
	check(t, os.Symlink("m.onnx", other))
}

// TestLinks checks that the journal of a model is found by every path to it.
func TestLinks(t *testing.T) {
	s, path := model(t)
	link := filepath.Join(t.TempDir(), "link.onnx")
	check(t, os.Symlink(path, link))
	j := start(t, s, link)
	write(t, j, journal.Entry{Model: link})
	check(t, j.Leave())
	left(t, s, path, 1)
}

// TestChanged checks that changed files are reported.
func TestChanged(t *testing.T) {
	s, path := model(t)
	dir := filepath.Dir(path)
	data := filepath.Join(dir, "next.onnx")
	check(t, os.WriteFile(data, nil, 0o600))
	j := start(t, s, path)
	merge := session.Call{Step: "merge", Options: []session.Setting{{Name: "with", Values: []string{"next.onnx"}}}}
	write(t, j, journal.Entry{Model: "m.onnx", Folder: dir, History: []session.Past{{Call: merge, Changed: true}}})
	check(t, j.Leave())
	look := func(want ...string) {
		t.Helper()
		l := left(t, s, path, 1)[0]
		if diff := cmp.Diff(want, l.Changed); diff != "" {
			t.Error(diff)
		}
		check(t, l.Keep())
	}
	look()
	check(t, os.WriteFile(data, []byte("longer"), 0o600))
	look(data)
	check(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
	look(path, data)
	check(t, os.Remove(data))
	look(path, data)
}

// TestKilled finds the journal of a process as soon as the process is dead.
func TestKilled(t *testing.T) {
	s, path := model(t)
	self, err := os.Executable()
	check(t, err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), hold+"="+filepath.Dir(path))
	out, err := c.StdoutPipe()
	check(t, err, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "ready <nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}
	left(t, s, path, 0)
	check(t, c.Process.Kill())
	_ = c.Wait() // it was killed
	if l := left(t, s, path, 1)[0]; l.Job != "lathe bench m.onnx" {
		t.Errorf("found %+v", l.Entry)
	}
}

// TestBroken checks the errors for files that were tampered with. Other journals are still listed.
func TestBroken(t *testing.T) {
	s, path := model(t)
	j := start(t, s, path)
	write(t, j, entry(path))
	check(t, j.Leave())
	file := ""
	for _, name := range names(t, s.Dir) {
		if strings.HasSuffix(name, ".yaml") {
			file = filepath.Join(s.Dir, name)
		}
	}
	b, err := os.ReadFile(file)
	check(t, err)
	good := string(b)
	replace := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("%q is not in\n%s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	for _, c := range []struct{ content, want string }{
		{"", "is empty"},
		{"\x00", "control characters are not allowed"},
		{replace("lathe-journal: 1", "lathe-journal: 2"), "version 2 of the format is not known; expected version 1"},
		{replace("changed:", "changes:"), "field changes not found"},
		{replace("- 1\n", "- 2\n"), "step 2 does not exist; there are 2"},
		{replace("- 1\n", "- -1\n"), "step -1 does not exist; there are 2"},
		{replace("steps:", "stepz:"), `: unknown key "stepz"`},
		{replace(path, path+"x"), "is about another model"},
		{replace("bytes: 5", "bytes: five"), "cannot unmarshal"},
		{good + "---\n", "has more than one YAML document"},
		{good + strings.Repeat("#\n", 2<<20), "is larger than 4096 KiB"},
		{"lathe-journal: 1\n", "names no model file"},
		{strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"view: &a [&b [*a, *a]]", "line 1: cannot unmarshal"},
	} {
		check(t, os.WriteFile(file, []byte(c.content), 0o600))
		list, err := s.Left(path)
		if len(list) > 0 || err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %d journals, error %v, want %s", c.content, len(list), err, c.want)
		}
	}
	check(t, os.WriteFile(file, b, 0o600))
	check(t, left(t, s, path, 1)[0].Keep(), os.Remove(file), os.Symlink("/dev/zero", file))
	if list, err := s.Left(path); err == nil || len(list) > 0 {
		t.Errorf("a link is followed: %v", err)
	}
}

// TestUnwritable checks the errors for what cannot be written.
func TestUnwritable(t *testing.T) {
	s, path := model(t)
	j := start(t, s, path)
	large := session.Call{Step: "prune", Options: []session.Setting{{Name: "output", Values: []string{strings.Repeat("x", 1<<20)}}}}
	for want, e := range map[string]journal.Entry{
		"the steps so far fill more than 1024 KiB": {Model: path, History: []session.Past{{Call: large}}},
		"is larger than 4096 KiB":                  {Model: path, View: journal.View{"marks": {strings.Repeat("x", 4<<20)}}},
		"no such file":                             {Model: path + "x"},
	} {
		j.Put(e)
		if err := j.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestSweep checks that only old files of lost models are removed.
func TestSweep(t *testing.T) {
	s, path := model(t)
	dir := filepath.Dir(path)
	gone, never := filepath.Join(dir, "gone.onnx"), filepath.Join(dir, "never.onnx")
	check(t, os.WriteFile(gone, nil, 0o600), os.WriteFile(never, nil, 0o600))
	held := start(t, s, gone)
	write(t, held, journal.Entry{Model: gone, Job: "held"})
	for _, m := range []string{path, gone} {
		j, err := s.Start(m)
		check(t, err)
		write(t, j, journal.Entry{Model: m})
		check(t, j.Leave(), s.SaveView(t.Context(), m, journal.View{"a": {"b"}}))
	}
	j, err := s.Start(never)
	check(t, err, j.Leave(), os.Remove(gone), os.WriteFile(filepath.Join(s.Dir, "mine.txt"), nil, 0o600))
	for _, c := range []struct {
		age  time.Duration
		left int
	}{
		{27 * 24 * time.Hour, 10}, // 2 + 2 + 2 for journals, 2 views, a lock, and what is not ours
		{29 * 24 * time.Hour, 6},  // the files of the lost model are removed, and the lock
		{400 * 24 * time.Hour, 3}, // left are files in use and files of others
	} {
		later := journal.Store{Dir: s.Dir, Now: func() time.Time { return time.Now().Add(c.age) }}
		j, err := later.Start(never)
		check(t, err, j.Close())
		if got := names(t, s.Dir); len(got) != c.left {
			t.Errorf("after %v there are %d files, want %d: %q", c.age, len(got), c.left, got)
		}
	}
}

func TestView(t *testing.T) {
	s, path := model(t)
	if v, err := s.View(path); v != nil || err != nil {
		t.Errorf("view %v, %v", v, err)
	}
	want := entry(path).View
	check(t, s.SaveView(t.Context(), path, journal.View{"x": {"y"}}), s.SaveView(t.Context(), path, want))
	got, err := s.View(path)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	file := filepath.Join(s.Dir, names(t, s.Dir)[0])
	if info, err := os.Stat(s.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
	check(t, os.WriteFile(file, []byte("lathe-view: 2"), 0o600))
	if _, err := s.View(path); err == nil || err.Error() != file+": version 2 of the format is not known; expected version 1" {
		t.Errorf("error %v", err)
	}
}

// TestRaces starts, writes, finds and ends journals of one model in several goroutines. Each
// journal is found by at most one of them, and in the end no file is left.
func TestRaces(t *testing.T) {
	s, path := model(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 10 {
				j, err := s.Start(path)
				if err != nil {
					t.Error(err)
					return
				}
				j.Put(journal.Entry{Model: path, Job: fmt.Sprint(i, k)})
				if err := errors.Join(j.Flush(t.Context()), j.Leave()); err != nil {
					t.Error(err)
				}
				list, err := s.Left(path)
				if err != nil {
					t.Error(err)
				}
				for _, l := range list {
					if err := l.Discard(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, l := range left(t, s, path, len(leftNow(t, s, path))) {
		check(t, l.Discard())
	}
	if got := names(t, s.Dir); len(got) > 0 {
		t.Errorf("the folder holds %v", got)
	}
}

func leftNow(t *testing.T, s journal.Store, path string) []*journal.Left {
	t.Helper()
	list, err := s.Left(path)
	check(t, err)
	for _, l := range list {
		check(t, l.Keep())
	}
	return list
}
