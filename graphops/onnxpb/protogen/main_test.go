package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every generated file of the repository is what the go:generate line beside it
// makes today.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	lines := generateLines(t, filepath.Join("..", "..", ".."))
	if len(lines) == 0 {
		t.Fatal("no go:generate line calls protogen")
	}
	for dir, args := range lines {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			out := t.TempDir()
			t.Chdir(dir)
			mustRun(t, append([]string{"-out", out}, args...)...)
			fresh, err := filepath.Glob(filepath.Join(out, "*.pb.go"))
			if err != nil || len(fresh) == 0 {
				t.Fatalf("protogen wrote nothing (%v)", err)
			}
			for _, file := range fresh {
				compare(t, filepath.Base(file), file)
			}
		})
	}
}

func compare(t *testing.T, committed, fresh string) {
	t.Helper()
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what its .proto generates; run `make generate`\n%s",
			committed, cmp.Diff(string(want), string(got)))
	}
}

// generateLines finds the calls of protogen below root: arguments by folder.
func generateLines(t *testing.T, root string) map[string][]string {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err == nil && entry.IsDir() && (name == ".git" || name == "bin" || name == "testdata") {
			return fs.SkipDir
		}
		if err != nil || entry.Name() != "doc.go" {
			return err
		}
		source, err := os.ReadFile(path)
		for line := range strings.Lines(string(source)) {
			if args, ok := strings.CutPrefix(line, "//go:generate go run lathe/graphops/onnxpb/protogen "); ok {
				lines[filepath.Dir(path)] = strings.Fields(args)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Files given together may import each other, and the standard ones.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.proto", `syntax = "proto3"; package p;
		import "example/p/b.proto"; import "google/protobuf/duration.proto";
		message A { B b = 1; google.protobuf.Duration d = 2; }`)
	b := write(t, dir, "b.proto", `syntax = "proto3"; package p; message B { int64 x = 1; }`)
	mustRun(t, "-package", "example/p", "-out", dir, a, b)
	for name, want := range map[string]string{"a.pb.go": "*B ", "b.pb.go": "X "} {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), want) || !strings.Contains(string(source), "package p\n") {
			t.Errorf("%s: no field of type %q, or not in package p:\n%s", name, want, source)
		}
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		want string // in the message
	}{
		{"no package", []string{"a.proto"}, 2, "-package"},
		{"no files", []string{"-package", "x/p"}, 2, "at least one .proto file"},
		{"unknown flag", []string{"-nope"}, 2, "-nope"},
		{"no such file", []string{"-package", "x/p", filepath.Join(dir, "none.proto")}, 1, "none.proto"},
		{"syntax error", []string{"-package", "x/p", write(t, dir, "bad.proto", "message {")}, 1, "bad.proto:1:9"},
		{
			"import that was not given",
			[]string{"-package", "x/p", write(t, dir, "lone.proto", `syntax = "proto3"; import "x/p/x.proto";`)},
			1, `"x/p/x.proto"`,
		},
		{
			"no such folder",
			[]string{"-package", "x/p", "-out", filepath.Join(dir, "none"), write(t, dir, "ok.proto", `syntax = "proto3";`)},
			1, "none",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var errOut strings.Builder
			if code := run(t.Context(), test.args, &errOut); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(errOut.String(), test.want) {
				t.Errorf("message %q, want one with %q", errOut.String(), test.want)
			}
		})
	}
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	var errOut strings.Builder
	if code := run(t.Context(), args, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
