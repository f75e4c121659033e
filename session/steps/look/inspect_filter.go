package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/session"
)

// filterUsage explains --filter and lists the fields.
func filterUsage() string {
	var names []string
	for _, f := range filter.Fields() {
		names = append(names, f.Name)
	}
	return "list only what matches `EXPR`: parts of names, and tests such as op:Conv,Gemm shape:*x224 params>1M in:SCOPE after:NAME; " +
		"-TEST negates a test, (A | B) matches either, * and ? are wildcards; the fields are " + strings.Join(names, ", ")
}

// sieve selects nodes, values and tensors by the expression of --filter.
type sieve struct {
	expr  *filter.Expr
	known known
	bound map[*graphops.Place]*filter.Matcher // for places that have the names in the expression
}

// newSieve parses an expression. A mistake in it is a usage error.
func newSieve(expr string) (*sieve, error) {
	e, err := filter.Parse(expr)
	if err != nil {
		return nil, session.UsageError(fmt.Sprintf("--filter: %v", err))
	}
	return &sieve{expr: e, bound: map[*graphops.Place]*filter.Matcher{}}, nil
}

// on binds the filter to a place. If the place does not have a name in the expression, it returns
// an error.
func (s *sieve) on(p *graphops.Place) (*filter.Matcher, error) {
	if m, ok := s.bound[p]; ok {
		return m, nil
	}
	types := func(v graphops.ValueID) graphops.Type { return s.known.typeOf(p, v) }
	m, err := filter.NewFacts(p, filter.Options{TypeOf: types}).Bind(s.expr)
	var fault *filter.Error
	switch {
	case errors.As(err, &fault) && !fault.Missing:
		return nil, session.UsageError(fmt.Sprintf("--filter: %v", err))
	case err != nil:
		return nil, fmt.Errorf("--filter: %w", err)
	}
	s.bound[p] = m
	return m, nil
}

// nodes returns the positions of the nodes of a place that match the filter.
func (s *sieve) nodes(ctx context.Context, p *graphops.Place) ([]int32, error) {
	m, err := s.on(p)
	if err != nil {
		return nil, err
	}
	return m.All(ctx)
}

// values returns the values of a place that match the filter.
func (s *sieve) values(p *graphops.Place) ([]graphops.ValueID, error) {
	m, err := s.on(p)
	if err != nil {
		return nil, err
	}
	var out []graphops.ValueID
	for i := range p.Graph.Index().Values() {
		if v := graphops.ValueID(i); m.Value(v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// tensors returns the stored tensors of all places that match the filter. The names in the
// expression need to exist in one place only; in the other places nothing matches.
func (s *sieve) tensors(m *graphops.Model) ([]*graphops.Tensor, error) {
	if err := s.onAny(m); err != nil {
		return nil, err
	}
	var out []*graphops.Tensor
	for t := range m.StoredTensors() {
		match := s.bound[t.Place]
		switch {
		case match == nil:
		case t.Node >= 0 && match.TensorOf(t.Node, t.Tensor), t.Node < 0 && match.Constant(t.Tensor, t.Constant):
			out = append(out, t.Tensor)
		}
	}
	return out, nil
}

// onAny binds the filter to every place that has its names. If no place has them, it returns the
// error of the first place.
func (s *sieve) onAny(m *graphops.Model) error {
	var first error
	for _, p := range m.Places() {
		_, err := s.on(p)
		var usage session.UsageError
		if errors.As(err, &usage) {
			return err
		}
		first = cmp.Or(first, err)
	}
	if len(s.bound) > 0 {
		return nil
	}
	return first
}
