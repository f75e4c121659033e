// Package orttest finds the ONNX Runtime that tests run on. Only tests import it.
package orttest

import (
	"context"
	"os"
	"sync"
	"testing"

	"lathe/session/ort"
)

// Find returns the ONNX Runtime library that the program would use.
func Find() (ort.Library, error) { return choose() }

var choose = sync.OnceValues(func() (ort.Library, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ort.Library{}, err
	}
	return ort.Choose(context.Background(), ort.Env{
		LibEnv:        os.Getenv("LATHE_ORT_LIB"),
		VirtualEnv:    os.Getenv("VIRTUAL_ENV"),
		CondaPrefix:   os.Getenv("CONDA_PREFIX"),
		LDLibraryPath: os.Getenv("LD_LIBRARY_PATH"),
		Path:          os.Getenv("PATH"),
		CacheDir:      cache,
	})
})

// Chosen returns the ONNX Runtime that the program would use, and skips the test if there is
// none. If LATHE_ORT_LIB names a library that cannot be used, the test fails.
func Chosen(tb testing.TB) ort.Library {
	tb.Helper()
	lib, err := choose()
	if err != nil && os.Getenv("LATHE_ORT_LIB") != "" {
		tb.Fatal(err)
	}
	if err != nil {
		tb.Skip(err)
	}
	return lib
}

// Library returns the path of the library that Chosen finds.
func Library(tb testing.TB) string {
	tb.Helper()
	return Chosen(tb).Path
}
