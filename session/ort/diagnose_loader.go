package ort

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// maxLoaded limits how many libraries are examined for one provider; a CUDA provider needs about
// 20. maxNear limits how many similar files are listed for a missing library.
const (
	maxLoaded = 1000
	maxNear   = 4
)

// A loader finds libraries as glibc's dynamic loader does (ld.so(8)), without loading them. It does
// not handle glibc-hwcaps (subfolders for specific processors), which none of the libraries in
// question use, nor $LIB and $PLATFORM.
type loader struct {
	platform  platform
	path      []string // LD_LIBRARY_PATH: searched after RPATH and before RUNPATH
	cache     []cacheEntry
	defaults  []string
	elsewhere []string // folders that the loader does not search; used by near only

	loaded  map[string]bool          // by name and by soname
	objects map[string]*sharedObject // by path
	missing []missing
}

// missing is the name of a library that was not found, and the path of the library that needs it.
type missing struct{ name, by string }

// newLoader returns a loader that searches the folders in which the dynamic loader of a worker
// would search for what lib needs.
func newLoader(ctx context.Context, env Env, lib Library, p platform) *loader {
	l := &loader{platform: p, path: slices.Clone(lib.LibraryDirs), loaded: map[string]bool{}, objects: map[string]*sharedObject{}}
	for _, dir := range filepath.SplitList(env.LDLibraryPath) {
		if abs, err := filepath.Abs(dir); err == nil && dir != "" {
			l.path = append(l.path, abs)
		}
	}
	root := cmp.Or(env.Root, "/")
	l.cache, _, _ = ldconfig(ctx, root) // on an error only the default folders are searched
	goos, _, _ := strings.Cut(string(p), "/")
	for _, dir := range loaderDirs[goos] {
		if !strings.HasPrefix(dir, "/usr/local/") { // these are searched only through the cache
			l.defaults = append(l.defaults, filepath.Join(root, dir))
		}
	}
	return l
}

// unsearchedDirs returns folders in which CUDA, cuDNN and TensorRT are often installed but which
// the loader does not search.
func unsearchedDirs(ctx context.Context, env Env, root string) []string {
	var dirs []string
	for _, pattern := range []string{
		"usr/local/cuda*/lib64", "usr/local/cuda*/targets/*/lib", "opt/cuda*/lib64", "opt/nvidia/*/lib*",
		"usr/local/nvidia/lib64", "usr/local/lib", "usr/local/TensorRT*/lib", "opt/TensorRT*/lib", "opt/tensorrt*/lib", "usr/lib/wsl/lib",
	} {
		// the error is for malformed patterns, and these are valid
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		dirs = append(dirs, found...)
	}
	for _, site := range activeSites(ctx, env) {
		dirs = append(dirs, site...)
	}
	return dirs
}

// A dependent is a library that load examines, with the folders that it adds to the search for the
// libraries that it needs.
type dependent struct {
	path   string
	rpaths []string // DT_RPATH of the library and of those that led to it; nil if it has a RUNPATH
}

// load examines a library, then the libraries that it needs, then those that these need, and so on.
// It records the libraries that are not found.
func (l *loader) load(path string) {
	queue := []dependent{{path: path}}
	for len(queue) > 0 && len(l.objects) < maxLoaded {
		d := queue[0]
		queue = queue[1:]
		so := l.open(d.path)
		if so == nil {
			continue
		}
		l.loaded[so.soname] = true
		before, after := slices.Concat(expandOrigin(so.rpath, d.path), d.rpaths), []string(nil)
		if so.runpath != "" {
			before, after = nil, expandOrigin(so.runpath, d.path)
		}
		for _, name := range so.needed {
			if l.loaded[name] {
				continue
			}
			l.loaded[name] = true // or noted as missing, but only once
			if found := l.find(name, before, after); found != "" {
				queue = append(queue, dependent{found, before})
			} else {
				l.miss(name, d.path)
			}
		}
	}
}

func (l *loader) miss(name, by string) { l.missing = append(l.missing, missing{name, by}) }

// needs returns the names of the libraries that the library at path lists as needed (DT_NEEDED). It
// does not include what those libraries need.
func (l *loader) needs(path string) []string {
	if so := l.open(path); so != nil {
		return so.needed
	}
	return nil
}

// find returns the path of the library that the dynamic loader would choose for a name, or "" if
// there is none. It searches the folders in before, LD_LIBRARY_PATH, the folders in after, the
// loader's cache and the default folders, in this order. Files that are not libraries for this
// processor are skipped.
func (l *loader) find(name string, before, after []string) string {
	if strings.ContainsRune(name, '/') {
		return l.usable(name)
	}
	for _, dir := range slices.Concat(before, l.path, after) {
		if path := l.usable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	for _, e := range l.cache {
		if e.name == name && l.usable(e.path) != "" {
			return e.path
		}
	}
	for _, dir := range l.defaults {
		if path := l.usable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	return ""
}

func (l *loader) usable(path string) string {
	if so := l.open(path); so != nil && so.machine == elfMachines[l.platform] {
		return path
	}
	return ""
}

// open returns the dynamic section of the library at path, which it reads only once. It returns nil
// if the library cannot be read.
func (l *loader) open(path string) *sharedObject {
	so, known := l.objects[path]
	if !known {
		var err error
		if so, err = readLibrary(path); err != nil {
			so = nil
		} else {
			so.strings = nil // the string tables of all libraries would take too much memory
		}
		l.objects[path] = so
	}
	return so
}

// near returns files that are similar to a library that was not found: the same library in a folder
// that the loader does not search, and then other versions of it.
func (l *loader) near(name string) []string {
	stem, _ := splitSoname(name)
	var candidates []string
	for _, dir := range slices.Concat(l.path, l.elsewhere, l.defaults) {
		for _, file := range fileNames(dir) {
			if strings.HasPrefix(file, stem+".so.") {
				candidates = append(candidates, filepath.Join(dir, file))
			}
		}
	}
	for _, e := range l.cache {
		if strings.HasPrefix(e.name, stem+".so.") {
			candidates = append(candidates, e.path)
		}
	}
	exact, others := []string{}, []string{}
	for _, path := range candidates {
		isKnown := func(p string) bool { return SameFile(p, path) }
		switch {
		case !isFile(path) || slices.ContainsFunc(exact, isKnown) || slices.ContainsFunc(others, isKnown):
		case filepath.Base(path) == name:
			exact = append(exact, path)
		default:
			others = append(others, path)
		}
	}
	near := append(exact, others...)
	return near[:min(len(near), maxNear)]
}

// expandOrigin splits an RPATH or RUNPATH into folders and replaces $ORIGIN by the folder of the
// library that has the entry. It skips folders that are still relative: their meaning would depend
// on the worker's working folder.
func expandOrigin(list, library string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(list) {
		dir = strings.NewReplacer("$ORIGIN", filepath.Dir(library), "${ORIGIN}", filepath.Dir(library)).Replace(dir)
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}
