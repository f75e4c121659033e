//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"fmt"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// session is a loaded model. Only one request uses it at a time: see acquire.
type session struct {
	lib     *library
	handle  *C.OrtSession
	inputs  []wire.Port
	outputs []wire.Port
	// defaults are the names of the initializers that can be overridden by feeding an input of the
	// same name.
	defaults []string
	turn     chan struct{} // contains one token while a request uses the session

	bound   *lanes   // what Block runs on; nil until Bind
	settles bool     // a block waits at its end until threads are idle
	decoder *decoder // what Generate runs; nil until Decode
	// captures is set if the provider captures the work of blocks and replays it. Runs outside of
	// blocks do not replay, because they read and write other memory.
	captures bool
	replays  *ownThread // on which blocks run if captures is set; nil until first used
	held     []*output  // values for Look; guarded by server.holding
	provider string
	deviceID int              // device number of the provider
	device   *C.OrtMemoryInfo // memory of the provider's device; nil until first used
	plug     *offered         // the device if a plug-in has the provider; nil otherwise
	// placement is set if the runtime recorded which provider runs each node. log is kept if
	// placement or dump is set.
	placement bool
	logID     string // id of the session's log messages
	log       []wire.LogLine
	profile   string // folder of the profile; empty if there is none
	dump      dump   // zero if there is none
	samples   []C.int64_t
}

// newSession returns the session of handle, which it takes ownership of.
func newSession(lib *library, handle *C.OrtSession) (*session, error) {
	s := &session{lib: lib, handle: handle, turn: make(chan struct{}, 1)}
	if err := s.readPorts(); err != nil {
		s.release()
		return nil, fmt.Errorf("reading the model's inputs and outputs: %w", err)
	}
	return s, nil
}

// offered returns the device of the plug-in's provider, or nil.
func (s *session) offered() *ep.Device {
	if s.plug == nil {
		return nil
	}
	return &s.plug.Device
}

// acquire waits until no other request uses the session. The caller then has the session to itself
// until it calls yield.
func (s *session) acquire(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) yield() { <-s.turn }

// release releases the session, and everything that belongs to it, when no request uses it any
// more.
func (s *session) release() {
	s.unbind()
	s.replays.end()
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
	s.decoder.release()
	s.decoder = nil
	if s.bound != nil {
		s.bound.release()
		s.bound = nil
	}
}
