package ort

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"lathe/session/ort/wire"
)

// defaultSilence is how long a worker may be silent, if Options.Silence is 0. It is many times
// wire.AliveEvery, because a machine that swaps may hardly run the worker for a while.
const defaultSilence = 2 * time.Minute

// ErrSilent is in the chain of the error if a worker was killed because it was silent.
var ErrSilent = errors.New("the worker is silent")

// pulse notes whether bytes pass between client and worker.
type pulse struct {
	reading atomic.Bool  // the client waits for bytes of the worker
	passed  atomic.Int64 // the number of bytes so far, in both directions
}

// reader returns a reader of the worker's output that keeps the pulse.
func (p *pulse) reader(r io.Reader) io.Reader { return pulseReader{p, r} }

// writer returns a writer to the worker's input that keeps the pulse.
func (p *pulse) writer(w io.Writer) io.Writer { return pulseWriter{p, w} }

type pulseReader struct {
	*pulse
	r io.Reader
}

func (p pulseReader) Read(b []byte) (int, error) {
	p.reading.Store(true)
	n, err := p.r.Read(b)
	p.reading.Store(false)
	p.passed.Add(int64(n))
	return n, err
}

type pulseWriter struct {
	*pulse
	w io.Writer
}

func (p pulseWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.passed.Add(int64(n))
	return n, err
}

// silenceLooks is how often watch looks during the silence that it permits. It counts looks rather than
// time, so that a client that was itself stopped, as by Ctrl-Z, does not take that for silence.
const silenceLooks = 8

// watch kills the worker if no byte passes for the time silence although a request is in progress and
// the client waits for the worker. A worker that computes reports every wire.AliveEvery that it is
// alive. watch returns when the worker has ended.
func (c *Client) watch(silence time.Duration) {
	look := time.NewTicker(max(silence/silenceLooks, 1))
	defer look.Stop()
	quiet, before := 0, int64(-1)
	for {
		select {
		case <-c.done:
			return
		case <-look.C:
		}
		if now := c.pulse.passed.Load(); now != before || !c.pulse.reading.Load() || !c.isAsked() {
			quiet, before = 0, now
			continue
		}
		if quiet++; quiet == silenceLooks {
			c.abort(fmt.Errorf("%w: it was killed because it sent nothing for %v, although a worker reports every %v that it is alive", ErrSilent, silence, wire.AliveEvery))
			return
		}
	}
}

// isAsked reports whether a request is in progress.
func (c *Client) isAsked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}
