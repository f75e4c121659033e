package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Try loads a model, and runs it where the crash is one of a run, in a process
// that may end. It reports whether that crashed, or hung for longer than the
// caller waits. A model that is refused with an error has not crashed. err is what
// keeps a try from being one: an ended context, a process that does not start.
type Try func(ctx context.Context, m *graphops.Model) (crashed bool, err error)

// ErrNoCrash says that the whole model did not crash when it was tried again.
var ErrNoCrash = errors.New("the model did not crash again")

// Suspect is what Bisect finds.
type Suspect struct {
	// Site is a node of the main graph: the model up to it crashes, and the model
	// up to the node before it does not. A node that holds bodies or calls a
	// function stands for all that is in them.
	Site Site
	// Alone is set where the node crashes with nothing before it as well. Where it
	// is not, the node may need the values that the others make.
	Alone bool
	Tries int
}

// Bisect finds the node of a crash, which leaves no text: of all beginnings of the
// graph, in an order in which nodes come after what they read, the shortest that
// crashes. It takes about log2 of the number of nodes in tries. progress may be
// nil; it is told how many tries are done and how many there will be at most.
//
// A beginning has the values that leave it as outputs, which keeps a runtime from
// fusing across the cut. So a crash of an optimization can go away with the cut;
// then the error says that only the whole model crashes.
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

// extraTries are those beside the search: the model, all of its nodes, one alone.
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

// steps is how many halvings leave one of n.
func steps(n int) int {
	s := 0
	for ; n > 1; n = (n + 1) / 2 {
		s++
	}
	return s
}

// confirm makes sure that there is a crash and that cuts can show it.
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
		err = errors.New("only the whole model crashes: as soon as other values are outputs it does not")
	}
	return err
}

// search halves the beginnings between one that does not crash and one that does.
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

// crashesUpTo tries the first n nodes of the order.
func (b *bisection) crashesUpTo(ctx context.Context, n int) (bool, error) {
	outputs := b.leaving(n)
	if len(outputs) == 0 {
		return false, nil
	}
	cut, _, err := graphops.Prune(b.model, graphops.PruneOptions{Outputs: outputs})
	if err != nil {
		return false, fmt.Errorf("cutting after %s: %w", Site{b.model.Places()[0], b.order[n-1]}, err)
	}
	return b.crashes(ctx, cut)
}

// leaving are the values that the first n nodes make and do not use up: what later
// nodes read, outputs, and what nobody reads, so that no node falls away.
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

// alone tries a node with its inputs given and nothing else. Where the model does
// not tell their types it is not tried.
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
