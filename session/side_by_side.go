package session

import (
	"context"

	"lathe/graphops"
	"lathe/session/compare"
	"lathe/session/layers"
)

// SideBySide is a report on two models that ran on the same inputs. It holds metrics, not
// values: Values computes these again.
type SideBySide interface {
	Report
	// Compared returns how the outputs and the layers compare. The layers are nil if they
	// were not compared.
	Compared() (*compare.Report, *layers.Report)
	// Submodel describes in a few words the submodel that a reduction found. It is "" if
	// nothing was reduced.
	Submodel() string
	// Models returns the two models. A side that is not an ONNX model, such as PyTorch, is
	// nil.
	Models() (a, b *graphops.Model)
	// Values runs the part that computes a value again, and returns the value of each side.
	Values(ctx context.Context, env Env, of ComparedValue) (a, b graphops.Value, err error)
}

// ComparedValue names a value that a SideBySide reports on: an output in a case, or a
// layer.
type ComparedValue struct {
	Case   string
	Output string // by its name in A; "" of a layer
	Layer  int    // its position among the layers
	// Local asks for the value of B computed from A's values before the layer instead of its
	// own.
	Local bool
}
