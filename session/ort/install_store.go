package ort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The store has one folder per installed build: VERSION or VERSION-cuda. A build is complete as
// soon as its folder has that name. Names that begin with a dot are internal: the lock, the folders
// of running installations, and folders of downloads that are not installed yet. Builds are not
// written with durable.WriteFile, which writes single files: pip or npm download into the folder
// of a build, and all files of a build must appear at once.
const (
	cudaSuffix   = "-cuda"
	lockName     = ".lock"
	workPrefix   = ".install-"
	keptPrefix   = ".fetched-"
	manifestName = "install.json"
)

// runtimeStore returns the folder for installed libraries within the user's cache folder.
func runtimeStore(cacheDir string) string { return filepath.Join(cacheDir, "lathe", "runtime") }

// buildName returns the name of a build's folder in the store.
func buildName(version string, cuda bool) string {
	if cuda {
		return version + cudaSuffix
	}
	return version
}

// A manifest records what was installed and from which archive. It is a file in the build's folder.
type manifest struct {
	Schema  string          `json:"schema"`
	Version string          `json:"version"`
	Origin  string          `json:"origin"` // file name of the archive or folder
	SHA256  string          `json:"sha256"` // of the archive; empty for a folder
	Files   []installedFile `json:"files"`
}

type installedFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	manifestSchema = "lathe.runtime-build/1"
	maxManifest    = 1 << 20
)

func readManifest(build string) (manifest, error) {
	var m manifest
	f, err := os.Open(filepath.Join(build, manifestName))
	if err != nil {
		return m, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxManifest)).Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Schema != manifestSchema {
		return m, fmt.Errorf("%s: schema %q, expected %q", manifestName, m.Schema, manifestSchema)
	}
	return m, nil
}

func writeManifest(build string, m manifest) error {
	m.Schema = manifestSchema
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(build, manifestName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// intact reads the manifest of the build in a folder. It returns an error if a file of the build is
// missing or was changed. onBytes is called with the number of bytes checked so far.
func intact(ctx context.Context, build string, onBytes func(int64)) (manifest, error) {
	m, err := readManifest(build)
	if err != nil {
		return m, err
	}
	for _, file := range m.Files {
		if filepath.Base(file.Name) != file.Name {
			return m, fmt.Errorf("%s: %q is not a file name", manifestName, file.Name)
		}
		sum, err := hashFile(ctx, filepath.Join(build, file.Name), onBytes)
		if err != nil {
			return m, err
		}
		if sum != file.SHA256 {
			return m, fmt.Errorf("%q was changed since it was installed", file.Name)
		}
	}
	return m, nil
}

// publish renames a finished build to its final name. If there is an older build with that name, it
// is moved to work first; a process that has loaded it can continue to use its files. All these
// folders are in the store, so nothing is copied.
func publish(build, target, work string) error {
	if err := syncFolder(build); err != nil {
		return err
	}
	err := os.Rename(target, filepath.Join(work, "replaced"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(build, target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sweep removes the folders that interrupted installations left in the store, except the folder
// keep. cutShort reports whether one of them was interrupted while it downloaded. Only the process
// that holds the lock may call sweep: no other process is installing then, so all these folders are
// left over.
func sweep(store, keep string) (cutShort bool, err error) {
	for _, name := range fileNames(store) {
		path := filepath.Join(store, name)
		switch {
		case strings.HasPrefix(name, workPrefix):
			cutShort = cutShort || largestFile(path) > 0
		case !strings.HasPrefix(name, keptPrefix) || name == keep:
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return cutShort, err
		}
	}
	return cutShort, nil
}

// lockPoll is how often a process that waits for another installation tries the lock. A blocking
// lock could not be cancelled.
const lockPoll = 100 * time.Millisecond

// lockStore waits until no other process installs into the store. The kernel releases the lock when
// the process ends, in whatever way.
func lockStore(ctx context.Context, store string, waiting func()) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(store, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("locking %q: %w", f.Name(), err), f.Close())
		}
		waiting()
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-tick.C:
		}
	}
}
