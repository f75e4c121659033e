//go:build soak

package main

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
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
)

// unoptimized leaves every kernel as it is: what is fused depends on the outputs
// there are, and the last bits on what is fused.
var unoptimized = session.Execution{Opt: "disable"}

// cutter cuts one model. It holds the values that the uncut model computes.
type cutter struct {
	runtime  *session.Workers
	path     string
	random   *rand.Rand
	results  []string       // the model's outputs
	made     []string       // what nodes make
	values   graphops.Feeds // of all that are tensors, inputs included
	cuts     int
	compared int
	opaque   int
	limited  map[string]int
}

func newCutter(ctx context.Context, runtime *session.Workers, path string) (*cutter, error) {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil, err
	}
	for n := range m.AllNodes() {
		if slices.Contains(randomOps, n.OpType()) {
			return nil, fmt.Errorf("%s makes other values in each run", n.OpType())
		}
	}
	c := &cutter{runtime: runtime, path: path, random: rand.New(rand.NewPCG(1, 2)), values: graphops.Feeds{}, limited: map[string]int{}}
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

// compute runs the uncut model as it is, and again with every value as an
// output, which must not change what it computes.
func (c *cutter) compute(ctx context.Context, m *graphops.Model) error {
	results, err := c.run(ctx, m, c.generate)
	if err != nil {
		return err
	}
	err = c.runtime.Run(ctx, m, c.values, graphops.Whole(c.made...), func(g graphops.Got) error {
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

// generate makes the inputs of the uncut model.
func (c *cutter) generate(types []graphops.NamedType) (graphops.Feeds, error) {
	made, err := inputs.Generate(types, inputs.Options{Seed: 1, Dims: dims[filepath.Base(c.path)]})
	if err != nil {
		return nil, err
	}
	c.values = made.Feeds
	for name, v := range c.values {
		if n, ok := scalars[name]; ok {
			if err := tensor.EncodeFloat64(v.Tensor.Data, v.Tensor.DType, []float64{n}); err != nil {
				return nil, err
			}
		}
	}
	return c.values, nil
}

// known are the values of the uncut model at the inputs of a cut one.
func (c *cutter) known(types []graphops.NamedType) (graphops.Feeds, error) {
	feeds := graphops.Feeds{}
	for _, i := range types {
		v, ok := c.values[i.Name]
		if !ok {
			return nil, fmt.Errorf("input %q is no value of the uncut model", i.Name)
		}
		feeds[i.Name] = v
	}
	return feeds, nil
}

func (c *cutter) run(ctx context.Context, m *graphops.Model, feed func([]graphops.NamedType) (graphops.Feeds, error)) ([]graphops.Got, error) {
	l, err := c.runtime.Load(ctx, m, unoptimized)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	feeds, err := feed(l.Inputs())
	if err != nil {
		return nil, err
	}
	return session.RunWhole(ctx, l, feeds)
}

// compare compares a value with the uncut model's.
func (c *cutter) compare(g graphops.Got) error {
	if !g.Value.IsTensor() {
		c.opaque++
		return nil
	}
	c.compared++
	want, got := c.values[g.Name].Tensor, g.Value.Tensor
	if want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
		return fmt.Errorf("%q is %s of %v, in the uncut model %s of %v", g.Name, got.DType, got.Shape, want.DType, want.Shape)
	}
	if !bytes.Equal(want.Data, got.Data) || !slices.Equal(want.Strings, got.Strings) {
		return fmt.Errorf("%q has other elements than in the uncut model", g.Name)
	}
	return nil
}

// atOutputs cuts at each value, or at so many of them.
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

// atInputs cuts at one to three values before the outputs that there are.
func (c *cutter) atInputs(t *testing.T, most int) {
	t.Helper()
	tensors := slices.DeleteFunc(slices.Clone(c.made), func(name string) bool { _, ok := c.values[name]; return !ok })
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

// cut runs the command and then what it wrote.
func (c *cutter) cut(t *testing.T, in, out []string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut.onnx")
	args := []string{"prune", c.path, "--out", path}
	for _, name := range in {
		args = append(args, "--input", name)
	}
	for _, name := range out {
		args = append(args, "--output", name)
	}
	var answer, complaint bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &answer, &complaint); code != exitDone {
		return fmt.Errorf("exit code %d: %s", code, &complaint)
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
