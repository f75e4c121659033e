package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

var errNarrow = errors.New("out of memory")

// narrow is a part that computes one value at a time from the second sample on.
type narrow struct{ values []string }

func (n narrow) Run(_ context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	x := in["x"].Tensor
	if first, err := x.Float64s(); err != nil || len(n.values) > 1 && first[0] > 0 {
		return errors.Join(err, errNarrow)
	}
	for _, w := range want {
		if err := yield(graphops.Got{Name: w.Name, Value: in["x"]}); err != nil {
			return err
		}
	}
	return nil
}

func (n narrow) Close() error { return nil }

// counted is samples, each with its number.
type counted int

func (c counted) Len() int { return int(c) }

func (c counted) Sample(i int) (string, graphops.Feeds, error) {
	return fmt.Sprint(i), graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{float32(i)}, 1))}, nil
}

// TestElements has values that do not fit into memory together: each is still yielded once for each
// sample.
func TestElements(t *testing.T) {
	m := graphtest.Model(t, "input x f32[1]\noutput z f32[1]\ny = Relu(x)\nz = Relu(y)")
	load := func(_ context.Context, values []string) (Session, error) { return narrow{values}, nil }
	tooMuch := func(err error) bool { return errors.Is(err, errNarrow) }
	var got []string
	var done, total int64
	yield := func(value string, v graphops.Value) error {
		list, err := v.Tensor.Float64s()
		got = append(got, fmt.Sprint(value, list[0]))
		return err
	}
	o := Options{TooMuch: tooMuch, Progress: func(d, n int64) { done, total = d, n }}
	if _, err := Elements(t.Context(), m, []string{"x", "y", "z"}, counted(3), load, o, yield); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{"x0", "x1", "x2", "y0", "y1", "y2", "z0", "z1", "z2"}; !slices.Equal(got, want) || done != 3 || total != 3 {
		t.Errorf("yielded %q, progress %d of %d", got, done, total)
	}
	if _, err := Elements(t.Context(), m, []string{"y", "z"}, counted(3), load, Options{}, yield); !errors.Is(err, errNarrow) {
		t.Errorf("values that may not be split: %v", err)
	}
	if _, err := Elements(t.Context(), m, []string{"y"}, counted(0), load, o, yield); !errors.Is(err, errNoSamples) {
		t.Errorf("no samples: %v", err)
	}
}
