//go:build cgo

package worker

import (
	"context"
	"fmt"
	"math"
	"time"

	"lathe/session/ort/wire"
)

// newFeeds makes room for announced inputs.
func (s *server) newFeeds(announced []*wire.Value) (feeds []*feed, sinks []*wire.Sink, err error) {
	for _, v := range announced {
		f, err := s.lib.newFeed(v)
		if err != nil {
			releaseFeeds(feeds)
			return nil, nil, err
		}
		feeds = append(feeds, f)
		sinks = append(sinks, f.sink)
	}
	return feeds, sinks, nil
}

func (s *server) runJob(id uint64, run *wire.Run) (*job, error) {
	feeds, sinks, err := s.newFeeds(run.GetFeeds())
	if err != nil {
		return nil, err
	}
	return &job{
		sinks:   sinks,
		release: func() { releaseFeeds(feeds) },
		run: func(ctx context.Context) (*wire.Reply, error) {
			return s.withSession(ctx, run.GetSession(), func(target *session) error {
				return s.performRun(ctx, id, target, feeds, run.GetWant())
			})
		},
	}, nil
}

// performRun sends the outputs one by one, out of the runtime's memory.
func (s *server) performRun(ctx context.Context, id uint64, target *session, feeds []*feed, want []string) error {
	ports, err := target.choose(want)
	if err != nil {
		return err
	}
	b, err := target.bind(feeds, ports)
	if err != nil {
		return err
	}
	defer b.release()
	if _, err := target.run(ctx, b, 1, math.MaxInt64); err != nil {
		return err
	}
	outputs, err := b.outputs(s.lib)
	if err != nil {
		return err
	}
	defer releaseOutputs(outputs)
	for _, o := range outputs {
		if err := s.sendOutput(ctx, id, o); err != nil {
			return fmt.Errorf("output %q: %w", o.port.GetName(), err)
		}
	}
	return nil
}

func (s *server) sendOutput(ctx context.Context, id uint64, o *output) error {
	announced, content, err := o.describe()
	if err != nil {
		return err
	}
	s.send(&wire.Reply{Id: id, Body: &wire.Reply_Value{Value: announced}}, nil)
	for len(content) > 0 && ctx.Err() == nil {
		part := content[:min(len(content), wire.MaxPayload)]
		s.send(&wire.Reply{Id: id, Body: &wire.Reply_Data{Data: &wire.Data{}}}, part)
		content = content[len(part):]
	}
	return ctx.Err()
}

func (s *server) bindJob(bind *wire.Bind) (*job, error) {
	feeds, sinks, err := s.newFeeds(bind.GetFeeds())
	if err != nil {
		return nil, err
	}
	j := &job{sinks: sinks, release: func() { releaseFeeds(feeds) }}
	j.run = func(ctx context.Context) (*wire.Reply, error) {
		return s.withSession(ctx, bind.GetSession(), func(target *session) error {
			bound, err := target.bind(feeds, target.outputs)
			if err != nil {
				return err
			}
			feeds = nil // the binding's from here on
			target.unbind()
			target.bound = bound
			return nil
		})
	}
	return j, nil
}

func (s *server) blockJob(block *wire.Block) (*job, error) {
	runs, limit := block.GetMaxRuns(), time.Duration(block.GetDurationNs())
	if runs < 1 || runs > wire.MaxBlockRuns {
		return nil, fmt.Errorf("a block of %d runs: 1 to %d are allowed", runs, wire.MaxBlockRuns)
	}
	if limit <= 0 {
		return nil, fmt.Errorf("a block of %v: a duration above 0 is needed", limit)
	}
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		var samples *wire.Samples
		_, err := s.withSession(ctx, block.GetSession(), func(target *session) (err error) {
			samples, err = target.block(ctx, int(runs), limit)
			return err
		})
		return &wire.Reply{Body: &wire.Reply_Samples{Samples: samples}}, err
	}}, nil
}

// withSession takes a turn on a session and answers with Done.
func (s *server) withSession(ctx context.Context, id uint64, use func(*session) error) (*wire.Reply, error) {
	target, err := s.session(id)
	if err != nil {
		return nil, err
	}
	if err := target.acquire(ctx); err != nil {
		return nil, err
	}
	defer target.yield()
	if target.handle == nil { // unloaded while this request waited
		return nil, fmt.Errorf("there is no session %d", id)
	}
	if err := use(target); err != nil {
		return nil, err
	}
	return done(target), nil
}

func done(s *session) *wire.Reply {
	return &wire.Reply{Body: &wire.Reply_Done{Done: &wire.Done{FirstRunNs: s.firstRun.Nanoseconds()}}}
}
