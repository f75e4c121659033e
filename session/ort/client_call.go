package ort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"lathe/graphops"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// call is one request and what has come back of it. The serving goroutine
// writes to it until done is closed.
type call struct {
	phase    WorkerPhase
	model    string
	progress func(activity string) // may be nil
	// yield takes the values that come back, in the goroutine of the caller.
	yield func(graphops.Got) error
	// want are what the values that come back answer, in order; fewer where all are whole.
	want  []graphops.Want
	came  int           // values that have begun to arrive
	spare time.Duration // that it may take beyond the client's limit for a request
	// body writes what follows the request, where that is too much for memory.
	body func(io.Writer) error

	id        uint64
	mark      int64         // in standard error, of what was printed before
	sent      chan struct{} // closed once the request itself, without its data, is out
	done      chan struct{}
	got       chan graphops.Got // from the serving goroutine to the caller's
	activity  string
	arriving  *arrival // nil before the first value
	nodes     func(*wire.Nodes)
	content   *wire.Sink // of what comes back beside values; nil for most requests
	contentTo io.Writer  // where that goes; nil for memory
	reply     *wire.Reply
	err       error
}

func (cl *call) finish(reply *wire.Reply, err error) {
	cl.reply, cl.err = reply, err
	close(cl.done)
}

// roundTrip sends a request with the data it announced and waits for what ends
// it. When ctx ends first, the worker is told; it has the client's grace to
// answer, and is killed after that.
func (c *Client) roundTrip(ctx context.Context, cl *call, req *wire.Request, data []content) (*wire.Reply, error) {
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
	if err := c.register(cl); err != nil {
		return nil, err
	}
	req.Id = cl.id
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

// await passes values on until the call has ended. The error is that of yield;
// what comes after it is dropped.
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

func (c *Client) register(cl *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if c.gone != nil {
		return c.gone
	}
	c.lastID++
	cl.id, cl.sent, cl.done = c.lastID, make(chan struct{}), make(chan struct{})
	cl.mark = c.proc.stderr.mark()
	cl.got = make(chan graphops.Got)
	c.calls[cl.id] = cl
	return nil
}

// finish ends a call that nothing has ended yet. What a worker answers once it
// has been closed may come from a runtime that is being pulled down.
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

// send ends the call itself only where the protocol cannot carry the request.
// Where it breaks off because the worker has ended, the serving goroutine ends
// the call, which knows why.
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
			err = c.out.Send(&wire.Request{Id: cl.id, Body: &wire.Request_Data{Data: &wire.Data{}}}, part)
		}
	}
}

// cancel tells the worker to stop a call and sees to it that it does.
func (c *Client) cancel(cl *call) {
	go func() {
		<-cl.sent // a cancel that overtakes its request would be lost
		_ = c.out.Send(&wire.Request{Id: cl.id, Body: &wire.Request_Cancel{Cancel: &wire.Cancel{Request: cl.id}}}, nil)
	}()
	timer := time.NewTimer(c.grace)
	defer timer.Stop()
	select {
	case <-cl.done:
	case <-timer.C:
		c.abort(fmt.Errorf("it was killed because %s did not stop within %v", while(cl.phase, cl.model), c.grace))
	}
}

// dispatch hands replies to their calls. It returns nil where the worker's
// output ended, and else what was wrong with it.
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
	if reply.GetId() == 0 {
		return c.deliverToNoCall(reply)
	}
	c.mu.Lock()
	cl := c.calls[reply.GetId()]
	c.mu.Unlock()
	if cl == nil {
		return fmt.Errorf("a reply to request %d, which nobody waits for", reply.GetId())
	}
	switch body := reply.GetBody().(type) {
	case *wire.Reply_Progress:
		cl.activity = body.Progress.GetActivity()
		if cl.progress != nil {
			cl.progress(cl.activity)
		}
		return nil
	case *wire.Reply_Error:
		c.finish(cl.id, nil, c.refusal(cl, body.Error))
		return nil
	case *wire.Reply_Loaded, *wire.Reply_Done, *wire.Reply_Samples, *wire.Reply_Stages, *wire.Reply_MemoryUse, *wire.Reply_Opened, *wire.Reply_Received, *wire.Reply_Dumped:
		if !cl.arriving.complete() || cl.content != nil && !cl.content.Full() {
			return fmt.Errorf("request %d ended inside a value", cl.id)
		}
		c.finish(cl.id, reply, nil)
		return nil
	}
	return cl.take(reply, in)
}

// deliverToNoCall is about a reply that answers no request.
func (c *Client) deliverToNoCall(reply *wire.Reply) error {
	switch body := reply.GetBody().(type) {
	case *wire.Reply_Error:
		c.lastWill(body.Error)
	case *wire.Reply_Unheard:
		c.noteUnheard()
	case *wire.Reply_Hello:
		return wire.ErrSeveral
	default:
		return errors.New("a reply to no request")
	}
	return nil
}

// take takes in a part of an answer.
func (cl *call) take(reply *wire.Reply, in *wire.Reader) (err error) {
	switch body := reply.GetBody().(type) {
	case *wire.Reply_Value:
		if !cl.arriving.complete() || cl.yield == nil {
			return fmt.Errorf("value %q where none is expected", body.Value.GetName())
		}
		if cl.arriving, err = expect(body.Value, cl.into()); err == nil {
			cl.pass()
		}
		return err
	case *wire.Reply_Data:
		if cl.content != nil {
			return cl.content.Take(in)
		}
		if err := cl.arriving.receive(in); err != nil {
			return err
		}
		cl.pass()
		return nil
	case *wire.Reply_Nodes:
		if cl.nodes != nil {
			cl.nodes(body.Nodes)
			return nil
		}
	case *wire.Reply_Content:
		if cl.content == nil && cl.yield == nil {
			if cl.contentTo != nil {
				cl.content, err = wire.SinkTo(cl.contentTo, body.Content.GetBytes())
			} else {
				cl.content, err = wire.NewSink(body.Content.GetBytes())
			}
			return err
		}
	}
	return fmt.Errorf("a reply of unknown kind to request %d", cl.id)
}

// into is where the elements of the next value go, nil for memory.
func (cl *call) into() func(bytes int64) io.Writer {
	cl.came++
	if cl.came > len(cl.want) {
		return nil
	}
	return cl.want[cl.came-1].Into
}

// pass hands a value that is complete to the caller.
func (cl *call) pass() {
	if cl.arriving.complete() {
		cl.got <- cl.arriving.got
	}
}

func (c *Client) refusal(cl *call, e *wire.Error) error {
	if len(e.GetRefused()) > 0 {
		return &ProviderError{Model: cl.model, Refused: refusals(e.GetRefused())}
	}
	refused := &Error{Phase: cl.phase, Model: cl.model, Code: Code(e.GetCode()), Context: e.GetContext(), Message: e.GetMessage()}
	if c.memory > 0 && wantsMemory(refused.Message) {
		refused.Remark = fmt.Sprintf("the worker may take %s; --memory-limit sets that", text.Bytes(c.memory))
	}
	return refused
}
