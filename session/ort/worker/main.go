//go:build cgo

package worker

// #include "api.h"
// #include "refused.h"
import "C"

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"lathe/graphops/opschema"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
)

// Main serves one client until its input ends, then ends the process through cfg.Exit, whatever the
// runtime is doing. It returns only with an error: if the library cannot be used, which the client
// is told as well, or if the client violates the protocol.
//
// It takes over the process. Standard output becomes standard error and standard input the null
// device, so that nothing the library prints or reads can disturb the protocol. A crash ends the
// process with its signal.
//
// Call it on the process's first thread, with the goroutine locked to it; Main unlocks it. Opening
// the library makes about a hundred thousand small allocations. On the first thread the C library's
// memory grows by 128 KiB at a time, on any other thread by 4 KiB, with a system call each time.
func Main(ctx context.Context, cfg Config) error {
	misled := checkDescriptors(cfg.Out, cfg.Err)
	in, out, err := takeDescriptors(cfg.In, cfg.Out, cfg.Err)
	if err != nil {
		return err
	}
	C.restore_fatal_signals()
	if _, err := io.WriteString(out, wire.Greeting); err != nil {
		return err
	}
	kept := &storage{parent: os.TempDir()}
	defer kept.remove()
	exit := func(code int) {
		kept.remove()
		cfg.Exit(code)
	}
	defer context.AfterFunc(ctx, func() { exit(1) })()
	if cfg.Launched {
		go removeStale(os.TempDir())
	}
	writer := wire.NewWriter(out)
	if cfg.Workers > 1 {
		return writer.Send(&wire.Reply{Several: &wire.Several{Workers: int64(cfg.Workers)}}, nil)
	}
	limits, err := newLimiter(cfg.MemoryLimit)
	err = errors.Join(misled, err)
	var box *sandbox.Box
	if err == nil {
		C.catch_refused_calls()
		box, err = sandbox.Begin(cfg.Sandbox)
	}
	var lib *library
	if err == nil {
		lib, err = greet(writer, cfg, box)
	}
	runtime.UnlockOSThread()
	if err != nil {
		return errors.Join(err, writer.Send(&wire.Reply{Error: wireError(err)}, nil))
	}
	go limits.watch(func(reason string) {
		_ = writer.Send(&wire.Reply{Error: &wire.Error{Message: reason}}, nil)
		exit(1)
	})
	s := newServer(lib, limits, kept, writer)
	s.box, s.runtime = box, cfg.Library
	s.plugins = newPlugins(lib, cfg.Plugins)
	err = s.serve(wire.NewReader(bufio.NewReader(in)))
	if errors.Is(err, io.EOF) {
		s.farewell()
		exit(0)
	}
	return err
}

// greet opens the library and sends the hello, a message that describes the worker and the library.
// It returns an error if the library cannot be used.
func greet(out *wire.Writer, cfg Config, box *sandbox.Box) (*library, error) {
	if cfg.NoLibrary != nil {
		return nil, cfg.NoLibrary
	}
	if cfg.Library == "" {
		return nil, errors.New("the worker was given no ONNX Runtime library")
	}
	lib, err := openLibrary(cfg.Library)
	if err != nil {
		return nil, err
	}
	providers, err := lib.compiledProviders()
	if err != nil {
		return nil, fmt.Errorf("listing providers: %w", err)
	}
	for _, name := range providers {
		lib.compiled = append(lib.compiled, opschema.ShortProvider(name))
	}
	return lib, out.Send(&wire.Reply{Hello: &wire.Hello{
		Protocol:          wire.Version,
		PID:               int64(os.Getpid()),
		LatheVersion:      cfg.Version,
		LibraryPath:       cfg.Library,
		LibraryVersion:    lib.version,
		CompiledProviders: providers,
		SlurmJob:          os.Getenv("SLURM_JOB_ID"),
		Unlimited:         box.Missing,
	}}, nil)
}
