package ort

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// InstallOptions say what to install, from where and into where.
type InstallOptions struct {
	Version string // empty: TestedVersion, or with From whatever From holds
	CUDA    bool   // the build with the CUDA and TensorRT providers
	From    string // a wheel, zip, gzipped tar or folder on disk; empty: fetched
	// SHA256 is the checksum the archive must have, in hexadecimal; of a folder, the library in
	// it. Empty: the archive must be one that Lathe knows; a folder is taken as it is.
	SHA256   string
	CacheDir string // the user's cache folder
	Python   string // the interpreter whose pip fetches; empty: python3 in Path
	Path     string // PATH, where pip and npm are searched
	// Progress is called from one goroutine at a time, and not after Install has returned.
	Progress func(Progress)
}

// A Phase is what an installation is doing.
type Phase string

// The phases of an installation, in order. Waiting is for another process that installs.
const (
	PhaseWait   Phase = "waiting"
	PhaseFetch  Phase = "fetching"
	PhaseVerify Phase = "verifying"
	PhaseUnpack Phase = "unpacking"
)

// A Progress says how far an installation is.
type Progress struct {
	Phase   Phase
	Bytes   int64         // done in this phase, as far as can be seen
	Total   int64         // 0 when it is not known
	Elapsed time.Duration // since the installation began
	Detail  string        // what is being worked with: a client, a file
}

// reportEvery keeps a progress display smooth without making it cost anything.
const reportEvery = 100 * time.Millisecond

// Install puts an ONNX Runtime into Lathe's cache and returns it. A build that is there and
// undamaged is returned as it is. Processes that install at the same time wait for each other.
//
// What a client has fetched whole is kept until it is installed, so that a try that was cancelled or
// killed then, or for which the disk was too small, does not fetch again. Neither pip nor npm resumes
// a download that ended with its process; what a killed one leaves is removed by the next. Apart from
// that a cancelled or failed installation leaves nothing behind.
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
	startsOver bool // an earlier try ended within its download
}

func (in *installation) install(ctx context.Context) (Library, error) {
	if err := in.normalize(); err != nil {
		return Library{}, err
	}
	in.started = time.Now()
	in.store = runtimeStore(in.CacheDir)
	// Looked at before anything is written, so that a cache that cannot be written still serves.
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

// normalize fills in defaults and refuses options that cannot be right, before anything is done.
func (in *installation) normalize() error {
	if in.CacheDir == "" {
		return errors.New("no cache folder to install ONNX Runtime into")
	}
	if in.From == "" {
		in.Version = cmp.Or(in.Version, TestedVersion)
	}
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

// installed returns the build that is asked for if it is there and undamaged. What From names is
// not known before it is unpacked.
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
	if lib, ok := in.installed(ctx); ok { // by the process that held the lock before
		return lib, nil
	}
	work, err := os.MkdirTemp(in.store, workPrefix)
	if err != nil {
		return Library{}, fmt.Errorf("cache folder: %w", err)
	}
	lib, err := in.build(ctx, work)
	return lib, errors.Join(err, os.RemoveAll(work))
}

// report completes a progress and hands it on.
func (in *installation) report(p Progress) {
	if in.Progress != nil {
		p.Elapsed = time.Since(in.started)
		in.Progress(p)
	}
}

// meter reports a running count of bytes, at most one every reportEvery.
func (in *installation) meter(phase Phase, total int64, detail string) func(int64) {
	var last time.Time
	return func(n int64) {
		if now := time.Now(); n == total || now.Sub(last) >= reportEvery {
			last = now
			in.report(Progress{Phase: phase, Bytes: n, Total: total, Detail: detail})
		}
	}
}
