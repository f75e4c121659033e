package ort

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// Session is a model that a worker has loaded.
type Session struct {
	client  *Client
	id      uint64
	model   string
	loaded  *wire.Loaded
	inputs  []ValueInfo
	outputs []ValueInfo
	runs    atomic.Int64 // that blocks have completed
	queue   Queue        // of requests that blocks have answered; guarded by the turns that callers take
}

// Inputs describes the model's inputs, in the model's order, without the
// initializers that can be overridden.
func (s *Session) Inputs() []ValueInfo { return slices.Clone(s.inputs) }

// Outputs describes the model's outputs, in the model's order.
func (s *Session) Outputs() []ValueInfo { return slices.Clone(s.outputs) }

// LoadTime is how long the runtime took to make the session.
func (s *Session) LoadTime() time.Duration { return time.Duration(s.loaded.GetSessionNs()) }

// Provider is the execution provider that attached.
func (s *Session) Provider() string { return s.loaded.GetProvider() }

// Refused lists the providers that were preferred and did not attach.
func (s *Session) Refused() []Refusal { return refusals(s.loaded.GetRefused()) }

// Log is what the runtime had to say of the model while it loaded: warnings and
// worse.
func (s *Session) Log() []LogLine { return logLines(s.loaded.GetLog()) }

// Run feeds the inputs and yields what is wanted, in that order; all outputs,
// whole and in the model's order, if nothing is named. Yield must not use the
// session or its client.
func (s *Session) Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	return s.run(ctx, in, want, false, yield)
}

// Hold is Run and keeps the wanted values in the worker, in place of those that
// it kept before, for Look.
func (s *Session) Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	return s.run(ctx, in, want, true, yield)
}

func (s *Session) run(ctx context.Context, in graphops.Feeds, want []graphops.Want, hold bool, yield func(graphops.Got) error) error {
	var m message
	feeds, err := m.feeds(in)
	if err != nil {
		return s.wrong(err)
	}
	wants, err := m.wants(want)
	if err != nil {
		return s.wrong(err)
	}
	return s.ask(ctx, want, yield, &m, &wire.Request{Body: &wire.Request_Run{Run: &wire.Run{
		Session: s.id, Feeds: feeds, Want: wants, Hold: hold,
	}}})
}

// Look yields what is wanted of values that Hold kept.
func (s *Session) Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	var m message
	wants, err := m.wants(want)
	if err != nil {
		return s.wrong(err)
	}
	return s.ask(ctx, want, yield, &m, &wire.Request{Body: &wire.Request_Look{Look: &wire.Look{Session: s.id, Want: wants}}})
}

// wrong is the error of a request that is not worth sending.
func (s *Session) wrong(err error) error {
	return fmt.Errorf("%s: %w", while(Running, s.model), err)
}

// ask sends a request that is answered with values.
func (s *Session) ask(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error, m *message, req *wire.Request) error {
	cl := s.call()
	cl.yield, cl.want = yield, want
	reply, err := s.client.roundTrip(ctx, cl, req, m.data)
	if err != nil {
		return err
	}
	if reply.GetDone() == nil {
		return unexpectedReply(cl)
	}
	return nil
}

// Binding says how the runs that Block times are fed.
type Binding struct {
	// OutputsOnDevice leaves outputs where the provider makes them. Else each run
	// brings them to the host's memory.
	OutputsOnDevice bool
	// Settle has a block end when the session's threads have come to rest. After a run they
	// keep a processor busy for some ten milliseconds, to be there for the next one, which
	// is in the time of whatever else is measured beside them.
	Settle bool
	// Lanes is how many runs of a block go on at once, each with outputs of its own; 0 is 1.
	Lanes int
	// CopyInputs binds the inputs anew before each run, in its time. On a device that copies
	// them to it.
	CopyInputs bool
	// Rate, above 0, has so many requests a second arrive, at random and whether or not those
	// before have been answered. The time of a run is then that from a request's arrival to its
	// answer. Between blocks nothing arrives; what waits then waits on.
	Rate float64
	Seed int64 // of the arrivals
}

