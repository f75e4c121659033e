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

// An archive that a client has fetched whole lies in a folder of the store that is named for what
// it is, from then until it is installed. Its content is verified each time, as any other's.

// keptName is the name of that folder for what is asked for.
func (in *installation) keptName() string { return keptPrefix + buildName(in.Version, in.CUDA) }

func (in *installation) keptFolder() string { return filepath.Join(in.store, in.keptName()) }

// kept is the archive of an earlier try, and which package it is; empty without one. Wheels end as
// the index names them; npm's archives end otherwise.
func (in *installation) kept() (archive, pkg string) {
	archive, err := onlyFile(in.keptFolder())
	switch {
	case err != nil:
		return "", ""
	case !strings.HasSuffix(archive, ".whl"):
		return archive, nodePackage
	case in.CUDA:
		return archive, gpuWheel
	}
	return archive, cpuWheel
}

// keep moves an archive to where it is kept, in place of one that was of no use.
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

// settle removes the archive that was installed, or that never can be, and says when it stays.
func (in *installation) settle(ctx context.Context, err error) error {
	if err != nil && isWorthKeeping(ctx, err) {
		return fmt.Errorf("%w (what was fetched is kept for the next try)", err)
	}
	return errors.Join(err, os.RemoveAll(in.keptFolder()))
}

// isWorthKeeping reports whether an installation failed for what may be otherwise the next time: it
// was ended, or the system refused it something. An archive that holds the wrong thing always will.
func isWorthKeeping(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.As(err, new(syscall.Errno))
}
