package graphops

import (
	"context"
	"io"

	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
)

// Want requests a value of a run and says how much of it. Its type and shape are always
// returned. If nothing else is set, no elements are read.
type Want struct {
	Name string
	// Elements requests the complete value.
	Elements bool
	// Into returns where to write the elements of a numeric tensor of the given size, instead of
	// keeping them in memory. It returns nil to keep them in memory. It is called when the first
	// elements arrive. Both it and its result may be used by another goroutine while yield handles
	// an earlier value. It may be nil, and a Runner that does not support it ignores it. It only
	// has an effect together with Elements.
	Into func(bytes int64) io.Writer
	// The following are computed where the value is, so that the value need not be transferred.
	// For a sequence or map they are computed for each tensor in it.
	Profile bool
	First   int64 // this number of elements from the start
	Grid    *GridWant
	Window  *WindowWant
	Against *AgainstWant
	// Extent and Bins apply to tensors of float32 and float16: the range of the elements, and
	// the number of elements in each bin.
	Extent bool
	Bins   *calibration.Bins
}

// GridWant requests a view in cells.
type GridWant struct {
	View          tensor.View
	Rows, Columns int
}

// WindowWant requests some elements of a view.
type WindowWant struct {
	View   tensor.View
	Window tensor.Window
}

// AgainstWant requests a comparison with another tensor.
type AgainstWant struct {
	Tensor    tensor.Tensor
	Tolerance tensor.Tolerance
}

// Whole requests complete values.
func Whole(names ...string) []Want {
	want := make([]Want, len(names))
	for i, name := range names {
		want[i] = Want{Name: name, Elements: true}
	}
	return want
}

// Got is the result for one requested value.
type Got struct {
	Name string
	// Value has no elements if they were not requested.
	Value Value
	// Parts are the other requested results, one for each of Value.Tensors; nil if none were
	// requested.
	Parts []Part
}

// Part has the requested results for one tensor.
type Part struct {
	At string // position in the value, as in Value.Tensors; empty for the whole value

	Profile *tensor.Profile       // for numbers
	Strings *tensor.StringProfile // for strings, instead of Profile
	First   *tensor.Tensor        // of rank 1
	Grid    *tensor.Grid
	Window  *tensor.Tensor
	Metrics *tensor.Metrics
	Extent  *calibration.Extent
	Counts  []int64 // one for each of the bins
	// Unable says why a result is missing, for example because a window is out of range.
	Unable string
}

// Runner evaluates values of a model. The model need not be saved.
type Runner interface {
	// Run evaluates the requested values, which may be any values of the main graph, and yields
	// them one at a time in the order of want. An error from yield ends it. yield must not use the
	// Runner.
	Run(ctx context.Context, m *Model, in Feeds, want []Want, yield func(Got) error) error
}

// Typer returns the types that a runtime infers for values of a model.
type Typer interface {
	// Types returns the types of as many of the names as possible. Symbols keep their names.
	Types(ctx context.Context, m *Model, names []string) (map[string]Type, error)
}
