package ort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"lathe/graphops"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// call is one request and the parts of its answer that have arrived. Until done is closed, only the
// goroutine that runs Client.serve writes to the answer.
type call struct {
	phase    WorkerPhase
	model    string
	progress func(activity string) // may be nil
	// yield is called with each value of the answer, in the goroutine of the caller. It is nil if
	// the answer contains no values.
	yield func(graphops.Got) error
	// want says what was requested of each value, in the order in which the values arrive. If it is
	// empty, the values with the names in all arrive with all their elements.
	want  []graphops.Want
	all   []string
	came  int           // number of values that have begun to arrive
	spare time.Duration // extra time on top of the client's limit for a request
	// body writes the data that follows the request. It is set only if that data is too large for
	// memory.
	body func(io.Writer) error

	id        uint64
	req       *wire.Request
	mark      int64         // position in standard error when the call began
	sent      chan struct{} // closed once the request is sent, without its data
	done      chan struct{}
	got       chan graphops.Got // from the serving goroutine to the caller's
	activity  string
	arriving  *arrival // nil before the first value
	nodes     func(*wire.Nodes)
	content   *wire.Sink // data of the answer that is not part of a value; nil for most requests
	contentTo io.Writer  // destination of content; nil to keep it in memory
	// contentMost is how many bytes of content are expected at most if it is kept in memory; 0 if none is.
	contentMost int64
	described   int64 // memory that the messages of the answer take
	room        room  // memory that its values may still take
	reply       *wire.Reply
	err         error
}

func (cl *call) finish(reply *wire.Reply, err error) {
	cl.reply, cl.err = reply, err
	close(cl.done)
}

// busy is the number of requests of this process that workers have not answered, and of workers behind
// a launcher, whose jobs have to be ended.
var busy atomic.Int64

// Busy reports whether a worker of this process is answering a request, or was started by a launcher.
func Busy() bool { return busy.Load() > 0 }

// roundTrip sends a request and the data that follows it, and waits for the end of the answer. If
// ctx ends first, roundTrip asks the worker to cancel the request. A worker that does not answer
// within stopGrace or Options.Grace is killed.
func (c *Client) roundTrip(ctx context.Context, cl *call, req *wire.Request, data []content) (*wire.Reply, error) {
	busy.Add(1)
	defer busy.Add(-1)
	if c.limit > 0 && cl.body == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.limit+cl.spare, &TimeoutError{c.limit})
		defer cancel()
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	if ctx.Err() != nil {
		return nil, cl.interrupted(ctx)
	}
	if err := c.register(cl, req); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.cancel(cl) })
	defer stop()
	c.send(ctx, cl, req, data, giveUp)
	if cl.body != nil {
		c.stream(ctx, cl, giveUp)
	}
	if err := cl.await(giveUp); err != nil {
		return nil, err
	}
	if cl.err != nil && ctx.Err() != nil {
		return nil, cl.interrupted(ctx)
	}
	return cl.reply, cl.err
}

// await passes values to yield until the call has ended. If yield returns an error, await cancels
// the call, drops the remaining values and returns that error.
func (cl *call) await(giveUp context.CancelCauseFunc) (err error) {
	for {
		select {
		case got := <-cl.got:
			if err != nil {
				continue
			}
			if err = cl.yield(got); err != nil {
				giveUp(err)
			}
		case <-cl.done:
			return err
		}
	}
}

