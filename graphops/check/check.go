package check

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Options are the options of Model.
type Options struct {
	// Weights reads the elements of all tensors, which takes as long as reading the file.
	// Without it only these are read: small tensors, the indices of sparse tensors in the model
	// file, and what is needed to count elements stored as varints or strings. Data in other files
	// is not read.
	Weights bool
	// Runtime is the version of ONNX Runtime to check for; empty means the newest known one.
	Runtime string
	// Shapes is the result of package shape for this model with default options, nil if not yet
	// known.
	Shapes *shape.Result
	// HasLocale reports whether the target machine has a locale; nil if unknown.
	HasLocale func(name string) bool
	// HasProvider reports whether the target machine has an execution provider, whose name is in the
	// form for --ep. known is false if that is not known. HasProvider may be nil, and is called only
	// for providers that have compiled a part of the model.
	HasProvider func(name string) (has, known bool)
	// Only are the codes of the problems to look for; nil means all.
	Only []string
	// Progress, if set, is called with the number of bytes of weights read so far.
	Progress func(done, total int64)
}

// Model checks a model. The result has the worst problems first, and problems of the same
// severity in file order. The error is that of ctx, or of reading weights.
func Model(ctx context.Context, m *graphops.Model, o Options) ([]Problem, error) {
	s := newSubject(ctx, m, o)
	if o.Shapes == nil && o.Only == nil && len(m.Graph().Nodes()) >= manyNodes {
		s.inferAside()
	}
	table := rules()
	if o.Only != nil {
		table = slices.DeleteFunc(slices.Clone(rules()), func(r rule) bool { return !slices.Contains(o.Only, r.code) })
	}
	if err := s.run(table); err != nil {
		return nil, err
	}
	s.nameSuspects()
	if s.suspectPinned(); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortStableFunc(s.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(position(a), position(b)), cmp.Compare(a.Node, b.Node))
	})
	return s.found, nil
}

// position returns a number by which problems are sorted: by place, with those of the model as a
// whole first.
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
