package ort

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func removeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestLoaderOrder takes away, one after the other, the places where a library is found.
func TestLoaderOrder(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	places := []string{"rpath", "dirs", "ld", "runpath", "cache", "usr/lib"}
	for _, place := range places {
		writeFile(t, at(place+"/liba.so.1"), librarySpec("liba.so.1").build())
	}
	writeScript(t, at("sbin/ldconfig"), "echo '\tliba.so.1 (libc6,x86-64) => "+at("cache/liba.so.1")+"'")
	env := Env{Root: root, LDLibraryPath: "::" + at("ld")}
	lib := Library{LibraryDirs: []string{at("dirs")}}
	for _, gone := range places {
		var rpath, runpath []string
		if gone != "runpath" { // one replaces the other
			rpath = []string{at("rpath")}
		}
		runpath = []string{at("runpath")}
		l := newLoader(t.Context(), env, lib, linux)
		if got := l.find("liba.so.1", rpath, runpath); got != at(gone+"/liba.so.1") {
			t.Errorf("found %s, expected it in %s", got, gone)
		}
		removeFile(t, at(gone+"/liba.so.1"))
	}
	if got := newLoader(t.Context(), env, lib, linux).find("liba.so.1", nil, nil); got != "" {
		t.Errorf("found %s where nothing is left", got)
	}
}

// TestLoaderPaths follows what libraries say of where theirs are: an RPATH holds for those below,
// a RUNPATH for its own library alone and in place of all RPATHs.
func TestLoaderPaths(t *testing.T) {
	for name, c := range map[string]struct {
		top, middle elfSpec
		missing     []string
	}{
		"neither":               {elfSpec{}, elfSpec{}, []string{"libmiddle.so"}},
		"rpath is handed down":  {elfSpec{rpath: "$ORIGIN/deep:relative"}, elfSpec{}, nil},
		"runpath is not":        {elfSpec{runpath: "${ORIGIN}/deep"}, elfSpec{}, []string{"libbottom.so"}},
		"runpath for each":      {elfSpec{runpath: "$ORIGIN/deep"}, elfSpec{runpath: "$ORIGIN"}, nil},
		"runpath hides rpath":   {elfSpec{rpath: "$ORIGIN/deep"}, elfSpec{runpath: "/nonexistent"}, []string{"libbottom.so"}},
		"runpath replaces both": {elfSpec{rpath: "$ORIGIN/deep", runpath: "$ORIGIN"}, elfSpec{}, []string{"libmiddle.so"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			build := func(file string, paths elfSpec, needed ...string) string {
				s := librarySpec(filepath.Base(file), needed...)
				s.rpath, s.runpath = paths.rpath, paths.runpath
				return writeFile(t, filepath.Join(root, file), s.build())
			}
			top := build("libtop.so", c.top, "libmiddle.so")
			build("deep/libmiddle.so", c.middle, "libbottom.so", "libtop.so")
			build("deep/libbottom.so", elfSpec{}, "libtop.so", "libbottom.so")
			l := newLoader(t.Context(), Env{Root: filepath.Join(root, "empty")}, Library{}, linux)
			l.load(top)
			var names []string
			for _, m := range l.missing {
				names = append(names, m.name)
			}
			if diff := cmp.Diff(c.missing, names); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLoaderBounds holds that a chain of libraries without end ends.
func TestLoaderBounds(t *testing.T) {
	l := &loader{platform: linux, loaded: map[string]bool{}, objects: map[string]*sharedObject{}}
	for range maxLoaded {
		l.objects[strings.Repeat("x", len(l.objects)+1)] = nil
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "liba.so"), librarySpec("liba.so", "libb.so").build())
	l.load(path)
	if len(l.missing) > 0 {
		t.Errorf("looked for %v past the bound", l.missing)
	}
}

// TestLoaderAgreesWithTheSystems compares with ldd on libraries of this machine.
func TestLoaderAgreesWithTheSystems(t *testing.T) {
	libs, _ := filepath.Glob("/usr/lib/*-linux-gnu/lib*.so.*")
	compared := 0
	for _, lib := range libs {
		if compared < 15 && agreesWithLdd(t, lib, Library{}) {
			compared++
		}
	}
	if compared == 0 {
		t.Skip("no ldd, or no libraries in the usual folders")
	}
}

// TestLoaderAgreesOnGPUBuild does so on the providers of a GPU build that LATHE_GPU_BUILD names.
func TestLoaderAgreesOnGPUBuild(t *testing.T) {
	build := os.Getenv("LATHE_GPU_BUILD")
	if build == "" {
		t.Skip("LATHE_GPU_BUILD names no folder with a GPU build of ONNX Runtime")
	}
	lib, err := Choose(t.Context(), Env{Flag: build})
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{"shared", "cuda", "tensorrt"} {
		if !agreesWithLdd(t, providerLibrary(lib.Path, provider), lib) {
			t.Errorf("ldd does not read the %s provider of %s", provider, lib.Path)
		}
	}
}

// agreesWithLdd compares what is found and what is not, of all that a library leads to.
func agreesWithLdd(t *testing.T, path string, lib Library) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ldd", path)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(lib.LibraryDirs, ":"))
	out, err := cmd.Output()
	if err != nil {
		return false
	}
	var want []string
	for line := range strings.Lines(string(out)) {
		name, target, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if ok && target == "not found" {
			want = append(want, name)
		}
	}
	l := newLoader(t.Context(), Env{}, lib, thisPlatform())
	l.load(path)
	var got []string
	for _, m := range l.missing {
		got = append(got, m.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
	found := 0
	for _, so := range l.objects {
		if so != nil {
			found++
		}
	}
	if listed := strings.Count(string(out), " => /"); found < listed {
		t.Errorf("%s: followed %d libraries, ldd lists %d", path, found, listed)
	}
	return true
}
