//go:build soak

package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
)

// TestTrueShapes runs every model that runs at three random assignments of its
// symbols and holds the shape of every value in the worker against the inferred
// one. LATHE_CORPUS names another folder of models.
func TestTrueShapes(t *testing.T) {
	runtime := (&app{}).workers()
	library, err := runtime.Library(t.Context())
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LATHE_ORT_LIB", library.Path)
	corpora := []reference.Corpus{{Name: "testdata", Folder: "testdata"}, reference.Shared}
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
			t.Logf("%d models, %d runs at sizes of their symbols, and %d models that do not run; of %d values %d have an inferred shape; %d of %d dimensions are known",
				sum.models, sum.runs, sum.idle, sum.values, sum.ranked, sum.known, sum.dims)
			if sum.models == 0 || sum.known == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// shapesSeen counts what was compared.
type shapesSeen struct{ models, idle, runs, values, ranked, dims, known int }

// shapeTimeout is what one run may take.
const shapeTimeout = 2 * time.Minute

// ranges are the sizes that symbols are given at random; where a model does not
// run at any of one range the next is tried. Images want the larger ones.
var ranges = [][2]int64{{2, 9}, {16, 48}, {64, 320}}

// model runs one model. The error is why it does not run.
func (s *shapesSeen) model(t *testing.T, runtime *session.Workers, path string) error {
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
	if err != nil {
		t.Logf("%s: runs at %d assignments; at the last other one: %v", path, runs, err)
	}
	s.models++
	s.runs += runs
	return nil
}

// runs runs the model at three assignments, or once where it has no symbols. The
// error is that of the last assignment at which it does not run.
func (r *shapeRun) runs() (done int, err error) {
	symbols := r.symbols()
	want := min(3, 1+2*len(symbols))
	for _, sizes := range ranges {
		for try := 0; try < want+1 && done < want; try++ {
			at := map[string]int64{}
			for _, name := range symbols {
				at[name] = sizes[0] + r.random.Int64N(sizes[1]-sizes[0])
			}
			if e := r.run(at); e != nil {
				err = e
			} else {
				done++
			}
			if len(symbols) == 0 {
				return done, err
			}
		}
		if done > 0 {
			break
		}
	}
	return done, err
}

// shapeRun is a model at several sizes.
type shapeRun struct {
	*shapesSeen
	t        *testing.T
	model    *graphops.Model
	inferred *shape.Result
	runtime  *session.Workers
	random   *rand.Rand
}

// symbols are those that the sizes of inputs are made of, and the names of axes
// that have no size.
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

// axisSize is the size of an input's axis.
func axisSize(input string, axis int, d graphops.Dim) dim.Dim {
	switch {
	case d.IsFixed():
		return dim.Number(d.Value)
	case d.Symbol == "":
		return dim.Symbol(shape.AxisName(input, axis))
	default:
		return dim.OfText(d.Symbol)
	}
}

// run compares all values at one assignment. The error is that it does not run.
func (r *shapeRun) run(at map[string]int64) error {
	feeds, err := r.feeds(at)
	if err != nil {
		return err
	}
	x := r.model.Graph().Index()
	var want []graphops.Want
	for id := range graphops.ValueID(x.Values()) {
		if x.Producer(id) >= 0 {
			want = append(want, graphops.Want{Name: x.Name(id)})
		}
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), shapeTimeout)
	defer cancel()
	return r.runtime.Run(ctx, r.model, feeds, want, func(g graphops.Got) error {
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
			n, err := r.size(axisSize(in.Name, axis, d), at)
			if err != nil {
				return nil, err
			}
			sizes[cmp.Or(d.Symbol, shape.AxisName(in.Name, axis))] = n
		}
	}
	for name, n := range dims[filepath.Base(r.model.Path())] {
		sizes[name], at[name] = n, n
	}
	made, err := inputs.Generate(types, inputs.Options{Seed: 1, Dims: sizes, Model: r.model})
	if err != nil {
		return nil, err
	}
	for name, v := range made.Feeds {
		if n, ok := scalars[name]; ok {
			if err := tensor.EncodeFloat64(v.Tensor.Data, v.Tensor.DType, []float64{n}); err != nil {
				return nil, err
			}
		}
	}
	return made.Feeds, nil
}

func (r *shapeRun) size(d dim.Dim, at map[string]int64) (int64, error) {
	return d.Eval(func(symbol string) (int64, bool) { n, ok := at[symbol]; return n, ok })
}

// compare holds what was seen of a value against what is inferred of it.
func (r *shapeRun) compare(at map[string]int64, g graphops.Got) {
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
