package ort

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/ort/ep"
)

// A Source says where a library was found.
type Source string

// The sources, in order of preference.
const (
	SourceFlag   Source = "flag"   // --runtime
	SourceEnv    Source = "env"    // LATHE_ORT_LIB
	SourcePython Source = "python" // the onnxruntime package of the active Python
	SourceLoader Source = "loader" // a folder that the system's dynamic loader searches
	SourceCache  Source = "cache"  // installed by Lathe
)

// A Library is one ONNX Runtime shared library on this machine, usable or not. Its JSON form is
// part of the command contract.
type Library struct {
	Path    string `json:"path"`    // absolute
	Version string `json:"version"` // empty if it could not be read
	Source  Source `json:"source"`
	Usable  bool   `json:"usable"`
	Reason  string `json:"reason"` // why it is not usable; empty if it is
	// Providers are the providers whose libraries are in the same folder, with "cpu" last. Attach
	// replaces them by the providers that really can be attached.
	Providers []string `json:"providers"`
	CUDA      bool     `json:"cuda"` // a CUDA provider is in the same folder
	// Refused are the providers that the library was built with but that cannot be attached on this
	// machine. Only Attach fills it.
	Refused []Diagnosis `json:"refused"`
	// LibraryDirs are folders of CUDA, cuDNN and TensorRT packages, from the library's own Python
	// or the active one. The loader must search them to load the provider libraries.
	LibraryDirs []string `json:"library_dirs"`
}

// An Env says where to look for a library. The caller fills it from flags and environment
// variables. A field that is empty is not searched.
type Env struct {
	Flag          string // --runtime: a library, or a folder that holds one
	LibEnv        string // LATHE_ORT_LIB: as for --runtime
	Python        string // --python: an interpreter to ask instead of the active one
	VirtualEnv    string // VIRTUAL_ENV
	CondaPrefix   string // CONDA_PREFIX
	LDLibraryPath string // LD_LIBRARY_PATH
	Path          string // PATH, searched for python3
	CacheDir      string // the user's cache folder; Lathe's own is its subfolder "lathe"
	Modules       string // MODULESHOME: set if software is loaded as environment modules
	Root          string // prefix of system paths; empty means "/", tests set another

	asked *interpreters // answers of interpreters during one search; nil outside of one
}

// asking returns a copy of the environment for one search. It stores the answers of Python
// interpreters, so that each interpreter is run at most once during the search.
func (e Env) asking() Env {
	e.asked = &interpreters{answers: map[string]func() (map[string][]string, error){}}
	return e
}

// Discover returns every library that it finds, in order of preference and each file once. It does
// not load them. If ctx is cancelled, Discover returns what it has found until then.
func Discover(ctx context.Context, env Env) []Library {
	return discover(ctx, env, thisPlatform())
}

func discover(ctx context.Context, env Env, p platform) []Library {
	var found []Library
	env = env.asking()
	for _, s := range sources {
		for _, c := range s.find(ctx, env, p) {
			if !slices.ContainsFunc(found, func(l Library) bool { return SameFile(l.Path, c.path) }) {
				found = append(found, c.examine(ctx, env, s.source, p))
			}
		}
	}
	return found
}

// A candidate is a path that a source returned and that may be a library, or the error of a source
// that failed.
type candidate struct {
	path string
	err  error
}

// examine returns what inspect returns. For a library with a CUDA provider it also finds the
// folders of the CUDA libraries that the loader has to search.
func (c candidate) examine(ctx context.Context, env Env, s Source, p platform) Library {
	lib := c.inspect(s, p)
	if lib.CUDA {
		lib.LibraryDirs = nvidiaDirs(ctx, env, lib.Path, p)
	}
	return lib
}

// inspect describes the library at a candidate's path: its version, read from the file, and its
// providers, read from the names of the files beside it. If the file is not usable, Reason says
// why.
func (c candidate) inspect(s Source, p platform) Library {
	lib := Library{Path: besideProviders(c.path), Source: s, Providers: []string{}, Refused: []Diagnosis{}, LibraryDirs: []string{}}
	beside := providersBeside(lib.Path)
	cuda := slices.Contains(beside, ep.CUDA)
	err := c.err
	if err == nil {
		lib.Version, err = libraryVersion(lib.Path, p)
	}
	if tooOld := new(tooOldError); errors.As(err, &tooOld) && cuda {
		tooOld.cuda = true
	}
	if err != nil {
		lib.Reason = err.Error()
		return lib
	}
	lib.Usable, lib.Providers, lib.CUDA = true, beside, cuda
	return lib
}

const providerPrefix = "libonnxruntime_providers_"

// besideProviders returns the path from which a library has to be loaded. ONNX Runtime searches for
// its providers in the folder of the path from which it was loaded, and does not follow links. If
// path is a link and the providers are only in the folder of the real file, the result is the path
// of the real file.
func besideProviders(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && len(providersBeside(path)) == 1 && len(providersBeside(real)) > 1 {
		return real
	}
	return path
}

// providerLibrary returns the path of the file from which ONNX Runtime loads a provider; the file
// is in the folder of the library.
func providerLibrary(library, provider string) string {
	p, _ := ep.Find(provider)
	return filepath.Join(filepath.Dir(library), providerPrefix+cmp.Or(p.File, provider)+".so")
}

// providersBeside returns the names of the providers whose libraries are in the folder of the
// library at path, from which ONNX Runtime loads them. The last name is "cpu".
func providersBeside(path string) []string {
	beside := []string{}
	for _, name := range fileNames(filepath.Dir(path)) {
		provider, ok := strings.CutPrefix(name, providerPrefix)
		provider = strings.TrimSuffix(strings.TrimSuffix(provider, ".so"), ".dylib")
		if ok && provider != "shared" { // "shared" is the bridge through which the others are loaded
			beside = append(beside, provider)
		}
	}
	return append(beside, ep.CPU)
}

// SameFile reports whether two paths lead to the same file. Paths that do not exist are compared as
// text.
func SameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return a == b
	}
	return os.SameFile(x, y)
}
