package ort

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Choose returns the first usable library. A library that --runtime or LATHE_ORT_LIB names is
// taken or refused, never passed over for another one. The other sources are asked at the same
// time, and what the most preferred of them has is waited for.
func Choose(ctx context.Context, env Env) (Library, error) {
	return choose(ctx, env, thisPlatform())
}

func choose(ctx context.Context, env Env, p platform) (Library, error) {
	var rejected []Library
	env = env.asking()
	answers, stop := askSources(ctx, env, p)
	defer stop()
	for i, s := range sources {
		for _, c := range answers[i]() {
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

// askSources asks all sources at the same time: an interpreter takes longer than the others
// together. Where a library is named, that alone counts and nothing else is asked. stop ends what
// is not waited for.
func askSources(ctx context.Context, env Env, p platform) (answers []func() []candidate, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	isNamed := env.Flag != "" || env.LibEnv != ""
	for _, s := range sources {
		answer := sync.OnceValue(func() []candidate { return s.find(ctx, env, p) })
		if !isNamed {
			running.Go(func() { answer() })
		}
		answers = append(answers, answer)
	}
	return answers, func() {
		cancel()
		running.Wait()
	}
}

// likely is what choose comes to if no interpreter knows a library, told without asking one. Not
// ok is that there is none, and a build whose CUDA an interpreter may have to tell.
func likely(ctx context.Context, env Env, p platform) (lib Library, ok bool) {
	if env.Flag != "" || env.LibEnv != "" {
		return Library{}, false // which choose tells as fast
	}
	for _, s := range sources {
		find := s.find
		if s.source == SourcePython {
			find = withoutAsking
		}
		for _, c := range find(ctx, env, p) {
			if lib := c.inspect(s.source, p); lib.Usable {
				return lib, !lib.CUDA
			}
		}
	}
	return Library{}, false
}

// withoutAsking is what pythonCandidates tells where it asks no interpreter.
func withoutAsking(_ context.Context, env Env, _ platform) []candidate {
	if env.Python != "" {
		return nil
	}
	return activeCandidates(env)
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
