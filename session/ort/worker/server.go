//go:build cgo

package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
)

// server answers the requests of one client. One goroutine reads frames. Each request runs in a
// goroutine of its own, so that a Cancel and the end of the client are noticed while the runtime is
// busy.
type server struct {
	plugins *plugins
	box     *sandbox.Box
	runtime string // path of the library
	lib     *library
	limits  *limiter
	out     *wire.Writer
	// storage holds the files that the client sends.
	storage *storage
	// receiving contains the requests whose data is still arriving, by id. Only the goroutine that
	// reads frames uses it.
	receiving map[uint64]*job
	// heard is set once a request has arrived. Only the goroutine that reads frames uses it.
	heard bool

	// holding guards session.held of all sessions. It is read-locked while such values are read,
	// and locked to replace them.
	holding sync.RWMutex

	mu       sync.Mutex
	sessions map[uint64]*session
	cancels  map[uint64]context.CancelFunc // of the running requests
}

// job is a request that was decoded and checked, with the function that performs it.
type job struct {
	sinks   []*wire.Sink // for the data that follows, in order
	run     func(context.Context) (*wire.Reply, error)
	release func() // releases the job's resources, whether it ran or not
}

func newServer(lib *library, limits *limiter, kept *storage, out *wire.Writer) *server {
	return &server{
		lib: lib, limits: limits, storage: kept, out: out,
		receiving: map[uint64]*job{},
		sessions:  map[uint64]*session{},
		cancels:   map[uint64]context.CancelFunc{},
	}
}

// serve reads and starts requests until the input ends, when it returns io.EOF, or until the client
// violates the protocol.
func (s *server) serve(in *wire.Reader) error {
	for {
		var req wire.Request
		if err := in.Next(&req); err != nil {
			return err
		}
		s.heard = true
		if err := s.handle(&req, in); err != nil {
			return fmt.Errorf("request %d: %w", req.ID, err)
		}
	}
}

// farewell informs the client if the input ended before any request arrived. In that case the
// launcher probably does not pass its input on. If a request has arrived, farewell sends nothing,
// because the client may not read any more.
func (s *server) farewell() {
	if !s.heard {
		s.send(&wire.Reply{Unheard: &wire.Unheard{}}, nil)
	}
}

// handle starts or cancels what one request asks for, or receives its data. An error of the request
// is sent to the client. handle returns an error only if the connection cannot be used any more.
func (s *server) handle(req *wire.Request, in *wire.Reader) error {
	if req.ID == 0 {
		return errors.New("a request has no id")
	}
	switch {
	case req.Cancel != nil:
		s.cancel(req.Cancel.Request)
		return nil
	case req.Data != nil:
		return s.receive(req.ID, in)
	}
	if err := s.admit(req.ID); err != nil {
		return err
	}
	j, err := s.understand(req)
	if err != nil {
		s.fail(req.ID, err, false)
		return nil
	}
	s.receiving[req.ID] = j
	s.startIfComplete(req.ID)
	return nil
}

// admit returns an error if a new request has the id of one in progress or of a session, or if too many
// are in progress.
func (s *server) admit(id uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, arriving := s.receiving[id]
	_, running := s.cancels[id]
	_, loaded := s.sessions[id]
	switch {
	case arriving || running || loaded:
		return errors.New("its id is in use")
	case len(s.receiving)+len(s.cancels) >= wire.MaxRequests:
		return fmt.Errorf("%d requests are in progress, which is the limit", wire.MaxRequests)
	}
	return nil
}

// receive passes data on to its request. Data for a request that was refused or cancelled is
// dropped.
func (s *server) receive(id uint64, in *wire.Reader) error {
	j, ok := s.receiving[id]
	if !ok {
		return nil
	}
	if err := j.sinks[0].Take(in); err != nil {
		return err
	}
	if err := j.sinks[0].Err(); err != nil {
		delete(s.receiving, id)
		j.release()
		s.fail(id, err, false)
		return nil
	}
	s.startIfComplete(id)
	return nil
}

func (s *server) startIfComplete(id uint64) {
	j := s.receiving[id]
	for len(j.sinks) > 0 && j.sinks[0].Full() {
		j.sinks = j.sinks[1:]
	}
	if len(j.sinks) > 0 {
		return
	}
	delete(s.receiving, id)
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	go s.perform(ctx, id, j)
}

func (s *server) perform(ctx context.Context, id uint64, j *job) {
	alive := time.AfterFunc(wire.AliveEvery, func() { s.reportAlive(ctx) })
	reply, err := j.run(ctx)
	alive.Stop()
	canceled := ctx.Err() != nil
	j.release()
	s.mu.Lock()
	s.cancels[id]()
	delete(s.cancels, id)
	s.mu.Unlock()
	if err != nil {
		s.fail(id, err, canceled)
		return
	}
	reply.ID, reply.Blocked = id, refusedCalls()
	s.end(reply)
}

// reportAlive reports that the worker is alive until a request ends. It is called only if a request
// takes long, so that no goroutine of Lathe wakes up during a short measurement.
func (s *server) reportAlive(ctx context.Context) {
	ticker := time.NewTicker(wire.AliveEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		s.send(&wire.Reply{Alive: &wire.Alive{}}, nil)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (s *server) cancel(id uint64) {
	if j, ok := s.receiving[id]; ok {
		delete(s.receiving, id)
		j.release()
		s.fail(id, context.Canceled, true)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.cancels[id]; ok {
		cancel()
	}
}

func (s *server) fail(id uint64, err error, canceled bool) {
	body := wireError(err)
	body.Canceled = canceled
	s.end(&wire.Reply{ID: id, Error: body, Blocked: refusedCalls()})
}

// end sends the reply that ends a request. If it is too large for a frame, as the names in a hostile
// model can make it, end sends an error in its place, because the client waits for an end.
func (s *server) end(reply *wire.Reply) {
	if err := s.out.Send(reply, nil); errors.Is(err, wire.ErrTooLarge) {
		s.send(&wire.Reply{ID: reply.ID, Error: &wire.Error{Message: "the answer cannot be sent: " + err.Error()}}, nil)
	}
}

// send sends a reply. It ignores errors of writing, because they mean that the client has ended,
// and then the input ends too.
func (s *server) send(reply *wire.Reply, payload []byte) {
	_ = s.out.Send(reply, payload)
}

func (s *server) session(id uint64) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.sessions[id]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("there is no session %d", id)
}
