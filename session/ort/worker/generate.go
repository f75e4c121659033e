//go:build cgo

package worker

// #include <stdlib.h>
// #include "decode.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"lathe/session/ort/wire"
)

func (s *server) generateJob(g *wire.Generate) (*job, error) {
	if len(g.Avoid) > wire.MaxAvoided {
		return nil, fmt.Errorf("%d tokens to avoid, expected at most %d", len(g.Avoid), wire.MaxAvoided)
	}
	if g.Steps < 0 || g.Steps > wire.MaxBlockRuns || g.Repeat < 0 || g.Repeat > wire.MaxBlockRuns || g.Duration < 0 || g.Chunk < 0 || g.Wrap < 0 {
		return nil, fmt.Errorf("%d prompts and %d steps in %v: expected at most %d, and no negative number", g.Repeat, g.Steps, g.Duration, wire.MaxBlockRuns)
	}
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		var out *wire.Generated
		_, err := s.withSession(ctx, g.Session, func(target *session) (err error) {
			if target.decoder == nil {
				return errors.New("generating needs a session that is prepared for it: Decode comes first")
			}
			out, err = target.generate(ctx, g)
			return err
		})
		return &wire.Reply{Generated: out}, err
	}}, nil
}

// generate does what a request asks for, in the session's order: restart, prompt, mark, steps.
func (s *session) generate(ctx context.Context, g *wire.Generate) (*wire.Generated, error) {
	d := s.decoder
	if err := d.checkRequest(g); err != nil {
		return nil, err
	}
	yield, err := acquireChooser(ctx, d.chooser)
	if err != nil {
		return nil, err
	}
	defer yield()
	stop := new(C.int)
	defer onCancel(ctx, func() { C.set_stop(stop) })()
	out := &wire.Generated{}
	err = withRunOptions(ctx, func(options *C.OrtRunOptions) error {
		C.begin_on(C.uint64_t(g.Place))
		return d.perform(&generation{session: s, options: options, stop: stop, request: g, out: out})
	})
	if err == nil && d.settles {
		settle(ctx)
	}
	out.Position, out.CacheBytes = int64(C.decoder_position(d.handle)), int64(C.decoder_bytes(d.handle))
	return out, err
}

func (d *decoder) checkRequest(g *wire.Generate) error {
	n := int64(len(g.Prompt))
	if !g.Timed && max(g.Steps, g.Repeat) > wire.MaxBlockRuns/d.batch {
		return fmt.Errorf("the tokens of %d runs of %d sequences: expected at most %d tokens", max(g.Steps, g.Repeat), d.batch, wire.MaxBlockRuns)
	}
	if n%d.batch != 0 {
		return fmt.Errorf("%d token ids are not the same number for each of %d sequences", n, d.batch)
	}
	begin := int64(C.decoder_position(d.handle))
	switch {
	case g.Restart:
		begin = g.Depth
	case g.Repeat > 0:
		begin = int64(C.decoder_marked(d.handle))
	}
	if begin < 0 || begin > d.capacity || n/d.batch > d.capacity-begin {
		return fmt.Errorf("%d positions and a prompt of %d: the caches have room for %d", begin, n/d.batch, d.capacity)
	}
	return nil
}

// generation is a request in progress.
type generation struct {
	session *session
	options *C.OrtRunOptions
	stop    *C.int
	request *wire.Generate
	out     *wire.Generated
}

