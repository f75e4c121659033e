package graphops

import (
	"context"
	"io"

	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
)

// Want names a value that a run is to tell of, and how much of it. Its type and
// shape are always told; with nothing else, nothing is read.
type Want struct {
	Name string
	// Elements brings the value whole.
	Elements bool
	// Into gives where the elements of a tensor of numbers of so many bytes go in place of
	// memory, nil to have them there. It is asked when they begin to arrive, which may be
	// while an earlier value is with yield, in another goroutine; so is what it gives. It
	// may be nil; a Runner that knows of no such thing brings them whole. It is of use with
	// Elements alone.
	Into func(bytes int64) io.Writer
	// The others are made where the value is, so that it need not travel. Of a
	// sequence or map they are made of every tensor in it.
	Profile bool
	First   int64 // so many elements from the start
	Grid    *GridWant
	Window  *WindowWant
	Against *AgainstWant
	// Extent and Bins are of tensors of float32 and float16: from where to where the
	// elements go, and how many of them lie in each bin.
	Extent bool
	Bins   *calibration.Bins
}

// GridWant asks for a view as cells.
type GridWant struct {
	View          tensor.View
	Rows, Columns int
}

// WindowWant asks for some elements of a view.
type WindowWant struct {
	View   tensor.View
	Window tensor.Window
}

// AgainstWant asks how far the value is from another one.
type AgainstWant struct {
	Tensor    tensor.Tensor
	Tolerance tensor.Tolerance
}

// Whole wants values as they are.
func Whole(names ...string) []Want {
	want := make([]Want, len(names))
	for i, name := range names {
		want[i] = Want{Name: name, Elements: true}
	}
	return want
}

// Got is what a run tells of one value.
type Got struct {
	Name string
	// Value has no elements where they were not wanted.
	Value Value
	// Parts are what was wanted beside the elements, one for each of Value.Tensors;
	// nil where nothing was.
	Parts []Part
}

// Part is what was wanted of one tensor.
type Part struct {
	At string // where in the value, as Value.Tensors tells; "" for all of it

	Profile *tensor.Profile       // of numbers
	Strings *tensor.StringProfile // of strings, in place of Profile
	First   *tensor.Tensor        // of rank 1
	Grid    *tensor.Grid
	Window  *tensor.Tensor
	Metrics *tensor.Metrics
	Extent  *calibration.Extent
	Counts  []int64 // one for each of the bins
	// Unable tells why something is missing, as where a window lies outside.
	Unable string
}

// Runner evaluates values of a model. The model need not be saved.
type Runner interface {
	// Run evaluates the wanted values, any of the main graph, and yields them one
	// at a time in the order of want. An error of yield ends it. Yield must not use
	// the Runner.
	Run(ctx context.Context, m *Model, in Feeds, want []Want, yield func(Got) error) error
}

// Typer tells the types that a runtime infers for values of a model.
type Typer interface {
	// Types answers for as many of the names as it can. Symbols keep their names.
	Types(ctx context.Context, m *Model, names []string) (map[string]Type, error)
}
