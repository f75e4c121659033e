package ort

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// Opening is the phase in which a worker reads the structure of a model file on its own machine.
// Sending is the phase in which it receives a model from the client.
const (
	Opening WorkerPhase = "opening"
	Sending WorkerPhase = "sending"
)

// Opened describes a model file that the worker has read on its machine.
type Opened struct {
	Structure graphops.Structure
	// RefusedAsFile is set if the library is known not to load the model directly from this file,
	// for example because the file is text.
	RefusedAsFile bool
}

// Open makes the worker read the structure of a model file on its machine, and returns it. An
// invalid file gives the same error text as with graphops.Open.
func (c *Client) Open(ctx context.Context, path string, allowExternal []string) (Opened, error) {
	cl := &call{phase: Opening, model: path, contentMost: maxStructure}
	req := &wire.Request{Open: &wire.Open{Path: path, AllowExternal: allowExternal}}
	reply, err := c.roundTrip(ctx, cl, req, nil)
	var refused *Error
	if errors.As(err, &refused) {
		return Opened{}, errors.New(oneLine(refused.Message))
	}
	if err != nil {
		return Opened{}, err
	}
	opened := reply.Opened
	return Opened{
		Structure: graphops.Structure{
			Bytes:  cl.content.Bytes(),
			Origin: wire.StoredFiles(opened.Origin)[0],
			Files:  wire.StoredFiles(opened.Files...),
			Unread: opened.Unread,
		},
		RefusedAsFile: opened.RefusedAsFile,
	}, nil
}

// The names that a sent model's files get on the worker's machine.
const (
	sentModel   = "model.onnx"
	SentWeights = "weights" // the external data that the model file refers to
)

// Send copies a model into a folder on the worker's machine and returns its path there. The worker
// deletes the folder when it ends. Sending has no time limit.
func (c *Client) Send(ctx context.Context, name string, b *graphops.Bundle, sent func(bytes int64)) (path string, err error) {
	files := []wire.Incoming{{Name: sentModel, Bytes: b.ModelBytes()}}
	if b.DataBytes() > 0 {
		files = append(files, wire.Incoming{Name: SentWeights, Bytes: b.DataBytes()})
	}
	cl := &call{phase: Sending, model: name, body: func(w io.Writer) error {
		w = &counting{w: w, tell: sent}
		if err := buffered(w, b.WriteModel); err != nil {
			return err
		}
		return buffered(w, b.WriteData)
	}}
	reply, err := c.roundTrip(ctx, cl, &wire.Request{Receive: &wire.Receive{Files: files}}, nil)
	if err != nil {
		return "", err
	}
	return reply.Received.Folder + "/" + sentModel, nil
}

// buffered collects what write produces, so that w receives it in chunks of wire.MaxPayload bytes.
// Only the last chunk may be shorter.
func buffered(w io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, wire.MaxPayload)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// counting is a writer that calls tell after each write with the total number of bytes written.
type counting struct {
	w    io.Writer
	n    int64
	tell func(int64)
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.tell(c.n)
	return n, err
}

// stream sends the data that cl.body writes. If body returns an error of its own, the call is
// cancelled with that error.
func (c *Client) stream(ctx context.Context, cl *call, giveUp context.CancelCauseFunc) {
	f := &frames{ctx: ctx, client: c, call: cl}
	if err := cl.body(f); err != nil && !f.broken {
		giveUp(err)
	}
}

// frames is a writer that sends everything written to it as the data of one call.
type frames struct {
	ctx    context.Context
	client *Client
	call   *call
	broken bool // the call has ended or is about to, and stores the reason
}

var errBroken = errors.New("the call has ended and accepts no more data")

func (f *frames) Write(p []byte) (n int, err error) {
	for n < len(p) {
		part := p[n:min(len(p), n+wire.MaxPayload)]
		select {
		case <-f.call.done:
			f.broken = true
		case <-f.ctx.Done():
			f.broken = true
		default:
			req := &wire.Request{ID: f.call.id, Data: &wire.Data{}}
			f.broken = f.client.out.Send(req, part) != nil
		}
		if f.broken {
			return n, errBroken
		}
		n += len(part)
	}
	return n, nil
}

// Machine asks the worker for a description of its machine, the present readings of that machine's
// counters, and the worker's own use of processors and GPU memory.
func (c *Client) Machine(ctx context.Context) (s machine.State, err error) {
	cl := &call{phase: Idle, contentMost: maxMachine}
	if _, err := c.roundTrip(ctx, cl, &wire.Request{Machine: &wire.Machine{}}, nil); err != nil {
		return s, fmt.Errorf("asking for the worker's machine: %w", err)
	}
	if err := json.Unmarshal(cl.content.Bytes(), &s); err != nil {
		return s, fmt.Errorf("reading what the worker reports about its machine: %w", err)
	}
	return s, nil
}

// Devices makes the worker load a plug-in, a library of execution providers, and returns the devices
// that the plug-in offers.
func (c *Client) Devices(ctx context.Context, library string) ([]ep.Device, error) {
	cl := &call{phase: Loading, model: library}
	reply, err := c.roundTrip(ctx, cl, &wire.Request{Devices: &wire.Devices{Library: library}}, nil)
	if err != nil {
		return nil, err
	}
	return reply.Offered.Devices, nil
}

// Gone reports whether the worker has ended. It is true as soon as a call fails for that reason.
func (c *Client) Gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone != nil
}
