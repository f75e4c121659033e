package execution

import (
	"context"
	"io"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
)

// Want requests a value of a run and says what is needed of it. The type and shape are always
// returned. The elements are not, unless one of the following fields requests them.
type Want struct {
	Name string
	// Elements requests the complete value.
	Elements bool
	// Into says where to write the elements of a numeric tensor with the given number of bytes. If
	// Into or the writer that it returns is nil, the elements are kept in memory. It has an effect
	// only if Elements is set and the Runner supports it. It is called when the first elements
	// arrive. While yield handles an earlier value, another goroutine may call it and use the
	// writer.
	Into func(bytes int64) io.Writer
	// The following results are computed where the value is, so that its elements need not be
	// transferred. For a sequence or map they are computed for each of its tensors.
	Profile bool
	First   int64 // this number of elements from the start
	Grid    *GridWant
	Window  *WindowWant
	Against *AgainstWant
	// Extent requests the range of the elements, and Bins the number of elements in each bin. Both
	// apply only to tensors of float32 and float16.
	Extent bool
	Bins   *calibration.Bins
}

// GridWant requests a view of a tensor, reduced to a number of cells for a heat map.
type GridWant struct {
	View          tensor.View
	Rows, Columns int
}

// WindowWant requests the elements in a part of a view of a tensor.
type WindowWant struct {
	View   tensor.View
	Window tensor.Window
}

// AgainstWant requests the comparison of a value with another tensor.
type AgainstWant struct {
	Tensor    tensor.Tensor
	Tolerance tensor.Tolerance
}

// Whole requests all elements of the named values.
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
	// Value has the type and, only if they were requested, the elements.
	Value graphops.Value
	// Parts has the other requested results: one Part for each tensor of the value, in the order of
	// Value.Tensors. It is nil if none were requested.
	Parts []Part
}

// Part has the requested results for one tensor of a value.
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
	// Unable says why a requested result is missing, for example because the window is outside of
	// the tensor.
	Unable string
}

// Runner computes values of a model. The model need not be saved to a file.
type Runner interface {
	// Run computes the requested values, which may be any values of the main graph. It passes them
	// to yield one at a time, in the order of want. If yield returns an error, Run stops and
	// returns it. yield must not use the Runner.
	Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []Want, yield func(Got) error) error
}

// Typer infers types of values with a runtime.
type Typer interface {
	// Types returns the types that the runtime infers for the named values. Values whose type it
	// cannot infer are left out. Symbols in shapes have the same names as in the model.
	Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error)
}
