package ort

import (
	"context"
	"time"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// The messages that say how a model generates tokens are those of the protocol.
type (
	// Changing is an input whose elements or sizes change from run to run.
	Changing = wire.Input
	// Axis is the size of an axis of such an input.
	Axis = wire.Axis
	// Cache is a cache: an input, and the output that continues it.
	Cache = wire.Cache
	// Keep is how the present of a run becomes the past of the next one.
	Keep = wire.Keep
	// Fill is what the elements of an input are.
	Fill = wire.Fill
)

// Decode says how a model generates tokens.
type Decode struct {
	Batch    int64 // the number of sequences
	Capacity int64 // the most positions of a sequence
	Changing []Changing
	Caches   []Cache
	Fixed    graphops.Feeds // inputs that stay as they are
	Logits   string         // the output with the scores of the next token
	// Settle makes each Generate end only when the session's threads are idle; see Binding.
	Settle bool
	// Chooser is a session of the same worker that chooses the tokens (ChooserScores). nil means that
	// this happens on the host.
	Chooser *Session
}

// The names of the input and of the outputs of the model that chooses tokens. The input has the scores
// as the model that generates returns them. Both outputs have one token for each sequence: the first as
// int32, the second in the type of token ids, and both in their shape.
const (
	ChooserScores = "scores"
	ChooserTokens = "tokens"
	ChooserIDs    = "ids"
)

// Decoding says what Decode prepared.
type Decoding struct {
	CacheBytes int64 // of the buffers for caches
	OnDevice   bool  // whether the caches are in the memory of a device
}

// Decode prepares the worker for Generate. It replaces what an earlier Decode prepared.
func (s *Session) Decode(ctx context.Context, d Decode) (Decoding, error) {
	var m message
	fixed, err := m.feeds(d.Fixed)
	if err != nil {
		return Decoding{}, s.wrong(err)
	}
	var chooser uint64
	if d.Chooser != nil {
		chooser = d.Chooser.id
	}
	cl := s.call()
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Decode: &wire.Decode{
		Session: s.id, Chooser: chooser, Batch: d.Batch, Capacity: d.Capacity, Changing: d.Changing, Caches: d.Caches, Fixed: fixed, Logits: d.Logits, Settle: d.Settle,
	}}, m.data)
	if err != nil {
		return Decoding{}, err
	}
	return Decoding{reply.Decoding.CacheBytes, reply.Decoding.OnDevice}, nil
}

// Generation says what to generate. All of it happens in the worker, in C code: neither the pipe nor
// Go's scheduler is between two tokens.
type Generation struct {
	// Restart goes to a state with Depth positions before anything else. If Depth is not 0, the
	// caches contain small random numbers instead of what a prompt would leave.
	Restart bool
	Depth   int64
	// Prompt has the token ids of each sequence, one sequence after the other. They are run in runs of
	// at most Chunk positions; 0 means all at once.
	Prompt []int64
	Chunk  int64
	// Mark remembers the state after the prompt, as Restart remembers its state.
	Mark bool
	// Repeat, if above 0, is how often the prompt is run, each time from the mark on, unless
	// Duration has passed before. The state stays as it is.
	Repeat int64
	// Steps is how many further tokens are chosen, one in each run, until Duration has passed, if it
	// is not 0. Wrap, if above 0, goes back to the mark whenever the caches contain that
	// many positions.
	Steps    int64
	Duration time.Duration
	Wrap     int64
	Place    uint64 // see BlockAt
	// Timed leaves out tokens and margins.
	Timed bool
	// Avoid are tokens that are never chosen, such as the one that would end the text.
	Avoid []int64
}

// GeneratedRun is the time of one run.
type GeneratedRun = wire.GeneratedRun

// Generated is what a model generated.
type Generated struct {
	Prompts []GeneratedRun // runs of the prompt
	Steps   []GeneratedRun // runs with one token
	// Tokens are the chosen tokens, first that of the prompt: of each run one of each sequence. The
	// score of each is by its margin above the second one. It is NaN if scores are, and if a Chooser
	// chose.
	Tokens     []int64
	Margins    []float64
	Position   int64 // the number of positions in the caches afterwards
	CacheBytes int64 // of the buffers for caches
}

// Generate generates tokens greedily. Decode has to be called before. An error in the middle leaves
// the caches in a state that only Restart ends.
func (s *Session) Generate(ctx context.Context, g Generation) (*Generated, error) {
	cl := s.call()
	cl.spare = g.Duration
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Generate: &wire.Generate{
		Session: s.id, Restart: g.Restart, Depth: g.Depth, Prompt: g.Prompt, Chunk: g.Chunk, Mark: g.Mark, Repeat: g.Repeat,
		Steps: g.Steps, Duration: g.Duration, Wrap: g.Wrap, Place: g.Place, Timed: g.Timed, Avoid: g.Avoid,
	}}, nil)
	if err != nil {
		return nil, err
	}
	out := reply.Generated
	if len(out.Tokens) != len(out.Margins) || int64(len(out.Steps)) > max(g.Steps, 0) {
		return nil, unexpectedReply(cl)
	}
	return &Generated{out.Prompts, out.Steps, out.Tokens, out.Margins, out.Position, out.CacheBytes}, nil
}
