package ort

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Choose returns the first usable library. A library that --runtime or LATHE_ORT_LIB names is
// taken or refused, never passed over for another one. It stops looking as soon as it has one.
func Choose(ctx context.Context, env Env) (Library, error) {
	return choose(ctx, env, thisPlatform())
}

func choose(ctx context.Context, env Env, p platform) (Library, error) {
	var rejected []Library
	for _, s := range sources {
		for _, c := range s.find(ctx, env, p) {
			lib := c.examine(ctx, env, s.source, p)
			if lib.Usable {
				return lib, nil
			}
			rejected = append(rejected, lib)
		}
		if err := ctx.Err(); err != nil {
			return Library{}, fmt.Errorf("looking for ONNX Runtime: %w", err)
		}
		if explicit := s.source == SourceFlag || s.source == SourceEnv; explicit && len(rejected) > 0 {
			return Library{}, &NoRuntimeError{Named: s.source, Rejected: rejected}
		}
	}
	return Library{}, &NoRuntimeError{Rejected: rejected}
}

// ErrNoRuntime is in the chain of every error of Choose but a cancelled context's.
var ErrNoRuntime = errors.New("no usable ONNX Runtime")

// A NoRuntimeError says why there is no library to work with.
type NoRuntimeError struct {
	Named    Source    // the source the user chose explicitly, or empty
	Rejected []Library // what was found and cannot be used
}

// Unwrap makes errors.Is(err, ErrNoRuntime) hold.
func (e *NoRuntimeError) Unwrap() error { return ErrNoRuntime }

// Error is one line: what was rejected and why, and the command that gets a library.
func (e *NoRuntimeError) Error() string {
	var b strings.Builder
	switch e.Named {
	case SourceFlag:
		b.WriteString("--runtime")
	case SourceEnv:
		b.WriteString("LATHE_ORT_LIB")
	default:
		b.WriteString("no usable ONNX Runtime found")
	}
	if len(e.Rejected) > 0 {
		fmt.Fprintf(&b, ": %q: %s", e.Rejected[0].Path, e.Rejected[0].Reason)
	}
	if n := len(e.Rejected) - 1; n > 0 {
		fmt.Fprintf(&b, " (%d more rejected, see: lathe runtime list)", n)
	}
	if !strings.Contains(b.String(), InstallCommand) {
		b.WriteString("; get one with: " + InstallCommand)
	}
	return b.String()
}
