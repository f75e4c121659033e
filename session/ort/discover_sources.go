package ort

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sources are the ways to find libraries, in order of preference. find returns nothing if the
// source has no library.
var sources = []struct {
	source Source
	find   func(context.Context, Env, platform) []candidate
}{
	{SourceFlag, func(_ context.Context, env Env, _ platform) []candidate { return named(env.Flag) }},
	{SourceEnv, func(_ context.Context, env Env, _ platform) []candidate { return named(env.LibEnv) }},
	{SourcePython, pythonCandidates},
	{SourceLoader, loaderCandidates},
	{SourceCache, func(_ context.Context, env Env, _ platform) []candidate { return cacheCandidates(env.CacheDir) }},
}

// named returns the libraries at a path that the user gave with --runtime or LATHE_ORT_LIB. The
// path is that of a library or a folder. A folder may hold the library itself, or be the Python
// package, site-packages, a virtual environment or an unpacked archive.
func named(path string) []candidate {
	if path == "" {
		return nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return []candidate{{path: path, err: err}}
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return []candidate{{path: abs}}
	}
	for _, dir := range []string{".", "capi", "onnxruntime/capi", "lib"} {
		if libs := librariesIn(filepath.Join(abs, dir)); len(libs) > 0 {
			return libs
		}
	}
	if libs := prefixCandidates(abs); len(libs) > 0 {
		return libs
	}
	return []candidate{{path: abs, err: errors.New("the folder holds no libonnxruntime.so")}}
}

// librariesIn finds the ONNX Runtime libraries in a folder. A file that has several names there is
// listed once, under its longest name, because that contains most of the version number.
func librariesIn(dir string) []candidate {
	var libs []candidate
	names := slices.DeleteFunc(fileNames(dir), func(n string) bool { return !mainLibrary().MatchString(n) })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, name := range names {
		path := filepath.Join(dir, name)
		if !slices.ContainsFunc(libs, func(c candidate) bool { return SameFile(c.path, path) }) {
			libs = append(libs, candidate{path: path})
		}
	}
	return libs
}

// fileNames returns the names of the files in a folder, sorted. It returns nothing if the folder
// cannot be read.
func fileNames(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// loaderDirs maps an operating system to the default folders that its dynamic loader searches,
// those of the distribution last.
var loaderDirs = map[string][]string{
	"linux":  {"/usr/local/lib", "/usr/local/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64", "/lib"},
	"darwin": {"/opt/homebrew/lib", "/usr/local/lib", "/usr/lib"},
}

// loaderCandidates returns the libraries that the dynamic loader would find by name: in
// LD_LIBRARY_PATH, in its cache, and in its default folders.
func loaderCandidates(ctx context.Context, env Env, p platform) []candidate {
	var found []candidate
	for _, dir := range filepath.SplitList(env.LDLibraryPath) {
		if abs, err := filepath.Abs(dir); err == nil && dir != "" {
			found = append(found, librariesIn(abs)...)
		}
	}
	root := cmp.Or(env.Root, "/")
	found = append(found, ldconfigCandidates(ctx, root)...)
	goos, _, _ := strings.Cut(string(p), "/")
	for _, dir := range loaderDirs[goos] {
		found = append(found, librariesIn(filepath.Join(root, dir))...)
	}
	return found
}

// ldconfigTimeout is much longer than ldconfig needs to print the loader's cache, a few hundred
// kilobytes.
const ldconfigTimeout = 5 * time.Second

// ldconfigCandidates returns the libraries in the loader's cache.
func ldconfigCandidates(ctx context.Context, root string) []candidate {
	entries, exe, err := ldconfig(ctx, root)
	if err != nil {
		return []candidate{{path: exe, err: err}}
	}
	var found []candidate
	for _, e := range entries {
		if mainLibrary().MatchString(e.name) {
			found = append(found, candidate{path: e.path})
		}
	}
	return found
}

// A cacheEntry is one library in the loader's cache, with the name by which other libraries need
// it.
type cacheEntry struct{ name, path string }

// ldconfig runs ldconfig -p to read the loader's cache. exe is the path of that program. Systems
// without it, such as macOS and those with musl, have no entries.
func ldconfig(ctx context.Context, root string) (entries []cacheEntry, exe string, err error) {
	for _, dir := range []string{"sbin", "usr/sbin"} {
		exe, err := exec.LookPath(filepath.Join(root, dir, "ldconfig"))
		if err != nil {
			continue
		}
		out, err := ask(ctx, ldconfigTimeout, exe, "-p")
		return parseLdconfig(string(out)), exe, err
	}
	return nil, "", nil
}

// parseLdconfig reads lines such as "libonnxruntime.so.1 (libc6,x86-64) =>
// /usr/lib/libonnxruntime.so.1".
func parseLdconfig(out string) []cacheEntry {
	var entries []cacheEntry
	for line := range strings.Lines(out) {
		name, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		name, _, _ = strings.Cut(name, " ")
		if ok && filepath.IsAbs(path) {
			entries = append(entries, cacheEntry{name, path})
		}
	}
	return entries
}

// cacheCandidates returns the libraries that Lathe has installed: first those that it installs by
// default, then the others from the newest to the oldest. A CUDA build comes before the plain build
// of the same version, and the default one before the plain default, since it can do everything that
// the plain one can.
func cacheCandidates(cacheDir string) []candidate {
	if cacheDir == "" {
		return nil
	}
	store := runtimeStore(cacheDir)
	names := slices.DeleteFunc(fileNames(store), func(n string) bool {
		return !isVersion(strings.TrimSuffix(n, cudaSuffix))
	})
	slices.SortFunc(names, preferInstalled)
	var found []candidate
	for _, name := range names {
		found = append(found, librariesIn(filepath.Join(store, name))...)
	}
	return found
}

// rank is lower for builds that are preferred whatever their version.
func rank(build string) int {
	switch {
	case build == cudaVersion+cudaSuffix || build == TestedVersion+cudaSuffix:
		return 0
	case build == TestedVersion:
		return 1
	}
	return 2
}

func preferInstalled(a, b string) int {
	x, y := strings.TrimSuffix(a, cudaSuffix), strings.TrimSuffix(b, cudaSuffix)
	return cmp.Or(cmp.Compare(rank(a), rank(b)), compareVersions(y, x), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
}
