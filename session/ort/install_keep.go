package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A completely downloaded archive is kept in a folder of the store until it is installed. The
// folder is named after the requested build. The archive is verified before each use, like any
// other.

// keptName returns the name of the folder for the requested build.
func (in *installation) keptName() string { return keptPrefix + buildName(in.requested, in.CUDA) }

func (in *installation) keptFolder() string { return filepath.Join(in.store, in.keptName()) }

// kept returns the path of the archive that an earlier attempt has kept, and the name of its
// package, or empty strings if there is none. An archive that ends in .whl is a wheel; any other is
// the package from npm.
func (in *installation) kept() (archive, pkg string) {
	archive, err := onlyFile(in.keptFolder())
	switch {
	case err != nil:
		return "", ""
	case !strings.HasSuffix(archive, ".whl"):
		if in.isDefault {
			in.Version = nodeVersion
		}
		return archive, nodePackage
	case in.CUDA:
		return archive, gpuWheel
	}
	return archive, cpuWheel
}

// keep moves an archive into the folder for kept archives and returns its new path. It deletes an
// archive that is already there, because that one has turned out to be unusable.
func (in *installation) keep(archive string) (string, error) {
	home := in.keptFolder()
	if err := os.RemoveAll(home); err != nil {
		return "", err
	}
	if err := os.Mkdir(home, 0o755); err != nil {
		return "", err
	}
	kept := filepath.Join(home, filepath.Base(archive))
	return kept, os.Rename(archive, kept)
}

// settle decides what happens to the kept archive after an installation that returned err. It
// deletes the archive if it was installed, or if another attempt would fail too. Otherwise it keeps
// it and returns an error that says so.
func (in *installation) settle(ctx context.Context, err error) error {
	if err != nil && isWorthKeeping(ctx, err) {
		return fmt.Errorf("%w (the download is kept for the next attempt)", err)
	}
	return errors.Join(err, os.RemoveAll(in.keptFolder()))
}

// isWorthKeeping reports whether another attempt with the same archive may succeed. That is the
// case if the installation was cancelled, or failed because of the system, for example a full disk.
// It is not the case if the archive has the wrong contents.
func isWorthKeeping(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.As(err, new(syscall.Errno))
}
