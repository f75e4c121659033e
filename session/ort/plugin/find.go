package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/ort"
	"lathe/session/ort/ep"
)

// Library is a shared library that contains execution providers.
type Library struct {
	Path string
	// Name is the name of the provider, if the user or the file's name states it. Otherwise it is
	// empty, and only the loaded library knows the names of its providers.
	Name string
	// Package and Version are those of the Python package that the library belongs to, or "".
	Package, Version string
	Source           ort.Source
}

// String returns the library as a value of --ep-library.
func (l Library) String() string {
	if l.Name == "" {
		return l.Path
	}
	return l.Name + "=" + l.Path
}

// IsNamed reports whether the user named the library.
func (l Library) IsNamed() bool { return l.Source == ort.SourceFlag }

// entryPoint is the function that every plug-in exports.
const entryPoint = "CreateEpFactories"

// ParseNamed reads the value of --ep-library: PATH or NAME=PATH.
func ParseNamed(value string) (Library, error) {
	name, path, named := strings.Cut(value, "=")
	if !named || strings.ContainsRune(name, filepath.Separator) {
		name, path, named = "", value, false
	}
	if path == "" || named && name == "" {
		return Library{}, fmt.Errorf("--ep-library %q: expected PATH or NAME=PATH", value)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Library{}, fmt.Errorf("--ep-library %q: %w", value, err)
	}
	if name == "" {
		name = nameOf(abs)
	}
	return Library{Path: abs, Name: name, Source: ort.SourceFlag}, nil
}

// Check returns an error if the file cannot be a plug-in for this machine.
func (l Library) Check() error {
	exports, err := ort.Exports(l.Path, entryPoint)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: no such file", l.Path)
	case err != nil:
		return fmt.Errorf("%s: %w", l.Path, err)
	case !exports:
		return fmt.Errorf("%s: no library of execution providers: it has no function %s", l.Path, entryPoint)
	}
	return nil
}

// Find returns the plug-ins of the active Python and of Lathe's cache, each file once. Those that
// the user named come first; they are returned even if they cannot be used.
func Find(ctx context.Context, env ort.Env, named []Library) []Library {
	found := slices.Clone(named)
	add := func(list []Library) {
		for _, l := range list {
			if !slices.ContainsFunc(found, func(o Library) bool { return ort.SameFile(o.Path, l.Path) }) && l.Check() == nil {
				found = append(found, l)
			}
		}
	}
	for _, site := range ort.Sites(ctx, env) {
		add(inSite(site))
	}
	add(inCache(env.CacheDir))
	return found
}

// filePrefixes are the beginnings of the file names of plug-ins, before the provider's name.
var filePrefixes = []string{"libonnxruntime_providers_", "libonnxruntime_"}

// nameOf returns the provider that the name of a plug-in's file states, or "" if it states none.
func nameOf(path string) string {
	stem, ok := stemOf(filepath.Base(path))
	if !ok {
		return ""
	}
	for _, prefix := range filePrefixes {
		if name, ok := strings.CutPrefix(stem, prefix); ok {
			p, _ := ep.Find(strings.TrimSuffix(name, "_plugin"))
			return p.Name
		}
	}
	return ""
}

// stemOf returns the name of a shared library's file without its extension.
func stemOf(base string) (string, bool) {
	for _, extension := range []string{".so", ".dylib"} {
		if stem, ok := strings.CutSuffix(base, extension); ok {
			return stem, true
		}
	}
	return "", false
}