func (cl *call) interrupted(ctx context.Context) error {
	if errors.Is(cl.err, ErrGone) {
		return fmt.Errorf("%s: %w; the worker did not stop and was killed", while(cl.phase, cl.model), context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", while(cl.phase, cl.model), context.Cause(ctx))
}

func (c *Client) register(cl *call, req *wire.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	switch {
	case c.gone != nil:
		return c.gone
	case len(c.calls) >= wire.MaxRequests:
		return fmt.Errorf("%s: %d requests are in progress, which is the limit", while(cl.phase, cl.model), wire.MaxRequests)
	}
	c.lastID++
	cl.id, cl.sent, cl.done = c.lastID, make(chan struct{}), make(chan struct{})
	req.ID, cl.req, cl.room = cl.id, req, room{c.most, c.most}
	cl.mark = c.proc.errors().mark()
	cl.got = make(chan graphops.Got)
	c.calls[cl.id] = cl
	return nil
}

// finish ends the call with the given id, unless it has already ended. After Close it replaces the
// error by ErrClosed, because errors that a worker reports while it is shutting down mean nothing.
func (c *Client) finish(id uint64, reply *wire.Reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.closed {
		err = ErrClosed
	}
	c.faulted = c.faulted || err != nil
	if cl, ok := c.calls[id]; ok {
		delete(c.calls, id)
		cl.finish(reply, err)
	}
}

// send writes the request and its data to the worker. If the request is too large for a frame, send
// ends the call with an error. If writing fails because the worker has ended, send leaves the call
// to Client.serve, which knows why the worker ended.
func (c *Client) send(ctx context.Context, cl *call, req *wire.Request, data []content, giveUp context.CancelCauseFunc) {
	err := c.out.Send(req, nil)
	close(cl.sent)
	if errors.Is(err, wire.ErrTooLarge) {
		c.finish(cl.id, nil, fmt.Errorf("%s: %w", while(cl.phase, cl.model), err))
	}
	for _, one := range data {
		for part, unread := range one.pieces {
			if err != nil || ctx.Err() != nil {
				return
			}
			if unread != nil {
				giveUp(unread)
				return
			}
			err = c.out.Send(&wire.Request{ID: cl.id, Data: &wire.Data{}}, part)
		}
	}
}

// stopGrace is how long a worker of this machine may take to stop a call. The runtime stops between two
// nodes, so a worker that takes longer is within a node of unknown length, and a person who pressed
// Ctrl-C waits.
const stopGrace = 600 * time.Millisecond

// cancel asks the worker to stop a call. It kills the worker if the call does not end in time.
func (c *Client) cancel(cl *call) {
	grace := c.grace
	if c.launcher == nil {
		grace = min(grace, stopGrace)
	}
	go func() {
		<-cl.sent // the worker would ignore a cancel that arrives before its request
		_ = c.out.Send(&wire.Request{ID: cl.id, Cancel: &wire.Cancel{Request: cl.id}}, nil)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-cl.done:
	case <-timer.C:
		c.abort(fmt.Errorf("it was killed because %s did not stop within %v", while(cl.phase, cl.model), grace))
	}
}

// dispatch reads the worker's replies and delivers each to its call. It returns nil when the
// worker's output ends, and an error if the worker violates the protocol.
func (c *Client) dispatch(in *wire.Reader) error {
	for {
		var reply wire.Reply
		err := in.Next(&reply)
		if err == nil {
			err = c.deliver(&reply, in)
		}
		switch {
		case err == nil:
		case isEnd(err), errors.Is(err, os.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

func (c *Client) deliver(reply *wire.Reply, in *wire.Reader) error {
	if reply.ID == 0 {
		return c.deliverToNoCall(reply)
	}
	c.mu.Lock()
	cl := c.calls[reply.ID]
	c.mu.Unlock()
	if cl == nil {
		return fmt.Errorf("a reply to request %d, which is not in progress", reply.ID)
	}
	if reply.Data == nil {
		if err := cl.describe(in.Weight()); err != nil {
			return err
		}
	}
	switch {
	case reply.Progress != nil:
		cl.activity = shown(reply.Progress.Activity)
		if cl.progress != nil {
			cl.progress(cl.activity)
		}
		return nil
	case reply.Error != nil:
		c.noteBlocked(reply.Blocked, cl)
		c.finish(cl.id, nil, c.refusal(cl, reply.Error))
		return nil
	case reply.Answers():
		if err := cl.checkEnd(reply); err != nil {
			return err
		}
		c.noteBlocked(reply.Blocked, cl)
		c.finish(cl.id, reply, nil)
		return nil
	}
	return cl.take(reply, in)
}

// deliverToNoCall handles a reply without a request id: that the worker is alive, its reason for ending,
// its report that no request arrived, or the hello of a second worker, which is an error.
func (c *Client) deliverToNoCall(reply *wire.Reply) error {
	switch {
	case reply.Alive != nil: // its bytes have kept the pulse
	case reply.Error != nil:
		c.lastWill(reply.Error)
	case reply.Unheard != nil:
		c.noteUnheard()
	case reply.Hello != nil:
		return wire.ErrSeveral
	default:
		return errors.New("a reply of unknown kind that names no request")
	}
	return nil
}

// take handles a reply that is a part of an answer but not its end: the announcement of a value,
// data, or progress.
func (cl *call) take(reply *wire.Reply, in *wire.Reader) (err error) {
	switch {
	case reply.Value != nil:
		if !cl.arriving.complete() {
			return fmt.Errorf("value %q arrived inside another one", cut(reply.Value.Name, maxName))
		}
		want, err := cl.next(reply.Value.Name)
		if err == nil {
			cl.arriving, err = expect(reply.Value, want, &cl.room)
		}
		if err == nil {
			cl.pass()
		}
		return err
	case reply.Data != nil:
		if cl.content != nil {
			return cl.content.Take(in)
		}
		if err := cl.arriving.receive(in); err != nil {
			return err
		}
		cl.pass()
		return nil
	case reply.Nodes != nil:
		if cl.nodes != nil {
			cl.nodes(reply.Nodes)
			return nil
		}
	case reply.Content != nil:
		if cl.content == nil && (cl.contentTo != nil || cl.contentMost > 0) {
			return cl.expectContent(reply.Content.Bytes)
		}
	}
	return fmt.Errorf("a reply of unknown kind to request %d", cl.id)
}

// expectContent prepares to receive the announced number of bytes that are not part of a value.
func (cl *call) expectContent(size int64) (err error) {
	if cl.contentTo != nil {
		cl.content, err = wire.SinkTo(cl.contentTo, size)
		return err
	}
	if size > cl.contentMost {
		return fmt.Errorf("%d bytes of data were announced, at most %d are expected", size, cl.contentMost)
	}
	if cl.content, err = wire.NewSink(size); err != nil {
		return err
	}
	return cl.room.take(size)
}

// pass sends the arriving value to the caller's goroutine if all of the value has arrived.
func (cl *call) pass() {
	if cl.arriving.complete() {
		cl.got <- cl.arriving.got
	}
}

func (c *Client) refusal(cl *call, e *wire.Error) error {
	if len(e.Refused) > 0 {
		return &ProviderError{Model: cl.model, Refused: refusals(e.Refused)}
	}
	refused := &Error{Phase: cl.phase, Model: cl.model, Code: Code(e.Code), Context: cut(e.Context, maxWords), Message: cut(e.Message, maxWords)}
	if c.memory > 0 && wantsMemory(refused.Message) {
		refused.Remark = fmt.Sprintf("the worker's memory limit is %s (--memory-limit)", text.Bytes(c.memory))
	}
	return refused
}
