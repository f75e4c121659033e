package ort

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"lathe/graphops"
	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// Session is a model that a worker has loaded.
type Session struct {
	client  *Client
	id      uint64
	model   string
	loaded  *wire.Loaded
	inputs  []ValueInfo
	outputs []ValueInfo
	files   []graphops.StoredFile // from which the worker may read the model
	runs    atomic.Int64          // number of runs that blocks have completed
	queue   Queue                 // of requests answered in blocks; guarded because callers take turns
}

// Inputs describes the model's inputs, in the model's order. It does not include inputs that have
// an initializer as their default.
func (s *Session) Inputs() []ValueInfo { return slices.Clone(s.inputs) }

// Outputs describes the model's outputs, in the model's order.
func (s *Session) Outputs() []ValueInfo { return slices.Clone(s.outputs) }

// LoadTime is how long the runtime took to create the session.
func (s *Session) LoadTime() time.Duration { return s.loaded.Took }

// Provider returns the execution provider that was attached: the first of the requested ones that
// could be.
func (s *Session) Provider() string { return s.loaded.Provider }

// Device returns the device that the session uses if a plug-in has its provider, and otherwise nil.
func (s *Session) Device() *ep.Device { return s.loaded.Device }

// Refused lists the providers that come before Provider in the requested chain and could not be
// attached.
func (s *Session) Refused() []Refusal { return refusals(s.loaded.Refused) }

// UnknownOptions returns the options of the provider whose names its library does not contain.
func (s *Session) UnknownOptions() []string { return slices.Clone(s.loaded.Unknown) }

// Log returns the warnings and errors that the runtime logged while it loaded the model.
func (s *Session) Log() []LogLine { return logLines(s.loaded.Log) }

// Run runs the model once on the given inputs and calls yield with what want requests, in the order
// of want. If want is empty, it yields all outputs with all their elements, in the model's order.
// yield must not use the session or its client.
func (s *Session) Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	return s.run(ctx, in, want, false, yield)
}

// Hold does what Run does. It also keeps the wanted values in the worker, so that Look can return
// further results about them. They replace the values that an earlier Hold kept.
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
	return s.ask(ctx, want, yield, &m, &wire.Request{Run: &wire.Run{
		Session: s.id, Feeds: feeds, Want: wants, Hold: hold,
	}})
}

// Look yields what want requests of the values that the last Hold kept. It does not run the model.
func (s *Session) Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	var m message
	wants, err := m.wants(want)
	if err != nil {
		return s.wrong(err)
	}
	return s.ask(ctx, want, yield, &m, &wire.Request{Look: &wire.Look{Session: s.id, Want: wants}})
}

// Replay replays the graph that blocks replay, and yields what want requests of the outputs that this
// writes. It returns an error if blocks replay none. The provider of the session has to capture
// graphs, and a block has to be run before.
func (s *Session) Replay(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	var m message
	wants, err := m.wants(want)
	if err != nil {
		return s.wrong(err)
	}
	return s.ask(ctx, want, yield, &m, &wire.Request{Replay: &wire.Replay{Session: s.id, Want: wants}})
}

// wrong returns the error for a request that is invalid and was therefore not sent to the worker, or
// for an answer that cannot be right.
func (s *Session) wrong(err error) error {
	return fmt.Errorf("%s: %w", while(Running, s.model), err)
}

// ask sends a request whose answer consists of values, and calls yield with each.
func (s *Session) ask(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error, m *message, req *wire.Request) error {
	cl := s.call()
	cl.yield, cl.want = yield, want
	if len(want) == 0 && req.Look == nil {
		for _, o := range s.outputs {
			cl.all = append(cl.all, o.Name)
		}
	}
	_, err := s.client.roundTrip(ctx, cl, req, m.data)
	return err
}

// Binding says how the runs in a block are made: where inputs and outputs are, how many runs are
// concurrent, and when they start.
type Binding struct {
	// OutputsOnDevice leaves outputs in the provider's memory. Otherwise each run copies them to
	// the host's memory.
	OutputsOnDevice bool
	// Settle makes each block end only when the session's threads are idle. ONNX Runtime's threads
	// spin for about 30 milliseconds after a run, to be ready for the next one. If another model is
	// measured directly after the block, this spinning would slow that model down.
	Settle bool
	// Lanes is how many runs a block makes at the same time. Each concurrent run has its own
	// outputs. 0 means 1.
	Lanes int
	// CopyInputs binds the inputs again before each run, as part of the measured time. If the
	// provider works on a device, this copies the inputs to the device's memory.
	CopyInputs bool
	// Rate, if above 0, is the mean number of requests that arrive per second, at random times and
	// whether or not earlier requests are answered. The time of a run is then the time from the
	// request's arrival to its answer. No requests arrive between blocks; those that are waiting
	// stay in the queue.
	Rate float64
	Seed int64 // seed of the random arrival times
}

