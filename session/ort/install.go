package ort

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// InstallOptions say what to install, from where, and to which folder.
type InstallOptions struct {
	Version string // empty means the default, or with From the version found there
	CUDA    bool   // the build with the CUDA and TensorRT providers
	From    string // a wheel, zip, gzipped tar or folder on disk; empty to download
	// SHA256 is the expected checksum in hexadecimal: of the archive, or of the library file if
	// From is a folder. If SHA256 is empty, an archive must be one of the official ones in
	// releases, and a folder is accepted without a check.
	SHA256   string
	CacheDir string // the user's cache folder
	Python   string // the interpreter whose pip downloads; empty means python3 in Path
	Path     string // PATH, searched for pip and npm
	// Progress is called from one goroutine at a time, and not after Install has returned. It may
	// be nil.
	Progress func(Progress)
}

// A Phase is a step of an installation.
type Phase string

// The phases of an installation, in order. PhaseWait is the wait for another process that is
// installing.
const (
	PhaseWait   Phase = "waiting"
	PhaseFetch  Phase = "fetching"
	PhaseVerify Phase = "verifying"
	PhaseUnpack Phase = "unpacking"
)

// A Progress describes how far an installation has come.
type Progress struct {
	Phase   Phase
	Bytes   int64         // done in this phase, as far as known
	Total   int64         // 0 if not known
	Elapsed time.Duration // since the installation began
	Detail  string        // the program or file that is at work
}

// reportEvery is the shortest time between two reports of progress. It is short enough for a smooth
// display.
const reportEvery = 100 * time.Millisecond

// Install puts an ONNX Runtime into Lathe's cache and returns it. A build that is installed already
// and undamaged is returned as it is. Processes that install at the same time wait for each other.
//
// A completely downloaded archive is kept until it is installed, so that the next attempt does not
// download it again if this one is cancelled or killed, or if the disk is full. An interrupted
// download cannot be resumed: neither pip nor npm continues one of an earlier process. The next
// installation removes what a killed process left. Otherwise a cancelled or failed installation
// leaves nothing behind.
func Install(ctx context.Context, o InstallOptions) (Library, error) {
	in := &installation{InstallOptions: o, platform: thisPlatform(), table: releases, limits: installLimits}
	return in.install(ctx)
}

type installation struct {
	InstallOptions
	platform platform
	table    []release
	limits   limits

	store      string
	started    time.Time
	isDefault  bool   // no version was given
	requested  string // the version that was given, or the default
	startsOver bool   // an earlier attempt ended during its download
}

func (in *installation) install(ctx context.Context) (Library, error) {
	if err := in.normalize(); err != nil {
		return Library{}, err
	}
	in.started = time.Now()
	in.store = runtimeStore(in.CacheDir)
	// Checked before anything is written, so that a read-only cache works too.
	if lib, ok := in.installed(ctx); ok {
		return lib, nil
	}
	if err := os.MkdirAll(in.store, 0o755); err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	unlock, err := lockStore(ctx, in.store, func() { in.report(Progress{Phase: PhaseWait}) })
	if err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	lib, err := in.installLocked(ctx)
	return lib, errors.Join(err, unlock())
}

// normalize sets options that are empty to their defaults, and returns an error if an option is not
// valid.
func (in *installation) normalize() error {
	if in.CacheDir == "" {
		return errors.New("there is no cache folder to install ONNX Runtime into")
	}
	if in.From == "" && in.Version == "" {
		in.isDefault, in.Version = true, TestedVersion
		switch {
		case in.CUDA:
			in.Version = cudaVersion
		case in.onlyNPM():
			in.Version = nodeVersion
		}
	}
	in.requested = in.Version
	if in.Version != "" {
		if err := checkVersion(in.Version); err != nil {
			return err
		}
	}
	in.SHA256 = strings.ToLower(in.SHA256)
	if sum, err := hex.DecodeString(in.SHA256); err != nil || in.SHA256 != "" && len(sum) != 32 {
		return fmt.Errorf("--sha256 %q: expected 64 hexadecimal digits", in.SHA256)
	}
	return nil
}

// onlyNPM reports whether npm is the only package manager of this machine.
func (in *installation) onlyNPM() bool {
	o := in.InstallOptions
	return interpreter(o.Python, o.Path) == "" && lookIn(o.Path, "pip3") == "" && lookIn(o.Path, "npm") != ""
}

// installed returns the requested build if it is already in the cache and undamaged. If From is
// set, it always returns false, because the version in the archive is known only after unpacking.
func (in *installation) installed(ctx context.Context) (Library, bool) {
	if in.From != "" {
		return Library{}, false
	}
	build := filepath.Join(in.store, buildName(in.Version, in.CUDA))
	m, err := intact(ctx, build, in.meter(PhaseVerify, 0, filepath.Base(build)))
	if err != nil || in.SHA256 != "" && in.SHA256 != m.SHA256 {
		return Library{}, false
	}
	lib := in.inspect(build)
	return lib, lib.Usable
}

func (in *installation) installLocked(ctx context.Context) (Library, error) {
	cutShort, err := sweep(in.store, in.keptName())
	if err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	in.startsOver = cutShort
	if lib, ok := in.installed(ctx); ok { // by the process that held the lock before this one
		return lib, nil
	}
	work, err := os.MkdirTemp(in.store, workPrefix)
	if err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	lib, err := in.build(ctx, work)
	return lib, errors.Join(err, os.RemoveAll(work))
}

// report sets the elapsed time in p and calls the Progress function of the options, if there is
// one.
func (in *installation) report(p Progress) {
	if in.Progress != nil {
		p.Elapsed = time.Since(in.started)
		in.Progress(p)
	}
}

// meter returns a function to be called with the number of bytes done so far. It passes that number
// to report at most once every reportEvery, and always when the number reaches total.
func (in *installation) meter(phase Phase, total int64, detail string) func(int64) {
	var last time.Time
	return func(n int64) {
		if now := time.Now(); n == total || now.Sub(last) >= reportEvery {
			last = now
			in.report(Progress{Phase: phase, Bytes: n, Total: total, Detail: detail})
		}
	}
}
