package ort

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// finderEnv is an environment with a Python that answers with a library, or with nothing, once it is
// let, and a library that Lathe installed. Every asking leaves a line in the file.
func finderEnv(t *testing.T, has bool) (env Env, letAnswer func(), asked string) {
	t.Helper()
	root := t.TempDir()
	asked, let := filepath.Join(root, "asked"), filepath.Join(root, "let")
	capi := filepath.Join(root, "site-packages/onnxruntime/capi")
	script := "echo asked >> " + asked + "; until test -e " + let + "; do sleep 0.01; done; "
	if has {
		writeFile(t, filepath.Join(capi, "libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
		script += "echo onnxruntime=" + filepath.Dir(capi)
	}
	writeScript(t, filepath.Join(root, "bin/python3"), script)
	writeFile(t, filepath.Join(root, "cache/lathe/runtime/1.29.0/libonnxruntime.so.1.29.0"), runtimeELF("1.29.0"))
	env = Env{Path: filepath.Join(root, "bin"), CacheDir: filepath.Join(root, "cache"), Root: filepath.Join(root, "system")}
	return env, func() { writeFile(t, let, nil) }, asked
}

func TestFinder(t *testing.T) {
	for has, want := range map[bool]string{true: "1.30.0", false: "1.29.0"} {
		env, letAnswer, asked := finderEnv(t, has)
		f := NewFinder(env)
		likely, ok := f.Likely() // which does not wait for Python
		if !ok || likely.Version != "1.29.0" || likely.Source != SourceCache {
			t.Errorf("likely: %+v %v, expected the one in the cache", likely, ok)
		}
		short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := f.Choose(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, expected that waiting ended", err)
		}
		cancel()
		letAnswer()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if lib, err := f.Choose(t.Context()); err != nil || lib.Version != want {
					t.Errorf("Python has it: %v: chosen %+v %v, expected %s", has, lib, err, want)
				}
			})
		}
		all.Wait()
		f.Close()
		if lib, err := f.Choose(t.Context()); err != nil || lib.Version != want {
			t.Errorf("after Close: %+v %v", lib, err)
		}
		if lines, err := os.ReadFile(asked); err != nil || strings.Count(string(lines), "asked") != 1 {
			t.Errorf("asked: %q %v, expected one line", lines, err)
		}
	}
}

// TestFinderClose holds that a search ends with its Finder, and that none begins later.
func TestFinderClose(t *testing.T) {
	env, _, asked := finderEnv(t, false)
	f := NewFinder(env)
	if _, ok := f.Likely(); !ok || isFile(asked) {
		t.Error("what is likely is told without an interpreter")
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := f.Choose(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, expected that waiting ended", err)
	}
	for end := time.Now().Add(20 * time.Second); !isFile(asked) && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	f.Close()
	if _, err := f.Choose(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that the search was cancelled", err)
	}
	f = NewFinder(env)
	f.Close()
	f.Close()
	if _, err := f.Choose(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that there was no search", err)
	}
}

// TestLikely compares what is told without asking an interpreter with the choice where that has
// nothing.
func TestLikely(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	python := writeScript(t, at("bin/python3"), "exit 0")
	venv := at("venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.27.0")
	writeFile(t, venv, runtimeELF("1.27.0"))
	old := at("old/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.20.0")
	writeFile(t, old, runtimeELF("1.20.0"))
	writeFile(t, at("loader/libonnxruntime.so.1.28.0"), runtimeELF("1.28.0"))
	writeFile(t, at("cache/lathe/runtime/1.29.0/libonnxruntime.so.1.29.0"), runtimeELF("1.29.0"))
	gpuBuild(t, at("gpu/lathe/runtime/1.30.0-cuda"), "1.30.0", cuda13...)
	for name, c := range map[string]struct {
		env Env
		ok  bool
	}{
		"nothing":         {Env{}, false},
		"cache":           {Env{CacheDir: at("cache")}, true},
		"loader":          {Env{CacheDir: at("cache"), LDLibraryPath: at("loader")}, true},
		"active":          {Env{CacheDir: at("cache"), VirtualEnv: at("venv")}, true},
		"active, too old": {Env{CacheDir: at("cache"), VirtualEnv: at("old")}, true},
		"named Python":    {Env{CacheDir: at("cache"), VirtualEnv: at("venv"), Python: python}, true},
		"named library":   {Env{CacheDir: at("cache"), LibEnv: venv}, false},
		"flag":            {Env{CacheDir: at("cache"), Flag: at("loader")}, false},
		"for CUDA":        {Env{CacheDir: at("gpu")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.env.Root, c.env.Path = at("system"), at("bin")
			lib, ok := likely(t.Context(), c.env, linux)
			if ok != c.ok {
				t.Fatalf("%+v %v, expected %v", lib, ok, c.ok)
			}
			chosen, err := choose(t.Context(), c.env, linux)
			if ok && (err != nil || chosen.Path != lib.Path || len(chosen.LibraryDirs) > 0) {
				t.Errorf("%+v, chosen is %+v %v", lib, chosen, err)
			}
		})
	}
}

// TestAskedOnce holds that an interpreter that is asked for a library is not asked again for CUDA.
func TestAskedOnce(t *testing.T) {
	root := t.TempDir()
	asked := filepath.Join(root, "asked")
	writeScript(t, filepath.Join(root, "bin/python3"), "echo asked >> "+asked)
	gpuBuild(t, filepath.Join(root, "cache/lathe/runtime/1.30.0-cuda"), "1.30.0", cuda13...)
	env := Env{Path: filepath.Join(root, "bin"), CacheDir: filepath.Join(root, "cache"), Root: filepath.Join(root, "system")}
	for name, look := range map[string]func() bool{
		"choose":   func() bool { lib, err := choose(t.Context(), env, linux); return err == nil && lib.CUDA },
		"discover": func() bool { return len(discover(t.Context(), env, linux)) == 1 },
	} {
		if err := os.RemoveAll(asked); err != nil {
			t.Fatal(err)
		}
		if !look() {
			t.Errorf("%s: no build for CUDA is found", name)
		}
		if lines, err := os.ReadFile(asked); err != nil || strings.Count(string(lines), "asked") != 1 {
			t.Errorf("%s: asked %q %v, expected one line", name, lines, err)
		}
	}
}

// TestFinderLooksAgain holds that a library that is installed after a search that found none is found,
// but that the search is not repeated at once.
func TestFinderLooksAgain(t *testing.T) {
	root := t.TempDir()
	f := NewFinder(Env{Path: filepath.Join(root, "bin"), CacheDir: filepath.Join(root, "cache"), Root: filepath.Join(root, "system")})
	defer f.Close()
	at := time.Now()
	f.now = func() time.Time { return at }
	if _, err := f.Choose(t.Context()); !errors.Is(err, ErrNoRuntime) {
		t.Fatalf("%v, expected ErrNoRuntime", err)
	}
	writeFile(t, filepath.Join(root, "cache/lathe/runtime/1.29.0/libonnxruntime.so.1.29.0"), runtimeELF("1.29.0"))
	if _, err := f.Choose(t.Context()); !errors.Is(err, ErrNoRuntime) {
		t.Errorf("%v, expected the result of the same search", err)
	}
	at = at.Add(retryAfter)
	if lib, err := f.Choose(t.Context()); err != nil || lib.Version != "1.29.0" {
		t.Errorf("%+v %v, expected the new library", lib, err)
	}
	if lib, ok := f.Likely(); !ok || lib.Version != "1.29.0" {
		t.Errorf("%+v %v is likely, expected the new library", lib, ok)
	}
}
