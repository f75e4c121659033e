package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Try loads a model in a process that may crash. If the original crash happened in a run, it also
// runs the model. crashed is set if the process crashed, or hung for too long. It is not set if the
// runtime refused the model with an error. err is set only if the model could not be tried, because
// the context ended or the process could not be started.
type Try func(ctx context.Context, m *graphops.Model) (crashed bool, err error)

// ErrNoCrash means that the complete model did not crash when Bisect tried it again.
var ErrNoCrash = errors.New("the model did not crash again")

// Suspect is the node at which a model crashes, as Bisect found it.
type Suspect struct {
	// Site is a node of the main graph: in the order of Bisect, the model that ends with this node
	// crashes, and the model that ends with the node before it does not. If the node has bodies or
	// calls a function, the crash may be at any node inside.
	Site Site
	// Alone is set if the node also crashes without the nodes before it. Otherwise the crash may
	// depend on the values that they compute.
	Alone bool
	Tries int
}

// Bisect finds the node at which a model crashes. A crash leaves no error text. Bisect therefore
// sorts the nodes topologically and searches for the shortest prefix of that order that crashes as
// a model of its own. For n nodes this takes about log2(n) attempts. progress is called with the
// number of attempts made and the largest possible number; it may be nil.
//
// The values that nodes after the prefix read become outputs of the cut model. The runtime can then
// not fuse nodes across the cut, so a crash that an optimization causes may not happen in the cut
// model. In this case the error says that only the unchanged model crashes.
func Bisect(ctx context.Context, m *graphops.Model, try Try, progress func(done, most int)) (Suspect, error) {
	order, err := m.Graph().Order()
	if err != nil {
		return Suspect{}, err
	}
	b := &bisection{model: m, order: order, try: try, progress: progress}
	if err := b.confirm(ctx); err != nil {
		return Suspect{Tries: b.tries}, err
	}
	at, err := b.search(ctx)
	if err != nil {
		return Suspect{Tries: b.tries}, err
	}
	s := Suspect{Site: Site{m.Places()[0], order[at-1]}}
	s.Alone, err = b.alone(ctx, s.Site)
	s.Tries = b.tries
	return s, err
}

type bisection struct {
	model    *graphops.Model
	order    []int
	try      Try
	progress func(done, most int)
	tries    int
}

// extraTries is the number of attempts besides the binary search: the original model, the model
// with additional outputs, and the suspected node alone.
const extraTries = 3

func (b *bisection) crashes(ctx context.Context, m *graphops.Model) (bool, error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	crashed, err := b.try(ctx, m)
	if err != nil {
		return false, err
	}
	b.tries++
	if b.progress != nil {
		b.progress(b.tries, extraTries+steps(len(b.order)))
	}
	return crashed, nil
}

// steps returns the largest number of attempts that a binary search among n nodes takes.
func steps(n int) int {
	s := 0
	for ; n > 1; n = (n + 1) / 2 {
		s++
	}
	return s
}

// confirm returns an error if the original model does not crash again, or if it stops crashing when
// it gets the additional outputs that a cut after its last node needs.
func (b *bisection) confirm(ctx context.Context) error {
	crashed, err := b.crashes(ctx, b.model)
	if err != nil {
		return err
	}
	if !crashed {
		return ErrNoCrash
	}
	crashed, err = b.crashesUpTo(ctx, len(b.order))
	if err == nil && !crashed {
		err = errors.New("only the unchanged model crashes: it does not crash if further values are outputs")
	}
	return err
}

// search returns the length of the shortest prefix of the order that crashes, found by binary
// search.
func (b *bisection) search(ctx context.Context) (int, error) {
	good, bad := 0, len(b.order)
	for bad-good > 1 {
		middle := good + (bad-good)/2
		crashed, err := b.crashesUpTo(ctx, middle)
		if err != nil {
			return 0, err
		}
		if crashed {
			bad = middle
		} else {
			good = middle
		}
	}
	return bad, nil
}

// crashesUpTo reports whether the model of the first n nodes of the order crashes.
func (b *bisection) crashesUpTo(ctx context.Context, n int) (bool, error) {
	outputs := b.leaving(n)
	if len(outputs) == 0 {
		return false, nil
	}
	cut, _, err := graphops.Prune(b.model, graphops.PruneOptions{Outputs: outputs})
	if err != nil {
		return false, fmt.Errorf("cutting the model after %s: %w", Site{b.model.Places()[0], b.order[n-1]}, err)
	}
	return b.crashes(ctx, cut)
}

// leaving returns the names that become outputs of the model of the first n nodes: values that
// later nodes read, graph outputs, and values that no node reads. The last ones are included so
// that pruning removes none of the n nodes.
func (b *bisection) leaving(n int) []string {
	g := b.model.Graph()
	x := g.Index()
	inside := make([]bool, len(g.Nodes()))
	for _, i := range b.order[:n] {
		inside[i] = true
	}
	var out []string
	for _, i := range b.order[:n] {
		for _, name := range g.Nodes()[i].Outputs() {
			if name != "" && leaves(x, name, inside) {
				out = append(out, name)
			}
		}
	}
	return out
}

func leaves(x *graphops.Index, name string, inside []bool) bool {
	id, ok := x.Value(name)
	if !ok || x.IsOutput(id) {
		return ok
	}
	readers := x.Readers(id)
	for _, r := range readers {
		if !inside[r] {
			return true
		}
	}
	return len(readers) == 0
}

// alone reports whether a model crashes that contains only this node. The values that other nodes
// compute become graph inputs. If the model does not state their types, alone returns false without
// an attempt.
func (b *bisection) alone(ctx context.Context, s Site) (bool, error) {
	x := b.model.Graph().Index()
	n := s.Node()
	o := graphops.PruneOptions{Outputs: slices.DeleteFunc(slices.Clone(n.Outputs()), isLeftOut)}
	for _, name := range slices.Concat(n.Inputs(), n.Captured()) {
		if id, ok := x.Value(name); ok && x.Producer(id) >= 0 {
			o.Inputs = append(o.Inputs, name)
		}
	}
	cut, report, err := graphops.Prune(b.model, o)
	if err != nil || len(o.Outputs) == 0 || !typed(report.Inputs) {
		return false, nil
	}
	return b.crashes(ctx, cut)
}

func isLeftOut(name string) bool { return name == "" }

func typed(list []*graphops.ValueInfo) bool {
	for _, v := range list {
		if v.Type().Kind == graphops.TypeUnknown {
			return false
		}
	}
	return true
}
