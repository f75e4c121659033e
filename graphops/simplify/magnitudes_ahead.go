package simplify

import (
	"context"
	"sync"

	"lathe/graphops"
)

// measuring is a weight whose magnitudes are read once, by the first caller.
type measuring struct {
	weight     *scaledWeight
	channels   int64
	once       sync.Once
	magnitudes []float64
	err        error
}

func (m *measuring) read(ctx context.Context) ([]float64, error) {
	m.once.Do(func() { m.magnitudes, m.err = magnitudes(ctx, m.weight, m.channels) })
	return m.magnitudes, m.err
}

// measureAhead starts reading the weights into which BatchNormalizations will probably be
// merged, in parallel with the passes that run before that one. stop ends the reading and waits for
// it.
func (j *job) measureAhead() (stop func()) {
	var list []*measuring
	if j.passes[foldBatchNorm.name] != nil {
		list = j.normalizedWeights()
	}
	ctx, cancel := context.WithCancel(j.ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for _, m := range list {
			if _, err := m.read(ctx); err != nil {
				return // the pass that needs it reports the error
			}
		}
	})
	return func() { cancel(); reading.Wait() }
}

// normalizedWeights returns the large weights in files that are followed by a
// BatchNormalization.
func (j *job) normalizedWeights() (list []*measuring) {
	j.measuring = map[*graphops.Tensor]*measuring{}
	for _, g := range j.m.Graphs() {
		for n := range g.Nodes() {
			if !n.Is("BatchNormalization") || n.In(0) == nil {
				continue
			}
			l := layerOf(n.In(0))
			if l == nil || j.measuring[l.weights().Constant()] != nil {
				continue
			}
			c := l.weights().Constant()
			data, err := c.Data()
			if _, _, inFile := data.Location(); err != nil || !inFile || data.Len() < aheadFrom {
				continue
			}
			m := &measuring{weight: unscaled(c, data, l.parts, l.channels), channels: int64(l.channels)}
			j.measuring[c] = m
			list = append(list, m)
		}
	}
	return list
}