// The limits of Binding.Rate.
const (
	MinRate = wire.MinRate
	MaxRate = wire.MaxRate
)

// Queue counts the requests that have arrived since Bind, if Binding.Rate is set.
type Queue struct {
	Answered int64
	Span     time.Duration // total time of the blocks
	Busy     time.Duration // time spent in runs, summed over lanes
	Waiting  int64         // requests that had arrived but not begun when the last block ended
}

// Bind stores inputs in the worker for the blocks that follow. They replace the inputs bound
// before. If the provider works on a device, the inputs are copied to it once, by Bind.
func (s *Session) Bind(ctx context.Context, in graphops.Feeds, b Binding) error {
	var m message
	feeds, err := m.feeds(in)
	if err != nil {
		return s.wrong(err)
	}
	req := &wire.Request{Bind: &wire.Bind{
		Session: s.id, Feeds: feeds, OutputsOnDevice: b.OutputsOnDevice, Settle: b.Settle, Lanes: int64(b.Lanes), CopyInputs: b.CopyInputs,
		Rate: b.Rate, Seed: b.Seed,
	}}
	_, err = s.client.roundTrip(ctx, s.call(), req, m.data)
	s.queue = Queue{}
	return err
}

// Queue returns the counts of the requests that have arrived in blocks since Bind. They are zero if
// Binding.Rate is 0.
func (s *Session) Queue() Queue { return s.queue }

// MaxBlockRuns is the largest number of runs in one block.
const MaxBlockRuns = wire.MaxBlockRuns

// Block runs the model on its bound inputs until maxRuns runs are done or d has passed, whichever
// comes first. A run that is in progress when d passes is completed. It returns the time of each
// run, in order. The loop and the clock are C code in the worker, so no sample includes the pipe or
// Go's scheduler.
//
// All runs write all outputs to the same memory. The first block after Load includes the session's
// first run.
func (s *Session) Block(ctx context.Context, maxRuns int, d time.Duration) ([]time.Duration, error) {
	return s.BlockAt(ctx, 0, maxRuns, d)
}

// BlockAt does what Block does, but starts on a particular processor if place is above 0. place is
// any number that the caller chooses; equal numbers give the same processor. If two models are
// compared, their blocks should run on the same processor: programs on neighbouring processors,
// even those of other virtual machines, can slow down one processor for seconds, and a thread
// usually stays on its processor.
func (s *Session) BlockAt(ctx context.Context, place uint64, maxRuns int, d time.Duration) ([]time.Duration, error) {
	cl := s.call()
	// The client's limit is for one run, but a block has several. It begins no run after d.
	cl.spare = min(d, time.Duration(max(maxRuns-1, 0))*min(s.client.limit, d))
	if done := s.runs.Load(); done > 0 {
		cl.activity = "after " + text.Plural(int(done), "run")
	}
	req := &wire.Request{Block: &wire.Block{
		Session: s.id, MaxRuns: int64(maxRuns), Duration: d, Place: place,
	}}
	reply, err := s.client.roundTrip(ctx, cl, req, nil)
	if err != nil {
		return nil, err
	}
	samples := reply.Samples
	if err := checkTimes(samples.Runs, int64(maxRuns)); err != nil {
		return nil, s.wrong(err)
	}
	s.runs.Add(int64(len(samples.Runs)))
	if samples.Span > 0 {
		s.queue.Answered += int64(len(samples.Runs))
		s.queue.Span += samples.Span
		s.queue.Busy += samples.Busy
		s.queue.Waiting = samples.Waiting
	}
	return samples.Runs, nil
}

// Runs returns how many runs blocks have made.
func (s *Session) Runs() int64 { return s.runs.Load() }

// closeTime is how long unloading may take before the worker is killed. Without this limit, Close
// would wait forever if the connection is dead.
const closeTime = 30 * time.Second

// Close unloads the model after calls in progress have ended. It does nothing if the worker is
// gone.
func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	req := &wire.Request{Unload: &wire.Unload{Session: s.id}}
	_, err := s.client.roundTrip(ctx, s.call(), req, nil)
	if errors.Is(err, ErrGone) || errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

func (s *Session) call() *call { return &call{phase: Running, model: s.model} }

func unexpectedReply(cl *call) error {
	return fmt.Errorf("%s: the worker's reply contradicts itself", while(cl.phase, cl.model))
}
