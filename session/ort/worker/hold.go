//go:build cgo

package worker

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

var errCells = fmt.Errorf("a heat map has 1 to %d rows and columns", tensor.MaxCells)

// keep stores outputs in the session for later Look requests and releases those stored before. It
// locks s.holding because other requests may be comparing with the old values.
func (s *server) keep(target *session, outputs []*output) {
	s.holding.Lock()
	defer s.holding.Unlock()
	releaseOutputs(target.held)
	target.held = outputs
}

// heldOutput returns a value that keep has stored. The caller must have acquired the session or
// hold server.holding.
func (s *session) heldOutput(name string) (*output, error) {
	for _, o := range s.held {
		if o.name == name {
			return o, nil
		}
	}
	return nil, fmt.Errorf("no run has kept a value %q", name)
}

// answer sends for each output the results that the corresponding entry of want requests. others
// has the values to compare with that the request contained, or nil.
func (s *server) answer(ctx context.Context, id uint64, outputs []*output, want []wire.Want, others []*feed) error {
	for i, o := range outputs {
		if err := s.answerOne(ctx, id, o, &want[i], others[i]); err != nil {
			return fmt.Errorf("output %q: %w", o.name, err)
		}
	}
	return nil
}

func (s *server) answerOne(ctx context.Context, id uint64, o *output, want *wire.Want, other *feed) error {
	s.holding.RLock()
	defer s.holding.RUnlock()
	against, done, err := s.against(want.Against, other)
	if err != nil {
		return fmt.Errorf("the value that it is compared with: %w", err)
	}
	defer done()
	return s.sendOutput(ctx, id, o, want, against)
}

// against returns the tensor with which a request wants a value to be compared: other, if the
// request contained it, otherwise one that a session of this worker keeps. The tensor is valid
// until done is called.
func (s *server) against(a *wire.Against, other *feed) (t *tensor.Tensor, done func(), err error) {
	done = func() {}
	switch {
	case a == nil:
		return nil, done, nil
	case other != nil:
		given, err := other.tensor()
		return &given, done, err
	}
	from, err := s.session(a.Session)
	if err != nil {
		return nil, done, err
	}
	o, err := from.heldOutput(a.Held)
	if err != nil {
		return nil, done, err
	}
	c, err := o.open()
	if err != nil {
		return nil, done, err
	}
	if len(c.tensors) != 1 || c.announced.Kind != kindNameTensor {
		c.close()
		return nil, done, errors.New("it is not a tensor")
	}
	return &c.tensors[0].tensor, c.close, nil
}

func (s *server) lookJob(id uint64, look *wire.Look) (*job, error) {
	others, sinks, err := s.newOthers(look.Want)
	if err != nil {
		return nil, err
	}
	return &job{
		sinks:   sinks,
		release: func() { releaseOthers(others) },
		run: func(ctx context.Context) (*wire.Reply, error) {
			return s.withSession(ctx, look.Session, func(target *session) error {
				outputs := make([]*output, len(look.Want))
				for i, want := range look.Want {
					if outputs[i], err = target.heldOutput(want.Name); err != nil {
						return err
					}
				}
				return s.answer(ctx, id, outputs, look.Want, others)
			})
		},
	}, nil
}

// newOthers allocates the values that a request contains for its outputs to be compared with. There
// is one entry for each want, nil if the request contains no value for it.
func (s *server) newOthers(want []wire.Want) (others []*feed, sinks []*wire.Sink, err error) {
	for _, w := range want {
		if w.Against == nil || w.Against.Value == nil {
			others = append(others, nil)
			continue
		}
		f, err := s.lib.newFeed(*w.Against.Value, 0)
		if err != nil {
			releaseOthers(others)
			return nil, nil, fmt.Errorf("the value that %q is compared with: %w", w.Name, err)
		}
		others = append(others, f)
		sinks = append(sinks, f.sinks()...)
	}
	return others, sinks, nil
}

func releaseOthers(others []*feed) {
	for _, f := range others {
		if f != nil {
			f.release()
		}
	}
}
