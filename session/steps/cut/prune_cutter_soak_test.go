//go:build cgo && soak

package cut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// cutter cuts one model. It has the values that the whole model computes.
type cutter struct {
	env      session.Env
	whole    *graphops.Model
	random   *rand.Rand
	results  []string       // the model's outputs
	made     []string       // the outputs of nodes
	values   graphops.Feeds // all tensors, including inputs
	cuts     int
	compared int
	opaque   int
	limited  map[string]int
}

func newCutter(ctx context.Context, env session.Env, path string) (*cutter, error) {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil, err
	}
	for n := range m.AllNodes() {
		if isRandom(n) {
			return nil, fmt.Errorf("%s %w", n.OpType(), errRandom)
		}
	}
	c := &cutter{env: env, whole: m, random: rand.New(rand.NewPCG(1, 2)), values: graphops.Feeds{}, limited: map[string]int{}}
	for _, o := range m.Graph().Outputs() {
		c.results = append(c.results, o.Name())
	}
	x := m.Graph().Index()
	for v := range graphops.ValueID(x.Values()) {
		if x.Producer(v) >= 0 {
			c.made = append(c.made, x.Name(v))
		}
	}
	return c, c.compute(ctx, m)
}

// errRandom means that the values of a model cannot be compared.
var errRandom = errors.New("draws other numbers in each run")

// isRandom reports whether a node draws random numbers, always or because its training mode is an
// input.
func isRandom(n *graphops.Node) bool {
	switch opschema.DrawsOf(n.Domain(), n.OpType()) {
	case opschema.DrawsAlways:
		return true
	case opschema.DrawsInTraining:
		return len(n.Inputs()) > 2
	}
	return false
}

// compute runs the whole model, and again with every value as an output. The results must be equal.
func (c *cutter) compute(ctx context.Context, m *graphops.Model) error {
	results, err := c.run(ctx, m, c.generate)
	if err != nil {
		return err
	}
	err = c.env.Runtime.Run(ctx, m, c.values, execution.Whole(c.made...), func(g execution.Got) error {
		c.values[g.Name] = g.Value
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := c.compare(r); err != nil {
			return fmt.Errorf("with every value as an output: %w", err)
		}
	}
	return nil
}

// generate makes the inputs of the whole model.
func (c *cutter) generate(types []graphops.NamedType) (graphops.Feeds, error) {
	made, err := inputs.Generate(types, inputs.Options{Seed: 1, Dims: sessiontest.Sizes(c.whole.Path()), Model: c.whole})
	if err != nil {
		return nil, err
	}
	c.values = made.Feeds
	return c.values, sessiontest.SetScalars(c.values)
}

// known are the values of the whole model at the inputs of a cut one.
func (c *cutter) known(types []graphops.NamedType) (graphops.Feeds, error) {
	feeds := graphops.Feeds{}
	for _, i := range types {
		v, ok := c.values[i.Name]
		if !ok {
			return nil, fmt.Errorf("the whole model has no value for the input %q", i.Name)
		}
		feeds[i.Name] = v
	}
	return feeds, nil
}

// run runs a model without optimizations. What the runtime fuses depends on the outputs of a model,
// and the last bits depend on what is fused.
func (c *cutter) run(ctx context.Context, m *graphops.Model, feed func([]graphops.NamedType) (graphops.Feeds, error)) ([]execution.Got, error) {
	l, err := c.env.Runtime.Load(ctx, m, runtime.Execution{Opt: "disable"})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	feeds, err := feed(l.Inputs())
	if err != nil {
		return nil, err
	}
	return runtime.RunWhole(ctx, l, feeds)
}

// compare compares a value with that of the whole model.
func (c *cutter) compare(g execution.Got) error {
	if !g.Value.IsTensor() {
		c.opaque++
		return nil
	}
	c.compared++
	want, got := c.values[g.Name].Tensor, g.Value.Tensor
	if want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
		return fmt.Errorf("%q is %s of %v, in the whole model %s of %v", g.Name, got.DType, got.Shape, want.DType, want.Shape)
	}
	if !bytes.Equal(want.Data, got.Data) || !slices.Equal(want.Strings, got.Strings) {
		return fmt.Errorf("%q has other elements than in the whole model", g.Name)
	}
	return nil
}

// atOutputs cuts at values in random order, up to a limit.
func (c *cutter) atOutputs(t *testing.T, most int) {
	t.Helper()
	for i, at := range c.random.Perm(len(c.made)) {
		if i == most {
			return
		}
		if err := c.cut(t, nil, c.made[at:at+1]); err != nil {
			t.Errorf("--output %q: %v", c.made[at], err)
		}
	}
}

// atInputs makes one to three values inputs and keeps the outputs. It leaves out values in float16: the
// runtime computes them in float32 and rounds them only if they are inputs or outputs.
func (c *cutter) atInputs(t *testing.T, most int) {
	t.Helper()
	tensors := slices.DeleteFunc(slices.Clone(c.made), func(name string) bool {
		v, ok := c.values[name]
		return !ok || v.Tensor.DType == tensor.F16 || v.Tensor.DType == tensor.BF16
	})
	if len(tensors) == 0 {
		return
	}
	for range min(most, 2*len(tensors)) {
		var in []string
		for range 1 + c.random.IntN(3) {
			in = append(in, tensors[c.random.IntN(len(tensors))])
		}
		err := c.cut(t, in, c.results)
		if reason := limitOf(err); reason != "" {
			c.limited[reason]++
		} else if err != nil {
			t.Errorf("--input %q: %v", in, err)
		}
	}
}

func limitOf(err error) string {
	for part, reason := range limits {
		if err != nil && strings.Contains(err.Error(), part) {
			return reason
		}
	}
	return ""
}

// cut prunes the model into a file and runs that.
func (c *cutter) cut(t *testing.T, in, out []string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut.onnx")
	s := &Prune{Input: in, Output: out}
	s.Out = path
	if _, err := s.Run(t.Context(), c.env, c.whole); err != nil {
		return err
	}
	c.cuts++
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	got, err := c.run(t.Context(), m, c.known)
	if err != nil {
		return err
	}
	if len(got) == 0 {
		return errors.New("no output")
	}
	for _, g := range got {
		if err := c.compare(g); err != nil {
			return err
		}
	}
	return nil
}
