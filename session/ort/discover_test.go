package ort

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const linux = platform("linux/amd64")

// writeFile makes a file with all folders above it.
func writeFile(t testing.TB, path string, content []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeScript makes an executable shell script, a stand-in for a program of the user's.
func writeScript(t testing.TB, path, body string) string {
	t.Helper()
	writeFile(t, path, []byte("#!/bin/sh\n"+body+"\n"))
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// A machine is a fake tree with a library of another version behind each source.
type disk struct {
	root string
	env  Env
}

func newMachine(t *testing.T) disk {
	t.Helper()
	m := disk{root: t.TempDir()}
	m.lib(t, "flag/libonnxruntime.so.1.31.1", "1.31.1")
	m.lib(t, "env/libonnxruntime.so.1.31.0", "1.31.0")
	m.lib(t, "venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.29.0", "1.29.0")
	m.lib(t, "conda/lib/libonnxruntime.so.1.28.0", "1.28.0")
	m.lib(t, "ld/libonnxruntime.so.1.27.0", "1.27.0")
	m.lib(t, "opt/libonnxruntime.so.1.26.0", "1.26.0")
	m.lib(t, "usr/lib/libonnxruntime.so.1.25.0", "1.25.0")
	m.lib(t, "cache/lathe/runtime/1.24.3/libonnxruntime.so.1.24.3", "1.24.3")
	writeScript(t, filepath.Join(m.root, "sbin/ldconfig"),
		"echo '2 libs found'; echo '	libonnxruntime.so.1 (libc6,x86-64) => "+m.root+"/opt/libonnxruntime.so.1.26.0'")
	m.env = Env{
		Flag: m.path("flag/libonnxruntime.so.1.31.1"), LibEnv: m.path("env"),
		VirtualEnv: m.path("venv"), CondaPrefix: m.path("conda"), LDLibraryPath: ":" + m.path("ld"),
		Path: m.path("bin"), CacheDir: m.path("cache"), Root: m.root,
	}
	return m
}

func (m disk) path(name string) string { return filepath.Join(m.root, name) }

func (m disk) lib(t *testing.T, name, version string) {
	t.Helper()
	writeFile(t, m.path(name), runtimeELF(version))
}

func found(libs []Library) []string {
	var list []string
	for _, l := range libs {
		text := string(l.Source) + " " + l.Version
		if !l.Usable {
			text += " rejected"
		}
		list = append(list, text)
	}
	return list
}

func TestDiscoverOrder(t *testing.T) {
	m := newMachine(t)
	want := []string{
		"flag 1.31.1", "env 1.31.0", "python 1.29.0", "python 1.28.0",
		"loader 1.27.0", "loader 1.26.0", "loader 1.25.0", "cache 1.24.3",
	}
	if diff := cmp.Diff(want, found(discover(t.Context(), m.env, linux))); diff != "" {
		t.Error(diff)
	}
}

// TestChooseOrder takes the sources away one after the other; each time the next one is chosen.
func TestChooseOrder(t *testing.T) {
	m := newMachine(t)
	for _, step := range []struct {
		want string
		drop func()
	}{
		{"1.31.1", func() { m.env.Flag = "" }},
		{"1.31.0", func() { m.env.LibEnv = "" }},
		{"1.29.0", func() { m.env.VirtualEnv = "" }},
		{"1.28.0", func() { m.env.CondaPrefix = "" }},
		{"1.27.0", func() { m.env.LDLibraryPath = "" }},
		{"1.26.0", func() { m.lib(t, "opt/libonnxruntime.so.1.26.0", "1.20.0") }},
		{"1.25.0", func() { m.lib(t, "usr/lib/libonnxruntime.so.1.25.0", "1.24.0") }},
	} {
		lib, err := choose(t.Context(), m.env, linux)
		if err != nil || lib.Version != step.want || !lib.Usable {
			t.Fatalf("chose %q (%v), expected %s", lib.Version, err, step.want)
		}
		step.drop()
	}
	if lib, err := choose(t.Context(), m.env, linux); err != nil || lib.Source != SourceCache {
		t.Fatalf("chose %+v (%v), expected the cache", lib, err)
	}
	m.env.CacheDir = ""
	_, err := choose(t.Context(), m.env, linux)
	checkError(t, err, "1.20.0 is too old, 1.24.1 or newer is needed: lathe runtime install (1 more rejected, see: lathe runtime list)")
	if !errors.Is(err, ErrNoRuntime) {
		t.Errorf("%v is not ErrNoRuntime", err)
	}
}

// TestChooseExplicit holds that what the user named is never passed over.
func TestChooseExplicit(t *testing.T) {
	m := newMachine(t)
	text := writeFile(t, m.path("text.so"), []byte("hello"))
	pipe, empty := m.path("pipe"), m.path("empty")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env Env
		err string
	}{
		"flag missing":   {Env{Flag: m.path("nope.so"), LibEnv: m.env.LibEnv}, "--runtime: \"" + m.path("nope.so") + "\": no such file or directory; get one with: lathe runtime install"},
		"flag text":      {Env{Flag: text, LibEnv: m.env.LibEnv}, "not an ELF file"},
		"flag pipe":      {Env{Flag: pipe}, "not a regular file"},
		"flag folder":    {Env{Flag: empty, LibEnv: m.env.LibEnv}, "the folder holds no libonnxruntime.so"},
		"env text":       {Env{LibEnv: text, VirtualEnv: m.env.VirtualEnv}, "LATHE_ORT_LIB: "},
		"nothing at all": {Env{Root: empty}, "no usable ONNX Runtime found; get one with: lathe runtime install"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := choose(t.Context(), c.env, linux)
			checkError(t, err, c.err)
			if !errors.Is(err, ErrNoRuntime) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: expected one line and ErrNoRuntime", err)
			}
		})
	}
}

func TestChooseCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := newMachine(t)
	m.env.Flag = ""
	m.env.LibEnv = ""
	m.env.VirtualEnv, m.env.CondaPrefix = "", ""
	if _, err := choose(ctx, m.env, linux); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected context.Canceled", err)
	}
}

// TestDiscoverOnce holds that links to one file count once, under the name that tells most, and
// that what is broken is listed with its reason.
func TestDiscoverOnce(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "usr/lib/libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
	symlink(t, "libonnxruntime.so.1.30.0", filepath.Join(root, "usr/lib/libonnxruntime.so.1"))
	symlink(t, "libonnxruntime.so.1", filepath.Join(root, "usr/lib/libonnxruntime.so"))
	symlink(t, "usr/lib", filepath.Join(root, "lib"))
	writeFile(t, filepath.Join(root, "usr/lib/libonnxruntime_providers_shared.so"), nil)
	writeFile(t, filepath.Join(root, "usr/local/lib/readme"), nil)
	symlink(t, "/nonexistent", filepath.Join(root, "usr/local/lib/libonnxruntime.so"))
	libs := discover(t.Context(), Env{Root: root, LDLibraryPath: filepath.Join(root, "lib")}, linux)
	if diff := cmp.Diff([]string{"loader 1.30.0", "loader  rejected"}, found(libs)); diff != "" {
		t.Error(diff)
	}
	if base := filepath.Base(libs[0].Path); base != "libonnxruntime.so.1.30.0" {
		t.Errorf("found as %s", base)
	}
}

// TestDiscoverIgnoresWorkingFolder holds that an empty element of LD_LIBRARY_PATH and a relative
// one of PATH do not let the folder one happens to be in decide what is loaded or run.
func TestDiscoverIgnoresWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "libonnxruntime.so.1.30.0", runtimeELF("1.30.0"))
	writeScript(t, "bin/python3", "touch ran")
	libs := discover(t.Context(), Env{LDLibraryPath: ":", Path: "bin:./bin:", Root: t.TempDir()}, linux)
	if _, err := os.Stat("ran"); err == nil || len(libs) > 0 {
		t.Errorf("found %+v, ran python3: %t", libs, err == nil)
	}
}

