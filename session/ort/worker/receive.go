//go:build cgo

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/session/ort/wire"
)

// incoming is the state of a request that sends files to the worker, while the files are arriving.
type incoming struct {
	folder string
	files  []*os.File
	sinks  []*wire.Sink
	kept   bool
}

func (s *server) receiveJob(receive *wire.Receive) (*job, error) {
	folder, err := s.storage.folder()
	if err != nil {
		return nil, err
	}
	in := &incoming{folder: folder}
	for _, f := range receive.Files {
		if err := in.add(f.Name, f.Bytes); err != nil {
			in.release()
			return nil, err
		}
	}
	return &job{sinks: in.sinks, release: in.release, run: func(context.Context) (*wire.Reply, error) {
		if err := in.finish(); err != nil {
			return nil, err
		}
		return &wire.Reply{Received: &wire.Received{Folder: folder}}, nil
	}}, nil
}

// add creates a file of size bytes that is about to arrive. It returns an error if the name
// contains a path.
func (in *incoming) add(name string, size int64) error {
	if name == "." || name != filepath.Base(name) || !filepath.IsLocal(name) {
		return fmt.Errorf("%q is not a file name", name)
	}
	f, err := os.OpenFile(filepath.Join(in.folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	in.files = append(in.files, f)
	sink, err := wire.SinkTo(f, size)
	in.sinks = append(in.sinks, sink)
	return err
}

// finish closes the files. It returns the first error of writing or closing one.
func (in *incoming) finish() error {
	for i, f := range in.files {
		if err := errors.Join(in.sinks[i].Err(), f.Close()); err != nil {
			return fmt.Errorf("storing the received model: %w", err)
		}
	}
	in.kept = true
	return nil
}

// release closes and removes the files, unless all of them have arrived.
func (in *incoming) release() {
	if in.kept {
		return
	}
	for _, f := range in.files {
		_ = f.Close() // the file is removed anyway
	}
	_ = os.RemoveAll(in.folder) // otherwise it is removed when the worker ends
}
