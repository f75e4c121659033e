package inputs

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/durable"
)

// TestSaveAndReadBack checks that saved inputs are read back as one case, from an archive and from
// a folder.
func TestSaveAndReadBack(t *testing.T) {
	dense := declared(t, "x f32[batch,2]; y i64[]; s str[n]; /odd/na.me bool[2]")
	every := append(slices.Clone(dense), declared(t, "h bf16[3]; q u4[3]; l seq(f32[n]); m map(i64,f32); o opt(str[1]); e f8e4m3fn[2]")...)
	for _, c := range []struct {
		name  string
		types []graphops.NamedType
	}{{"in.npz", dense}, {"dense", dense}, {"every", every}} {
		made, err := Generate(c.types, Options{Dims: map[string]int64{"batch": 200}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.name)
		files, err := Save(context.Background(), path, c.types, made.Feeds, durable.Options{})
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := ReadCases(path, c.types, FileOptions{})
		if err != nil || len(got.Cases) != 1 || len(got.Notes) > 0 {
			t.Fatalf("%s: %d cases, notes %q, %v", c.name, len(got.Cases), got.Notes, err)
		}
		if diff := cmp.Diff(made.Feeds, got.Cases[0].Feeds, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(graphops.Type{}, "Of")); diff != "" {
			t.Errorf("%s (-fed +read):\n%s", c.name, diff)
		}
		if _, err := Save(context.Background(), path, c.types, made.Feeds, durable.Options{}); err == nil || !strings.Contains(err.Error(), "exists") {
			t.Errorf("%s again: %v", c.name, err)
		}
		if _, err := Save(context.Background(), path, c.types, made.Feeds, durable.Options{Overwrite: true}); err != nil {
			t.Errorf("%s replaced: %v", c.name, err)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	types := declared(t, "h bf16[1]; l seq(f32[1])")
	made, err := Generate(types, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "in.npz")
	for i, text := range []string{`input "h": numpy has no type for bf16`, `input "l" is seq(f32), which an .npz archive cannot contain`} {
		_, err := Save(context.Background(), at, types[i:i+1], made.Feeds, durable.Options{})
		if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "folder") {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	for _, name := range []string{"x.onnx", "x.pb", "x.npy", "x.JSON", "x.png"} {
		_, err := Save(context.Background(), filepath.Join(dir, name), types, made.Feeds, durable.Options{})
		if err == nil || !strings.Contains(err.Error(), "not a "+filepath.Ext(name)+" file; end the name in .npz") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := Save(context.Background(), at, declared(t, "x f32"), made.Feeds, durable.Options{}); err == nil {
		t.Error("a missing value: no error")
	}
	folder := filepath.Join(dir, "in")
	if _, err := Save(context.Background(), folder, types, made.Feeds, durable.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(context.Background(), folder, types[:1], made.Feeds, durable.Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "contains more inputs") {
		t.Errorf("fewer inputs into a folder: %v", err)
	}
}

// TestCheckTarget checks that CheckTarget returns the errors that Save would return, and leaves no
// files behind.
func TestCheckTarget(t *testing.T) {
	dir := t.TempDir()
	types := declared(t, "x f32[2]")
	made, err := Generate(types, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old", "old.npz"} {
		if _, err := Save(t.Context(), filepath.Join(dir, name), types, made.Feeds, durable.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path      string
		n         int
		overwrite bool
		err       string
	}{
		{"new", 1, false, ""},
		{"new/", 1, false, ""},
		{"new.npz", 1, false, ""},
		{"old", 1, false, "exists already; use another folder"},
		{"old", 1, true, ""},
		{"old", 0, true, "contains more inputs than the model has"},
		{"old.npz", 1, false, "--force"},
		{"old.npz", 1, true, ""},
		{"none/new", 1, false, "none"},
		{"none/new.npz", 1, false, "none"},
		{"old/input_0.pb", 1, true, "not a directory"},
	} {
		before := slices.Sorted(maps.Keys(tree(t, dir)))
		err := CheckTarget(t.Context(), filepath.Join(dir, c.path), c.n, durable.Options{Overwrite: c.overwrite})
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.path, err, c.err)
		}
		if diff := cmp.Diff(before, slices.Sorted(maps.Keys(tree(t, dir)))); diff != "" {
			t.Errorf("%s: leaves (-before +after):\n%s", c.path, diff)
		}
	}
}

// tree returns the files in a folder.
func tree(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		out[path] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
