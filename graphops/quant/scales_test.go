package quant

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestScalesLater writes the same bytes whenever the scales are found, in memory and from a file.
func TestScalesLater(t *testing.T) {
	path, _ := externalModel(t, 300)
	for name, m := range map[string]*graphops.Model{"external": open(t, path), "mixed": graphtest.Model(t, mixed)} {
		for _, o := range everyOption() {
			now, first := dynamicOf(t, m, o)
			o.ScalesLater = true
			later, second := dynamicOf(t, m, o)
			if digest(t, now) != digest(t, later) || len(first.Quantized) != len(second.Quantized) {
				t.Errorf("%s, %+v: the models differ", name, o)
			}
		}
	}
}

// TestScalesLaterRefuses ends the save of a model whose nodes would be chosen in another way if its
// weights were read first.
func TestScalesLaterRefuses(t *testing.T) {
	for _, number := range []string{"inf", "nan", "3.4e38"} {
		m := graphtest.Model(t, "input x f32[2,2]\ninit v f32[2,2] -3.4e38 1 2 "+number+"\ny = MatMul(x, v)\noutput y f32")
		o := DefaultDynamicOptions()
		o.ScalesLater = true
		q, _, err := Dynamic(context.Background(), m, o, func(int64, int64) { t.Error("a weight was read") })
		if err != nil {
			t.Fatal(err)
		}
		if err := graphops.Write(&bytes.Buffer{}, q); !errors.Is(err, ErrRanges) || !strings.Contains(err.Error(), `weight "v"`) {
			t.Errorf("%s: %v", number, err)
		}
	}
}

// TestScalesLaterStops says which data is missing when a file is cut off, or what is cancelled.
func TestScalesLaterStops(t *testing.T) {
	path, data := externalModel(t, 100)
	o := DefaultDynamicOptions()
	o.ScalesLater = true
	ctx, cancel := context.WithCancel(context.Background())
	q, _, err := Dynamic(ctx, open(t, path), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := graphops.Write(&bytes.Buffer{}, q); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if q, _, err = Dynamic(context.Background(), open(t, path), o, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(data, 4*100*100+7); err != nil {
		t.Fatal(err)
	}
	if err := graphops.Write(&bytes.Buffer{}, q); err == nil || errors.Is(err, ErrRanges) || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("cut off: %v", err)
	}
}

// TestScalesContainPanics: a panic while the scales of the next constant are found is raised where they are
// asked for.
func TestScalesContainPanics(t *testing.T) {
	next := &scales{find: func() ([]tensor.Affine, error) { panic("hostile") }}
	first := &scales{find: func() ([]tensor.Affine, error) { return []tensor.Affine{{Scale: 1}}, nil }, next: next}
	if by, err := first.get(); err != nil || len(by) != 1 {
		t.Fatalf("%v, %v", by, err)
	}
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "hostile") {
			t.Errorf("got %q", p)
		}
	}()
	_, _ = next.get()
}
