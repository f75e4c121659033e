// Package orttest has the ONNX Runtime that tests run on.
package orttest

import (
	"context"
	"os"
	"sync"
	"testing"

	"lathe/session/ort"
)

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

// Library finds an ONNX Runtime as the program does, and skips the test where there
// is none. One that LATHE_ORT_LIB asks for must be there.
func Library(tb testing.TB) string {
	tb.Helper()
	lib, err := choose()
	if err != nil && os.Getenv("LATHE_ORT_LIB") != "" {
		tb.Fatal(err)
	}
	if err != nil {
		tb.Skip(err)
	}
	return lib.Path
}
