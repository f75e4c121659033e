//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"fmt"

	"lathe/session/ort/wire"
)

// session is a loaded model. Its requests take turns.
type session struct {
	lib     *library
	handle  *C.OrtSession
	inputs  []*wire.Port
	outputs []*wire.Port
	// defaults are initializers that a feed of the same name overrides.
	defaults []string
	turn     chan struct{} // holds one token while a request uses the session

	bound    *lanes    // what Block runs on; nil until Bind
	settles  bool      // a block ends when threads have come to rest
	held     []*output // what Look looks at; guarded by server.holding
	provider string
	deviceID int              // of the provider
	device   *C.OrtMemoryInfo // of the provider; nil until it is asked for
	// placement is set where the partitioner's decisions were noted. The log is kept
	// with it, and with dump.
	placement bool
	logID     string // under which the runtime logs
	log       []*wire.LogLine
	profile   string // the folder that a profile is written into, "" for none
	dump      dump   // zero for none
	samples   []C.int64_t
}

// newSession takes ownership of handle.
func newSession(lib *library, handle *C.OrtSession) (*session, error) {
	s := &session{lib: lib, handle: handle, turn: make(chan struct{}, 1)}
	if err := s.readPorts(); err != nil {
		s.release()
		return nil, fmt.Errorf("reading the model's inputs and outputs: %w", err)
	}
	return s, nil
}

// acquire waits for the requests before.
func (s *session) acquire(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) yield() { <-s.turn }

// release ends a session that no request uses any more.
func (s *session) release() {
	s.unbind()
	releaseOutputs(s.held)
	s.held = nil
	C.ort_ReleaseSession(s.handle)
	C.ort_ReleaseMemoryInfo(s.device)
	s.handle, s.device = nil, nil
	s.dropProfile()
	s.dump.remove()
	takeLog(s.logID)
}

func (s *session) unbind() {
	if s.bound != nil {
		s.bound.release()
		s.bound = nil
	}
}
