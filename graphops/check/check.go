package check

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Options say how thoroughly to look.
type Options struct {
	// Weights reads the elements of all tensors, which takes as long as reading the
	// file does. Without it those are read that are small, the indices of sparse
	// tensors in the model file, and what is needed to count elements that are stored
	// as varints or strings; data in other files is not.
	Weights bool
	// Runtime is the version of ONNX Runtime that the model is meant for, "" for the
	// newest one known here.
	Runtime string
	// Shapes is what package shape infers of this very model without options of its
	// own, nil where that is not known yet.
	Shapes *shape.Result
	// HasLocale reports whether the machine that the model is to run on has a locale; nil if
	// nothing is known of it.
	HasLocale func(name string) bool
	// Progress hears how many bytes of weights have been read; may be nil.
	Progress func(done, total int64)
}

// Model checks a model. The worst problems come first, those of one severity in
// the order of the file. The error is that of ctx, or of reading weights.
func Model(ctx context.Context, m *graphops.Model, o Options) ([]Problem, error) {
	s := newSubject(ctx, m, o)
	if err := s.run(rules); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(position(a), position(b)), cmp.Compare(a.Node, b.Node))
	})
	return s.found, nil
}

// position orders problems by place, those of the model as a whole first.
func position(p Problem) int {
	if p.Place == nil {
		return -1
	}
	return p.Place.ID
}

// OK reports whether no problem is an Error.
func OK(list []Problem) bool {
	return !slices.ContainsFunc(list, func(p Problem) bool { return p.Severity == Error })
}
