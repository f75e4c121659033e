package ort

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Source says through what a library was found.
type Source string

// The sources, in order of preference.
const (
	SourceFlag   Source = "flag"   // --runtime
	SourceEnv    Source = "env"    // LATHE_ORT_LIB
	SourcePython Source = "python" // the onnxruntime package of the active Python
	SourceLoader Source = "loader" // where the system's dynamic loader looks
	SourceCache  Source = "cache"  // what Lathe installed itself
)

// A Library is one ONNX Runtime shared library on this machine, usable or not. Its fields
// marshal as the command contract says.
type Library struct {
	Path    string `json:"path"`    // absolute
	Version string `json:"version"` // empty when it could not be read
	Source  Source `json:"source"`
	Usable  bool   `json:"usable"`
	Reason  string `json:"reason"` // why it is not usable; empty when it is
	// Providers are those whose library lies beside it, "cpu" last. Attach replaces them by those
	// that really attach.
	Providers []string `json:"providers"`
	CUDA      bool     `json:"cuda"` // a CUDA provider lies beside it
	// Refused are the providers that the library was built with and that do not attach on this
	// machine. Only Attach tells.
	Refused []Diagnosis `json:"refused"`
	// LibraryDirs are folders of CUDA, cuDNN and TensorRT packages, in the same Python or in the
	// active one, which the provider libraries need on the loader's path.
	LibraryDirs []string `json:"library_dirs"`
}

// An Env is what discovery may look at. The caller fills it from flags and environment; an empty
// field is not looked at.
type Env struct {
	Flag          string // --runtime: a library, or a folder that holds one
	LibEnv        string // LATHE_ORT_LIB, likewise
	Python        string // --python: an interpreter to ask in place of the active one
	VirtualEnv    string // VIRTUAL_ENV
	CondaPrefix   string // CONDA_PREFIX
	LDLibraryPath string // LD_LIBRARY_PATH
	Path          string // PATH, where python3 is searched
	CacheDir      string // the user's cache folder; Lathe's own is "lathe" in it
	Modules       string // MODULESHOME: set where software is loaded as environment modules
	Root          string // the folder that system paths are taken from; "/" unless in a test

	asked *interpreters // while libraries are looked for
}

// asking is the environment for one look around, in which no interpreter is asked twice.
func (e Env) asking() Env {
	e.asked = &interpreters{answers: map[string]func() (map[string][]string, error){}}
	return e
}

// Discover lists every library it finds in order of preference, each file once. It loads none of
// them. A cancelled context ends the list early.
func Discover(ctx context.Context, env Env) []Library {
	return discover(ctx, env, thisPlatform())
}

func discover(ctx context.Context, env Env, p platform) []Library {
	var found []Library
	env = env.asking()
	for _, s := range sources {
		for _, c := range s.find(ctx, env, p) {
			if !slices.ContainsFunc(found, func(l Library) bool { return sameFile(l.Path, c.path) }) {
				found = append(found, c.examine(ctx, env, s.source, p))
			}
		}
	}
	return found
}

// A candidate is a path that a source offers, or what went wrong when the source was asked.
type candidate struct {
	path string
	err  error
}

// examine reads what a candidate is, and where else on this machine there is what it needs.
func (c candidate) examine(ctx context.Context, env Env, s Source, p platform) Library {
	lib := c.inspect(s, p)
	if lib.CUDA {
		lib.LibraryDirs = nvidiaDirs(ctx, env, lib.Path, p)
	}
	return lib
}

// inspect reads what a candidate is, from the file and from what lies beside it.
func (c candidate) inspect(s Source, p platform) Library {
	lib := Library{Path: besideProviders(c.path), Source: s, Providers: []string{}, Refused: []Diagnosis{}, LibraryDirs: []string{}}
	providers := providersBeside(lib.Path)
	cuda := slices.Contains(providers, "cuda")
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
	lib.Usable, lib.Providers, lib.CUDA = true, providers, cuda
	return lib
}

const providerPrefix = "libonnxruntime_providers_"

// besideProviders is the name of a library to load it by. The runtime looks for its providers in
// the folder of the name that it was loaded by, and does not follow a link: where they lie beside
// the real file alone, that is to be named.
func besideProviders(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && len(providersBeside(path)) == 1 && len(providersBeside(real)) > 1 {
		return real
	}
	return path
}

// providerLibrary is the file that a library loads a provider from.
func providerLibrary(library, provider string) string {
	return filepath.Join(filepath.Dir(library), providerPrefix+provider+".so")
}

// providersBeside names the providers whose libraries lie in the folder of the library, which is
// where ONNX Runtime loads them from; "cpu" is last.
func providersBeside(path string) []string {
	providers := []string{}
	for _, name := range fileNames(filepath.Dir(path)) {
		provider, ok := strings.CutPrefix(name, providerPrefix)
		provider = strings.TrimSuffix(strings.TrimSuffix(provider, ".so"), ".dylib")
		if ok && provider != "shared" { // the bridge that the others are loaded through
			providers = append(providers, provider)
		}
	}
	return append(providers, "cpu")
}

// sameFile reports whether two paths lead to one file; paths that lead nowhere are compared as text.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return a == b
	}
	return os.SameFile(x, y)
}
