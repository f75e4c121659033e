//go:build cgo

package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/session/ort/wire"
)

// newFeeds allocates the announced inputs. The sinks receive their bytes, in the order in which
// these are sent.
func (s *server) newFeeds(announced []wire.Value) (feeds []*feed, sinks []*wire.Sink, err error) {
	for _, v := range announced {
		f, err := s.lib.newFeed(v, 0)
		if err != nil {
			releaseFeeds(feeds)
			return nil, nil, fmt.Errorf("input %q: %w", v.Name, err)
		}
		feeds = append(feeds, f)
		sinks = append(sinks, f.sinks()...)
	}
	return feeds, sinks, nil
}

func (s *server) runJob(id uint64, run *wire.Run) (*job, error) {
	feeds, sinks, err := s.newFeeds(run.Feeds)
	if err != nil {
		return nil, err
	}
	others, more, err := s.newOthers(run.Want)
	if err != nil {
		releaseFeeds(feeds)
		return nil, err
	}
	return &job{
		sinks: append(sinks, more...),
		release: func() {
			releaseFeeds(feeds)
			releaseOthers(others)
		},
		run: func(ctx context.Context) (*wire.Reply, error) {
			return s.withSession(ctx, run.Session, func(target *session) error {
				return s.performRun(ctx, id, target, run, feeds, others)
			})
		},
	}, nil
}

// performRun runs the session once and sends the requested values. If none are requested, it sends
// every output with all its elements.
func (s *server) performRun(ctx context.Context, id uint64, target *session, run *wire.Run, feeds, others []*feed) error {
	want := run.Want
	if len(want) == 0 {
		for _, port := range target.outputs {
			want = append(want, wire.Want{Name: port.Name, Elements: true})
		}
		others = make([]*feed, len(want))
	}
	ports, err := target.choose(want)
	if err != nil {
		return err
	}
	outputs, err := s.outputsOf(ctx, target, feeds, ports)
	if err != nil {
		return err
	}
	if run.Hold {
		s.keep(target, outputs)
	} else {
		defer releaseOutputs(outputs)
	}
	return s.answer(ctx, id, outputs, want, others)
}

// outputsOf runs the session once and returns the outputs ports. The caller has to release them.
func (s *server) outputsOf(ctx context.Context, target *session, feeds []*feed, ports []wire.Port) ([]*output, error) {
	if slices.ContainsFunc(feeds, (*feed).isEmptyOptional) {
		return target.runUnbound(ctx, feeds, ports)
	}
	b, err := target.bind(feeds, ports, s.lib.host)
	if err != nil {
		return nil, err
	}
	defer b.release()
	if err := target.runOnce(ctx, b); err != nil {
		return nil, err
	}
	return b.outputs(s.lib)
}

func (s *server) bindJob(bind *wire.Bind) (*job, error) {
	feeds, sinks, err := s.newFeeds(bind.Feeds)
	if err != nil {
		return nil, err
	}
	j := &job{sinks: sinks, release: func() { releaseFeeds(feeds) }}
	j.run = func(ctx context.Context) (*wire.Reply, error) {
		return s.withSession(ctx, bind.Session, func(target *session) error {
			if target.captures && target.bound != nil {
				return errors.New("inputs are bound already, and a captured graph reads these")
			}
			memory, err := target.outputMemory(bind.OutputsOnDevice)
			if err != nil {
				return err
			}
			bound, err := target.bind(feeds, target.outputs, memory)
			if err != nil {
				return err
			}
			feeds = nil // now owned by the binding
			all, err := target.newLanes(bound, bind.Lanes, bind.CopyInputs)
			if err != nil {
				return err
			}
			if all.arrivals, err = newArrivals(bind.Rate, bind.Seed); err != nil {
				all.release()
				return err
			}
			target.unbind()
			target.bound, target.settles = all, bind.Settle
			return nil
		})
	}
	return j, nil
}

func (s *server) blockJob(block *wire.Block) (*job, error) {
	runs, limit := block.MaxRuns, block.Duration
	if runs < 1 || runs > wire.MaxBlockRuns {
		return nil, fmt.Errorf("a block of %d runs: 1 to %d are allowed", runs, wire.MaxBlockRuns)
	}
	if limit <= 0 {
		return nil, fmt.Errorf("a block of %v: a duration above 0 is needed", limit)
	}
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		var samples *wire.Samples
		_, err := s.withSession(ctx, block.Session, func(target *session) (err error) {
			samples, err = target.block(ctx, extent{runs: int(runs), limit: limit, place: block.Place, replays: true})
			return err
		})
		return &wire.Reply{Samples: samples}, err
	}}, nil
}

// withSession calls use with a session, while no other request uses that session, and returns the
// reply Done.
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
	return done(), nil
}

func done() *wire.Reply { return &wire.Reply{Done: &wire.Done{}} }