func (d *decoder) perform(g *generation) error {
	r := g.request
	if avoid := append([]int64{}, r.Avoid...); len(avoid) > 0 {
		C.decoder_avoid(d.handle, (*C.int64_t)(unsafe.Pointer(&avoid[0])), C.int(len(avoid)))
	} else {
		C.decoder_avoid(d.handle, nil, 0)
	}
	if r.Restart {
		if err := check(C.decoder_restart(d.handle, C.int64_t(r.Depth))); err != nil {
			return err
		}
	}
	if len(r.Prompt) > 0 {
		if err := d.prompt(g); err != nil {
			return err
		}
	}
	if r.Mark {
		if err := check(C.decoder_mark(d.handle)); err != nil {
			return err
		}
	}
	if r.Steps == 0 {
		return nil
	}
	into := newRuns(r.Steps, r.Steps*d.batch, r.Timed)
	err := into.fill(func(c *C.struct_decoded) *C.OrtStatus {
		return C.decoder_steps(d.handle, g.session.handle, g.options, C.int64_t(r.Steps), C.int64_t(limitOf(r)), C.int64_t(r.Wrap), g.stop, c)
	})
	g.out.Steps = into.take(g.out, into.made*d.batch)
	return err
}

func limitOf(r *wire.Generate) int64 {
	if r.Duration == 0 {
		return math.MaxInt64
	}
	return int64(r.Duration)
}

func (d *decoder) prompt(g *generation) error {
	r := g.request
	length := int64(len(r.Prompt)) / d.batch
	ids := (*C.int64_t)(unsafe.Pointer(&r.Prompt[0]))
	if r.Repeat > 0 {
		into := newRuns(r.Repeat, r.Repeat*d.batch, r.Timed)
		err := into.fill(func(c *C.struct_decoded) *C.OrtStatus {
			return C.decoder_prompts(d.handle, g.session.handle, g.options, ids, C.int64_t(length), C.int64_t(r.Repeat), C.int64_t(limitOf(r)), g.stop, c)
		})
		g.out.Prompts = into.take(g.out, into.made*d.batch)
		return err
	}
	chunk := r.Chunk
	if chunk == 0 {
		chunk = length
	}
	into := newRuns((length+chunk-1)/chunk, d.batch, r.Timed)
	err := into.fill(func(c *C.struct_decoded) *C.OrtStatus {
		return C.decoder_prompt(d.handle, g.session.handle, g.options, ids, C.int64_t(length), C.int64_t(chunk), g.stop, c)
	})
	g.out.Prompts = into.take(g.out, d.batch)
	return err
}

// runs is memory for what the functions of decode.h return of each run.
type runs struct {
	times   []C.struct_decode_time
	tokens  []int64
	margins []float64
	made    int64
}

// newRuns has memory for the times of runs, and for tokens unless only times are wanted.
func newRuns(count, tokens int64, timed bool) *runs {
	r := &runs{times: make([]C.struct_decode_time, count)}
	if !timed {
		r.tokens, r.margins = make([]int64, tokens), make([]float64, tokens)
	}
	return r
}

// fill calls a function of decode.h. The memory does not move until it returns.
func (r *runs) fill(call func(*C.struct_decoded) *C.OrtStatus) error {
	// The struct is in C memory, because it contains pointers to Go memory, which are pinned.
	into := (*C.struct_decoded)(C.calloc(1, C.size_t(unsafe.Sizeof(C.struct_decoded{}))))
	defer C.free(unsafe.Pointer(into))
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&r.times[0])
	into.times = &r.times[0]
	if len(r.tokens) > 0 {
		pins.Pin(&r.tokens[0])
		pins.Pin(&r.margins[0])
		into.tokens, into.margins = (*C.int64_t)(unsafe.Pointer(&r.tokens[0])), (*C.double)(unsafe.Pointer(&r.margins[0]))
	}
	err := check(call(into))
	r.made = int64(into.runs)
	return err
}

// take adds the first tokens to an answer, and returns the times of the runs that were made.
func (r *runs) take(out *wire.Generated, tokens int64) []wire.GeneratedRun {
	if r.tokens != nil {
		out.Tokens, out.Margins = append(out.Tokens, r.tokens[:tokens]...), append(out.Margins, r.margins[:tokens]...)
	}
	made := make([]wire.GeneratedRun, r.made)
	for i, t := range r.times[:r.made] {
		made[i] = wire.GeneratedRun{Whole: time.Duration(t.whole), Run: time.Duration(t.run)}
	}
	return made
}
