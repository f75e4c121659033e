//go:build cgo && soak

package shape_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/execution"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// TestTrueShapes runs models at three random assignments of sizes to their symbols, and compares the
// shape of every value in the worker with the inferred one. LATHE_CORPUS names another folder of
// models.
func TestTrueShapes(t *testing.T) {
	runtime := sessiontest.Workers(t)
	corpora := []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, c := range corpora {
		t.Run(c.Name, func(t *testing.T) {
			var sum shapesSeen
			for _, path := range c.Models(t) {
				if err := sum.model(t, runtime, path); err != nil {
					t.Logf("%s: does not run: %v", path, err)
					sum.idle++
				}
			}
			t.Logf("%d models in %d runs, %d of the %d with symbols at %d assignments of them, and %d models that do not run; of %d values %d have an inferred shape; %d of %d dimensions are known",
				sum.models, sum.runs, sum.thrice, sum.symbolic, assignmentsWanted, sum.idle, sum.values, sum.ranked, sum.known, sum.dims)
			if sum.models == 0 || sum.known == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// shapesSeen counts what was compared.
type shapesSeen struct{ models, idle, symbolic, thrice, runs, values, ranked, dims, known int }

// shapeTimeout bounds one run.
const shapeTimeout = 2 * time.Minute

// ways are ways to draw random sizes. If a model does not run often enough in one way, the next is
// tried. Models of images need large sizes that can be halved several times, in small batches. Inputs
// whose axes have no symbols may need the same size for all.
var ways = []way{{1, 9, 1, false}, {16, 48, 1, false}, {64, 257, 32, false}, {2, 9, 1, true}}

type way struct {
	least, most, step int64
	same              bool // for all symbols
}

func (w way) size(random *rand.Rand) int64 {
	return w.least + w.step*random.Int64N((w.most-w.least)/w.step)
}

// model runs one model. It returns an error if the model does not run.
func (s *shapesSeen) model(t *testing.T, runtime *runtime.Workers, path string) error {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	inferred, err := shape.Infer(t.Context(), m, shape.Options{Fresh: true, NameAxes: true})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	r := &shapeRun{shapesSeen: s, t: t, model: m, inferred: inferred, runtime: runtime, random: rand.New(rand.NewPCG(1, 2))}
	runs, err := r.runs()
	if runs == 0 {
		return err
	}
	if len(r.symbols()) > 0 {
		s.symbolic++
		if runs == assignmentsWanted {
			s.thrice++
		} else {
			t.Logf("%s: runs at %d assignments; at the last other one: %v", path, runs, err)
		}
	}
	s.models++
	s.runs += runs
	return nil
}

// runs runs the model at three assignments, or once if it has no symbols. The error is that of the
// last assignment at which it does not run.
func (r *shapeRun) runs() (done int, err error) {
	symbols := r.symbols()
	if len(symbols) == 0 {
		if err := r.run(map[string]int64{}); err != nil {
			return 0, err
		}
		return 1, nil
	}
	tried := map[string]bool{}
	for w := range ways {
		for range 4 * assignmentsWanted {
			at := r.assignment(symbols, w)
			text := fmt.Sprint(at)
			if done == assignmentsWanted || tried[text] {
				continue
			}
			tried[text] = true
			e := r.run(at)
			switch {
			case e == nil:
				done++
			case strings.HasPrefix(e.Error(), "loading "):
				return done, e // at no sizes
			default:
				err = e
			}
		}
	}
	return done, err
}

// assignmentsWanted is at how many assignments a model should run.
const assignmentsWanted = 3

// assignment gives symbols random sizes.
func (r *shapeRun) assignment(symbols []string, way int) map[string]int64 {
	w, batch := ways[way], r.batch()
	all := w.size(r.random)
	at := map[string]int64{}
	for _, name := range symbols {
		switch {
		case w.same:
			at[name] = all
		case batch[name]:
			at[name] = ways[0].size(r.random)
		default:
			at[name] = w.size(r.random)
		}
	}
	return at
}

// shapeRun is a model at several sizes.
type shapeRun struct {
	*shapesSeen
	t        *testing.T
	model    *graphops.Model
	inferred *shape.Result
	runtime  *runtime.Workers
	random   *rand.Rand
}

// symbols are the symbols of the inputs' sizes, and the names of axes without a size.
func (r *shapeRun) symbols() []string {
	var out []string
	for _, v := range r.model.Graph().FeedInputs() {
		for axis, d := range v.Type().Shape {
			axisSize(v.Name(), axis, d).Symbols(func(name string) { out = append(out, name) })
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// batch are the symbols of first axes.
func (r *shapeRun) batch() map[string]bool {
	out := map[string]bool{}
	for _, v := range r.model.Graph().FeedInputs() {
		if s := v.Type().Shape; len(s) > 0 {
			axisSize(v.Name(), 0, s[0]).Symbols(func(name string) { out[name] = true })
		}
	}
	return out
}

// axisSize is the size of an input's axis.
func axisSize(input string, axis int, d graphops.Dim) dim.Dim {
	if size := shape.SizeFromFile(d); !size.IsUnknown() {
		return size
	}
	return dim.Symbol(shape.AxisName(input, axis))
}

// run compares all values at one assignment. It returns an error if the model does not run.
func (r *shapeRun) run(at map[string]int64) error {
	feeds, err := r.feeds(at)
	if err != nil {
		return err
	}
	if err := r.windowsFit(at); err != nil {
		return err
	}
	x := r.model.Graph().Index()
	var want []execution.Want
	for id := range graphops.ValueID(x.Values()) {
		if x.Producer(id) >= 0 {
			want = append(want, execution.Want{Name: x.Name(id)})
		}
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), shapeTimeout)
	defer cancel()
	return r.runtime.Run(ctx, r.model, feeds, want, func(g execution.Got) error {
		r.compare(at, g)
		return nil
	})
}

// feeds are inputs of these sizes.
func (r *shapeRun) feeds(at map[string]int64) (graphops.Feeds, error) {
	types := graphops.NamedTypes(r.model.Graph().FeedInputs())
	sizes := map[string]int64{}
	for _, in := range types {
		for axis, d := range in.Type.Shape {
			if d.IsFixed() {
				continue
			}
			size := axisSize(in.Name, axis, d)
			name := cmp.Or(d.Symbol, shape.AxisName(in.Name, axis))
			if n, taken := sizes[name]; taken {
				size.Symbols(func(symbol string) { at[symbol] = n }) // axes that are all called "?"
				continue
			}
			n, err := r.size(size, at)
			if err != nil {
				return nil, err
			}
			sizes[name] = n
		}
	}
	for name, n := range sessiontest.Sizes(r.model.Path()) {
		sizes[name], at[name] = n, n
	}
	made, err := inputs.Generate(types, inputs.Options{Seed: 1, Dims: sizes, Model: r.model})
	if err != nil {
		return nil, err
	}
	return made.Feeds, sessiontest.SetScalars(made.Feeds)
}

// windowsFit returns an error if a pool is wider than an axis that it slides over. The runtime then
// rounds towards zero, whereas the expressions assume that a window fits.
func (r *shapeRun) windowsFit(at map[string]int64) error {
	main := r.model.Places()[0]
	x := main.Graph.Index()
	for _, n := range main.Graph.Nodes() {
		if !strings.HasSuffix(n.OpType(), "Pool") || len(n.Outputs()) == 0 {
			continue
		}
		id, ok := x.Value(n.Outputs()[0])
		if !ok {
			continue
		}
		for axis, d := range r.inferred.Value(main, id).Dims {
			if size, err := r.size(d, at); err == nil && size < 1 {
				return fmt.Errorf("at %v no window of %s %q fits along axis %d", at, n.OpType(), n.Name(), axis)
			}
		}
	}
	return nil
}

func (r *shapeRun) size(d dim.Dim, at map[string]int64) (int64, error) {
	return d.Eval(func(symbol string) (int64, bool) { n, ok := at[symbol]; return n, ok })
}

// compare compares a value with what is inferred of it.
func (r *shapeRun) compare(at map[string]int64, g execution.Got) {
	id, _ := r.model.Graph().Index().Value(g.Name)
	v := r.inferred.Value(r.model.Places()[0], id)
	told, seen := v.Type.ForFile(), g.Value.Type
	r.values++
	fail := func(what string) {
		r.t.Errorf("%s: %q is %s %s at %v, and inferred as %s %s: %s", r.model.Path(), g.Name, seen, seen.Shape, at, told, told.Shape, what)
	}
	if s := told.String(); !strings.Contains(s, "?") && !strings.Contains(s, "undefined") && s != seen.String() {
		fail("the type")
	}
	r.dims += len(seen.Shape)
	if told.Shape == nil {
		return
	}
	r.ranked++
	if len(told.Shape) != len(seen.Shape) {
		fail("the rank")
		return
	}
	for i, d := range v.Dims {
		if !d.Known() {
			continue
		}
		n, err := r.size(d, at)
		if err != nil {
			fail(fmt.Sprintf("axis %d: %v", i, err))
			continue
		}
		r.known++
		if n != seen.Shape[i].Value {
			fail(fmt.Sprintf("axis %d", i))
		}
	}
}
