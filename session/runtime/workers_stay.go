package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/fault"
)

// Staying is a graphops.Runner that keeps its worker. It is for many small models that run once
// each, for which starting a worker would take longer than the run. One model is loaded at a time.
// After a crash, the next run gets another worker.
type Staying struct {
	workers *Workers
	how     Execution
	env     []string
	client  *ort.Client
	idle    int64 // memory of the worker before its first model
	most    int64 // peak memory above idle, over all workers
}

// Frugal returns environment variables for a worker that should use at most this many bytes. They
// make glibc return freed memory to the system at once, in blocks of memory/128, at most 32 MB. By
// default glibc keeps freed blocks of up to 32 MB.
//
// Measured: a worker with 34 MB of live values grew to 340 MB by default, and to 140 MB with blocks
// of 4 MB. With a budget of 50 MB, blocks of 4 MB led to 106 MB, and blocks of 400 kB to 43 MB.
// With 90 MB of live values and a budget of 1 GiB, the default led to 1.7 GB, and blocks of 8 MB to
// 0.7 GB. The price is time, because the system fills new memory with zeros: runs take 50 % longer
// with small blocks, and 10 % longer with blocks of 8 MB.
func Frugal(memory int64) []string {
	block := min(max(memory/128, 128<<10), 32<<20)
	return []string{fmt.Sprint("MALLOC_MMAP_THRESHOLD_=", block), fmt.Sprint("MALLOC_TRIM_THRESHOLD_=", 4*block)}
}

// Stay returns a runner whose models run with the options o. env has additional environment
// variables for its worker. The worker starts with the first run.
func (w *Workers) Stay(o Execution, env ...string) (*Staying, error) {
	if o.On != "" {
		return nil, UsageError("--on: this runs on this machine only")
	}
	return &Staying{workers: w, how: o, env: env}, nil
}

// Run implements graphops.Runner for outputs of a model. If the runtime rejects the model, the
// error is a *Failure with the node that the runtime's message names. Run does not search for the
// node by running the model again.
func (s *Staying) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	err := s.run(ctx, m, in, want, yield)
	var refused *ort.Error
	if errors.As(err, &refused) && ctx.Err() == nil && refused.Phase != ort.Starting {
		return &Failure{Err: err, Finding: fault.Locate(fault.Parse(int(refused.Code), refused.Message), m)}
	}
	return err
}

func (s *Staying) run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	loaded, err := s.load(ctx, m)
	if err != nil {
		return err
	}
	err = loaded.Run(ctx, in, want, yield)
	if peak, known := s.client.PeakMemory(); known {
		s.most = max(s.most, peak-s.idle)
	}
	return errors.Join(err, loaded.Close(), graphops.InPlace(m))
}

func (s *Staying) load(ctx context.Context, m *graphops.Model) (*ort.Session, error) {
	options, err := s.how.options()
	if err != nil {
		return nil, err
	}
	image, err := graphops.ImageOf(m)
	if err != nil {
		return nil, err
	}
	if s.client == nil || s.client.Gone() {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	model := ort.Model{Bytes: image.Bytes, Folder: image.Folder, Name: m.Path(), Sources: graphops.StoredFiles(m)}
	session, err := s.client.Load(ctx, model, options)
	if !errors.Is(err, ort.ErrLimited) {
		return session, err
	}
	if err := s.client.Close(); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s.client.Load(ctx, model, options)
}

func (s *Staying) start(ctx context.Context) error {
	lib, err := s.workers.Library(ctx)
	if err != nil {
		return err
	}
	client, err := ort.Start(ctx, ort.Options{
		Command: s.workers.Command, Library: lib.Path, Env: slices.Concat(s.workers.Environ(lib), s.env),
		Sandbox: s.workers.Sandbox, Note: s.workers.note, Limit: s.how.Timeout, MemoryLimit: s.how.MemoryLimit,
	})
	if err == nil {
		s.client = client
		s.idle, _ = client.OwnMemory() // if this is unknown, the peak is unknown too
	}
	return err
}

// Took returns how much more memory, in bytes, a worker used at its peak than without a model. It
// is 0 if the system does not report memory.
func (s *Staying) Took() int64 { return s.most }

// Close ends the worker.
func (s *Staying) Close() error {
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

// Try loads a model and unloads it. If the runtime rejects the model, the error is an *ort.Error.
func (s *Staying) Try(ctx context.Context, m *graphops.Model) error {
	loaded, err := s.load(ctx, m)
	if err != nil {
		return err
	}
	return errors.Join(loaded.Close(), graphops.InPlace(m))
}
