package ort

import (
	"context"
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
	// Providers are those whose library lies beside it, "cpu" last. Probe replaces them by those
	// that really attach.
	Providers []string `json:"providers"`
	CUDA      bool     `json:"cuda"` // a CUDA provider lies beside it
	// LibraryDirs are folders of the CUDA, cuDNN and TensorRT wheels in the same Python, which
	// the provider libraries need on the loader's path.
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
	Root          string // the folder that system paths are taken from; "/" unless in a test
}

// Discover lists every library it finds in order of preference, each file once. It loads none of
// them. A cancelled context ends the list early.
func Discover(ctx context.Context, env Env) []Library {
	return discover(ctx, env, thisPlatform())
}

func discover(ctx context.Context, env Env, p platform) []Library {
	var found []Library
	for _, s := range sources {
		for _, c := range s.find(ctx, env, p) {
			if !slices.ContainsFunc(found, func(l Library) bool { return sameFile(l.Path, c.path) }) {
				found = append(found, c.inspect(s.source, p))
			}
		}
	}
	return found
}

// A Prober loads the library at a path in another process and says its version and the providers
// that attached there.
type Prober func(ctx context.Context, path string) (version string, providers []string, err error)

// Probe asks about every usable library and replaces what was read from its file by the answer.
// A library that does not load becomes unusable. The argument is not changed.
func Probe(ctx context.Context, libs []Library, probe Prober) []Library {
	libs = slices.Clone(libs)
	for i := range libs {
		lib := &libs[i]
		if !lib.Usable {
			continue
		}
		version, providers, err := probe(ctx, lib.Path)
		if err == nil {
			lib.Version, lib.Providers = version, slices.Clone(providers)
			err = checkVersion(version)
		}
		if err != nil {
			lib.Usable, lib.Reason, lib.Providers = false, err.Error(), []string{}
		}
	}
	return libs
}

// A candidate is a path that a source offers, or what went wrong when the source was asked.
type candidate struct {
	path string
	err  error
}

// inspect reads what a candidate is, from the file and from what lies beside it.
func (c candidate) inspect(s Source, p platform) Library {
	lib := Library{Path: c.path, Source: s, Providers: []string{}, LibraryDirs: []string{}}
	err := c.err
	if err == nil {
		lib.Version, err = libraryVersion(c.path, p)
	}
	if err != nil {
		lib.Reason = err.Error()
		return lib
	}
	lib.Usable = true
	lib.Providers = providersBeside(c.path)
	lib.CUDA = slices.Contains(lib.Providers, "cuda")
	if lib.CUDA {
		lib.LibraryDirs = cudaWheelDirs(c.path)
	}
	return lib
}

// providersBeside names the providers whose libraries lie in the folder of the library, which is
// where ONNX Runtime loads them from.
func providersBeside(path string) []string {
	const prefix = "libonnxruntime_providers_"
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	providers := []string{}
	for _, name := range fileNames(filepath.Dir(path)) {
		provider, ok := strings.CutPrefix(name, prefix)
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