// The rates that a queue of requests can have.
const (
	MinRate = wire.MinRate
	MaxRate = wire.MaxRate
)

// Queue is what has become of requests since Bind.
type Queue struct {
	Answered int64
	Span     time.Duration // of the blocks
	Busy     time.Duration // what of it was spent in runs, summed over lanes
	Waiting  int64         // had arrived and were not begun when the last block ended
}

// Bind keeps inputs in the worker for the blocks that follow, in place of those
// bound before. On a device they are copied to it once, here.
func (s *Session) Bind(ctx context.Context, in graphops.Feeds, b Binding) error {
	var m message
	feeds, err := m.feeds(in)
	if err != nil {
		return s.wrong(err)
	}
	req := &wire.Request{Body: &wire.Request_Bind{Bind: &wire.Bind{
		Session: s.id, Feeds: feeds, OutputsOnDevice: b.OutputsOnDevice, Settle: b.Settle, Lanes: int64(b.Lanes), CopyInputs: b.CopyInputs,
		Rate: b.Rate, Seed: b.Seed,
	}}}
	_, err = s.client.roundTrip(ctx, s.call(), req, m.data)
	s.queue = Queue{}
	return err
}

// Queue tells of the requests that blocks have answered; the zero value without Binding.Rate.
func (s *Session) Queue() Queue { return s.queue }

// MaxBlockRuns is the most runs that one block can hold.
const MaxBlockRuns = wire.MaxBlockRuns

// Block runs the model on its bound inputs until maxRuns runs are done or d has
// passed, whichever is first; the run in which d passes is completed. It
// returns the time of each run, in order. The loop and the clock are in C, in
// the worker: neither the pipe nor a scheduler of Go's is in a sample.
//
// Each run writes its outputs, all of them, to the same memory. The first block
// after Load includes the session's first run.
func (s *Session) Block(ctx context.Context, maxRuns int, d time.Duration) ([]time.Duration, error) {
	return s.BlockAt(ctx, 0, maxRuns, d)
}

// BlockAt is Block, begun on a processor that a place above 0 stands for: the same for equal
// places. Neighbours of a processor, of other machines too, slow it down for seconds, and a
// thread that nothing disturbs stays where it is; what takes turns on one is slowed down alike.
func (s *Session) BlockAt(ctx context.Context, place uint64, maxRuns int, d time.Duration) ([]time.Duration, error) {
	cl := s.call()
	cl.spare = d // the limit is that of a run, and a block has many
	if done := s.runs.Load(); done > 0 {
		cl.activity = fmt.Sprintf("after %d runs", done)
	}
	req := &wire.Request{Body: &wire.Request_Block{Block: &wire.Block{
		Session: s.id, MaxRuns: int64(maxRuns), DurationNs: d.Nanoseconds(), Place: place,
	}}}
	reply, err := s.client.roundTrip(ctx, cl, req, nil)
	if err != nil {
		return nil, err
	}
	samples := reply.GetSamples()
	if samples == nil {
		return nil, unexpectedReply(cl)
	}
	s.runs.Add(int64(len(samples.GetRunNs())))
	if samples.GetSpanNs() > 0 {
		s.queue.Answered += int64(len(samples.GetRunNs()))
		s.queue.Span += time.Duration(samples.GetSpanNs())
		s.queue.Busy += time.Duration(samples.GetBusyNs())
		s.queue.Waiting = samples.GetWaiting()
	}
	return durations(samples.GetRunNs()), nil
}

// closeTime is how long unloading may take before the worker is killed. A line that
// has died in silence answers never.
const closeTime = 30 * time.Second

// Close unloads the model and waits for calls in progress before that. On a
// worker that is gone there is nothing to do.
func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	req := &wire.Request{Body: &wire.Request_Unload{Unload: &wire.Unload{Session: s.id}}}
	_, err := s.client.roundTrip(ctx, s.call(), req, nil)
	if errors.Is(err, ErrGone) || errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

func (s *Session) call() *call { return &call{phase: Running, model: s.model} }

func unexpectedReply(cl *call) error {
	return fmt.Errorf("%s: the worker answered a request of another kind", while(cl.phase, cl.model))
}