func TestParseLdconfig(t *testing.T) {
	const out = `3 libs found in cache
	libonnxruntime_providers_shared.so (libc6,x86-64) => /opt/libonnxruntime_providers_shared.so
	libonnxruntime.so.1 (libc6,x86-64) => /opt/a folder/libonnxruntime.so.1
	libonnxruntime.so (libc6) => relative/libonnxruntime.so
	libonnxruntime.so.2 (libc6)
	libm.so.6 (libc6,x86-64) => /lib/libm.so.6
Cache generated by: ldconfig
`
	want := []cacheEntry{
		{"libonnxruntime_providers_shared.so", "/opt/libonnxruntime_providers_shared.so"},
		{"libonnxruntime.so.1", "/opt/a folder/libonnxruntime.so.1"},
		{"libm.so.6", "/lib/libm.so.6"},
	}
	if diff := cmp.Diff(want, parseLdconfig(out), cmp.AllowUnexported(cacheEntry{})); diff != "" {
		t.Error(diff)
	}
}

func TestCacheOrder(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"1.24.3", "1.29.0", cudaVersion + cudaSuffix, "1.31.1-cuda", "1.31.1", TestedVersion, "1.100.0", ".install-1", "notes"} {
		version := strings.TrimSuffix(name, cudaSuffix)
		writeFile(t, filepath.Join(runtimeStore(cache), name, "libonnxruntime.so."+version), runtimeELF(version))
	}
	var dirs []string
	for _, c := range cacheCandidates(cache) {
		dirs = append(dirs, filepath.Base(filepath.Dir(c.path)))
	}
	if diff := cmp.Diff([]string{cudaVersion + cudaSuffix, TestedVersion, "1.100.0", "1.31.1-cuda", "1.31.1", "1.29.0", "1.24.3"}, dirs); diff != "" {
		t.Error(diff)
	}
}

func TestAttach(t *testing.T) {
	libs := []Library{
		{Path: "a", Version: "1.30.0", Usable: true, Providers: []string{"cuda", "cpu"}},
		{Path: "b", Version: "1.30.0", Usable: true, Providers: []string{"cpu"}},
		{Path: "c", Version: "1.30.0", Usable: true},
		{Path: "d", Reason: "not an ELF file"},
	}
	got := Attach(t.Context(), Env{Root: t.TempDir()}, libs, func(_ context.Context, lib Library) (Attachment, error) {
		switch lib.Path {
		case "a":
			return Attachment{"1.30.1", []string{"cpu"}, []Refusal{{Provider: "frob", Reason: "no\nfrobs"}}}, nil
		case "b":
			return Attachment{}, errors.New("undefined symbol: frob")
		case "c":
			return Attachment{Version: "1.20.0", Providers: []string{"cpu"}}, nil
		}
		return Attachment{}, errors.New("an unusable library was tried")
	})
	refused := []Diagnosis{{Provider: "frob", Reason: "no frobs", Said: "no frobs", Missing: []MissingLibrary{}, MissingLater: []MissingLibrary{}}}
	want := []Library{
		{Path: "a", Version: "1.30.1", Usable: true, Providers: []string{"cpu"}, Refused: refused},
		{Path: "b", Version: "1.30.0", Reason: "undefined symbol: frob", Providers: []string{}},
		{Path: "c", Version: "1.20.0", Reason: "version 1.20.0 is too old, 1.24.1 or newer is needed: lathe runtime install", Providers: []string{}},
		{Path: "d", Reason: "not an ELF file"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !libs[1].Usable {
		t.Error("the argument was changed")
	}
}

func TestLibraryJSON(t *testing.T) {
	libs := discover(t.Context(), Env{Flag: "/nonexistent/libonnxruntime.so", Root: t.TempDir()}, linux)
	got, err := json.Marshal(libs)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"path":"/nonexistent/libonnxruntime.so","version":"","source":"flag","usable":false,` +
		`"reason":"no such file or directory","providers":[],"cuda":false,"refused":[],"library_dirs":[]}]`
	if string(got) != want {
		t.Errorf("%s\nexpected %s", got, want)
	}
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"1.9.0", "1.24.0", "1.24.1", "1.24.10", "1.30.0", "2.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := compareVersions(a, b), min(max(i-j, -1), 1); got != want {
				t.Errorf("compareVersions(%s, %s) = %d, expected %d", a, b, got, want)
			}
		}
	}
	for _, bad := range []string{"", "1", "1.30", "v1.30.0", "1.30.0/..", "1.30.0 --index-url=x", "1.30.0\n", "1.300000.0", "../1.30.0"} {
		if isVersion(bad) {
			t.Errorf("%q passes for a version", bad)
		}
	}
}
