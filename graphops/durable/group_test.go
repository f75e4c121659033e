package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A main file of these tests has a line of content, and then the names of the files that it needs.
// These have the same content.

// needs are the names in a main file.
func needs(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	return strings.Fields(string(b))[min(1, len(b)):], err
}

// isOrphan judges leftovers as the package of the main files does.
func isOrphan(l Leftover) bool {
	main, _, ok := strings.Cut(l.Name, ".data")
	if !ok || l.Replaced(main) != l.Old {
		return false
	}
	names, err := needs(filepath.Join(l.Folder, main))
	return (err == nil || errors.Is(err, fs.ErrNotExist)) && !slices.Contains(names, l.Name)
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// newGroup opens a group of a main file and n others, whose names no file has.
func newGroup(t *testing.T, path, content string, n int, overwrite bool) *Group {
	t.Helper()
	at, err := findTarget(path, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name, content string) Part {
		return Part{Name: name, Bytes: int64(len(content)), Write: func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}}
	}
	var others []Part
	whole := content
	for i := 0; len(others) < n; i++ {
		name := fmt.Sprintf("%s.data-%d", filepath.Base(path), i)
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), name)); err == nil && overwrite {
			continue
		}
		others = append(others, part(name, content))
		whole += "\n" + name
	}
	g, err := NewGroup(t.Context(), at, part("", whole), others, Options{Overwrite: overwrite, IsOrphan: isOrphan})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// preparedGroup is a group whose files are whole and under temporary names, as it is when Place
// begins.
func preparedGroup(t *testing.T, path, content string, n int, overwrite bool) *Group {
	t.Helper()
	g := newGroup(t, path, content, n, overwrite)
	if err := g.Write(); err != nil {
		t.Fatal(err)
	}
	return g
}

// replacedAt returns the files that only the present main file needs.
func replacedAt(t *testing.T, path string) func() []string {
	return func() (gone []string) {
		t.Helper()
		names, err := needs(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, name := range names {
			gone = append(gone, filepath.Join(filepath.Dir(path), name))
		}
		return gone
	}
}

func writeGroup(t *testing.T, path, content string, n int) {
	t.Helper()
	g := preparedGroup(t, path, content, n, true)
	defer g.Discard()
	if _, err := g.Place(replacedAt(t, path)); err != nil {
		t.Fatal(err)
	}
}

// kill drops what dies with a process: its open files and their locks.
func (g *Group) kill() {
	for _, o := range append(g.others, g.main) {
		o.temp.forget()
		_ = o.temp.close()
	}
	for _, h := range g.held {
		_ = h.close()
	}
}

// runSteps takes the first steps of Place and of Discard, and reports whether the rename of the main
// file was among them.
func (g *Group) runSteps(t *testing.T, n int) (switched bool) {
	t.Helper()
	var replaced []string
	var steps []func() error
	for _, o := range g.others {
		steps = append(steps, func() error { return g.placeOther(o) })
	}
	steps = append(steps,
		func() error {
			replaced = replacedAt(t, g.main.target.Path)()
			g.hold(replaced)
			return nil
		},
		g.main.place,
		func() error { removeReplaced(replaced); return nil },
		func() error { g.Discard(); return nil },
	)
	for _, f := range steps[:min(n, len(steps))] {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	return n >= len(g.others)+2
}

// checkGroup wants the main file with its content, or none if content is empty, and the files that it
// needs with the same content.
func checkGroup(t *testing.T, path, content string) {
	t.Helper()
	names, err := needs(path)
	if content == "" {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the main file is there, %v", err)
		}
		return
	}
	for _, name := range append(names, filepath.Base(path)) {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if got, _, _ := strings.Cut(string(b), "\n"); err != nil || got != content {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, content)
		}
	}
}

// checkTidy reports every file that the main file does not need.
func checkTidy(t *testing.T, path string) {
	t.Helper()
	names, err := needs(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, name := range namesIn(t, filepath.Dir(path)) {
		if name != filepath.Base(path) && !slices.Contains(names, name) {
			t.Errorf("%s is left", name)
		}
	}
}

// TestGroupKilledAtEachStep ends a process between any two steps of putting a group in place, over
// nothing, over another group and over a main file alone. What the target holds is whole; the next
// write leaves none of the rest.
func TestGroupKilledAtEachStep(t *testing.T) {
	for _, old := range []int{-1, 0, 1, 3} { // the number of other files; -1 for no file at all
		for steps := range 9 {
			for _, others := range []int{0, 1, 3} {
				t.Run(fmt.Sprintf("%d by %d, step %d", old, others, steps), func(t *testing.T) {
					dir := t.TempDir()
					path := filepath.Join(dir, "m")
					want := ""
					if old >= 0 {
						want = "before"
						writeGroup(t, path, want, old)
					}
					g := preparedGroup(t, path, "after", others, true)
					if g.runSteps(t, steps) {
						want = "after"
					}
					g.kill()

					checkGroup(t, path, want)
					RemoveStale(dir, isOrphan)
					checkGroup(t, path, want)
					checkTidy(t, path)

					writeGroup(t, path, "next", others)
					checkGroup(t, path, "next")
					checkTidy(t, path)
				})
			}
		}
	}
}

// TestGroupOfTheLiving leaves alone what a process that lives is putting in place, at each step.
func TestGroupOfTheLiving(t *testing.T) {
	for steps := range 8 {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m")
			writeGroup(t, path, "before", 2)
			g := preparedGroup(t, path, "after", 3, true)
			t.Cleanup(g.Discard)
			g.runSteps(t, steps)
			before := namesIn(t, dir)
			RemoveStale(dir, isOrphan)
			if after := namesIn(t, dir); !slices.Equal(before, after) {
				t.Errorf("the folder held %q, it holds %q", before, after)
			}
		})
	}
}

// TestGroupIsAllOrNothing takes the name of each of the files in the last moment.
func TestGroupIsAllOrNothing(t *testing.T) {
	for _, name := range []string{"m", "m.data-0", "m.data-1", "m.data-2"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m")
			g := preparedGroup(t, path, "ours", 3, false)
			if err := os.WriteFile(filepath.Join(dir, name), []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			none := func() []string { return nil }
			if _, err := g.Place(none); err == nil || !strings.Contains(err.Error(), name+": exists already") {
				t.Errorf("error %v", err)
			}
			g.Discard()
			checkOnly(t, dir, name, "theirs")
		})
	}
}

// TestGroupHoldsNoBuffers finds no memory in a finished file that waits for the others.
func TestGroupHoldsNoBuffers(t *testing.T) {
	g := preparedGroup(t, filepath.Join(t.TempDir(), "m"), "content", 2, false)
	t.Cleanup(g.Discard)
	for i, o := range append(g.others, g.main) {
		if o.blocks.buf != nil {
			t.Errorf("file %d holds %d bytes", i, cap(o.blocks.buf))
		}
	}
}

// TestLeftoversWithoutJudge keeps what nobody can judge, and what a later judge needs.
func TestLeftoversWithoutJudge(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	g := preparedGroup(t, path, "ours", 1, false)
	g.runSteps(t, 1)
	g.kill()
	before := namesIn(t, dir)
	RemoveStale(dir, nil)
	if got := namesIn(t, dir); !slices.Equal(got, before) || !slices.Contains(got, "m.data-0") {
		t.Errorf("the folder held %q, it holds %q", before, got)
	}
	RemoveStale(dir, isOrphan)
	if got := namesIn(t, dir); len(got) > 0 {
		t.Errorf("the folder holds %q", got)
	}
}
