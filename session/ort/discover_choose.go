package ort

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Choose returns the first usable library in the order of preference of the sources. If --runtime
// or LATHE_ORT_LIB names a library that cannot be used, Choose returns an error and does not try
// another one. If neither is set, the sources are searched concurrently.
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

// askSources starts the searches of all sources concurrently, because running a Python interpreter
// takes longer than all other searches together. A function in answers waits for the answer of one
// source. If the user has named a library, a search starts only when its answer is requested. stop
// ends searches whose answer is not needed.
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

// likely finds the first usable library without running a Python interpreter, which takes longest.
// choose returns the same library unless an interpreter finds one that is preferred. ok is false if
// no library is found, or if the user named one. It is also false if the library is a CUDA build,
// because the folders of its CUDA libraries may be known only to an interpreter.
func likely(ctx context.Context, env Env, p platform) (lib Library, ok bool) {
	if env.Flag != "" || env.LibEnv != "" {
		return Library{}, false // choose is as fast in this case
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

// withoutAsking returns the candidates of pythonCandidates that can be found without running an
// interpreter: those in the active virtual environment and conda prefix. It returns nil if --python
// names an interpreter.
func withoutAsking(_ context.Context, env Env, _ platform) []candidate {
	if env.Python != "" {
		return nil
	}
	return activeCandidates(env)
}

// ErrNoRuntime is in the chain of every error that Choose returns, unless the context was
// cancelled.
var ErrNoRuntime = errors.New("no usable ONNX Runtime")

// A NoRuntimeError reports that no usable library was found, and why each candidate was rejected.
type NoRuntimeError struct {
	Named    Source    // the source that the user chose explicitly, or empty
	Rejected []Library // libraries that were found but cannot be used
}

// Unwrap makes errors.Is(err, ErrNoRuntime) hold.
func (e *NoRuntimeError) Unwrap() error { return ErrNoRuntime }

// Error returns one line with the first rejected library, why it was rejected, and the command that
// installs a library.
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
