//go:build network

package ort

import (
	"os"
	"testing"
	"time"
)

// TestInstallFromNetwork fetches what every release of the table for this platform names, through
// the clients of this machine, and so holds the table to what is really published.
func TestInstallFromNetwork(t *testing.T) {
	for _, r := range releases {
		if r.platform != "" && r.platform != thisPlatform() {
			continue
		}
		t.Run(r.pkg+" "+r.version, func(t *testing.T) {
			if r.pkg == gpuWheel && testing.Short() {
				t.Skip("a quarter of a gigabyte")
			}
			lib := installRelease(t, r)
			if lib.Version != r.version || lib.CUDA != (r.pkg == gpuWheel) {
				t.Errorf("installed %+v", lib)
			}
		})
	}
}

func installRelease(t *testing.T, r release) Library {
	t.Helper()
	bin := t.TempDir() // holds the one client that the release is fetched with
	client := "python3"
	if r.pkg == nodePackage {
		client = "npm"
	}
	real := lookIn(os.Getenv("PATH"), client)
	if real == "" {
		t.Skipf("no %s in PATH", client)
	}
	writeScript(t, bin+"/"+client, `exec "`+real+`" "$@"`)
	start := time.Now()
	lib, err := Install(t.Context(), InstallOptions{
		Version: r.version, CUDA: r.pkg == gpuWheel, CacheDir: t.TempDir(), Path: bin, SHA256: r.sha256,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes in %s: %s", r.bytes, time.Since(start).Round(time.Millisecond), lib.Path)
	return lib
}
