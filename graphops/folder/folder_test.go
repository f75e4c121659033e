package folder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// modelOf returns a model whose inputs and outputs are the given lines, such as "in x f32[b,4]".
// One node of an unknown operator makes all outputs, so that nothing but names and types says what
// they are.
func modelOf(t *testing.T, lines string) []byte {
	var b strings.Builder
	b.WriteString("ir 8\nopset 17\nopset test 1\n")
	var in, out []string
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) != 3 {
			t.Fatalf("%q: expected in|out NAME TYPE", line)
		}
		if f[0] == "in" {
			fmt.Fprintf(&b, "input %s %s\n", f[1], f[2])
			in = append(in, f[1])
			continue
		}
		fmt.Fprintf(&b, "output %s %s\n", f[1], f[2])
		out = append(out, f[1])
	}
	fmt.Fprintf(&b, "%s = test::Model(%s)\n", strings.Join(out, ", "), strings.Join(in, ", "))
	return graphtest.Bytes(t, b.String())
}

// laidOut writes the files of an archive below a folder. Files with the extension .onnx are models
// in the form of modelOf. It returns the section "want".
func laidOut(t *testing.T, archive string) (dir, want string) {
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		data := f.Data
		if strings.HasSuffix(f.Name, ".onnx") {
			data = modelOf(t, string(f.Data))
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

func openModel(path string) (*graphops.Model, error) {
	return graphops.Open(path, graphops.OpenOptions{})
}

// found returns what was found of a folder, as lines in an order that does not matter.
func found(f *Folder) string {
	lines := []string{"kind " + string(f.Kind)}
	for i := range f.Wires {
		w := &f.Wires[i]
		line := fmt.Sprintf("%s -> %s", w.From, w.To)
		if w.Turn != Always {
			line += " (" + w.Turn.String() + ")"
		}
		if w.Via != "" {
			line += " via " + w.Via
		}
		if w.Misfit() != "" {
			line += " cannot fit"
		}
		lines = append(lines, line)
	}
	for _, o := range f.Callers {
		if o.About == "" {
			lines = append(lines, "unknown "+o.Port.String())
		}
	}
	for _, p := range f.Problems {
		name := ""
		if p.Member != nil {
			name = p.Member.Name + ": "
		}
		lines = append(lines, fmt.Sprintf("problem %s %s", p.Severity, name+p.Text))
	}
	return sorted(lines)
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestFolders opens folders of six kinds. The expected wires of those in testdata/unseen were
// written before the search ran on them for the first time.
func TestFolders(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d folders, %v; expected 30 or more", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			dir, want := laidOut(t, file)
			f, err := Open(context.Background(), dir, Options{Open: openModel})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := found(f), sorted(strings.Split(strings.TrimSpace(want), "\n")); got != want {
				t.Errorf("found\n%s\nexpected\n%s", got, want)
			}
			assumes(t, f)
		})
	}
}

// assumes checks that every wire says what shows it, and that one by type alone says what it
// assumes.
func assumes(t *testing.T, f *Folder) {
	for i := range f.Wires {
		w := &f.Wires[i]
		if w.Evidence == 0 || w.Why == "" || w.Evidence == ByType && w.Assumed == "" {
			t.Errorf("%s -> %s has evidence %s, why %q, assumed %q", w.From, w.To, w.Evidence, w.Why, w.Assumed)
		}
	}
}
