//go:build !linux

package durable

import (
	"errors"
	"os"
)

func copyFileRange(_, _ *os.File, _, _ int64) (int64, error) { return 0, errors.ErrUnsupported }

func startWriteOut(*os.File, int64, int64) {}

func renameNew(_, _ string) error { return errors.ErrUnsupported }

func readACL(string) []byte { return nil }

func writeACL(*os.File, []byte) bool { return true }
