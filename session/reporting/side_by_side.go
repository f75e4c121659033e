package reporting

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/layers"
)

// SideBySide is a report on two models that ran on the same inputs. It has error metrics but not
// the values; Values computes these again.
type SideBySide interface {
	session.Report
	// Compared returns the comparison of the outputs and of the layers. The layers are nil if they
	// were not compared.
	Compared() (*compare.Report, *layers.Report)
	// Submodel describes, in a few words, the smallest part of the model that still shows the
	// difference. It is "" if no such part was searched for.
	Submodel() string
	// Models returns the two models. A side that is not an ONNX model, such as PyTorch, is
	// nil.
	Models() (a, b *graphops.Model)
	// Values computes one value again, with only the part of each model that it depends on, and
	// returns the value of each side.
	Values(ctx context.Context, env session.Env, of ComparedValue) (a, b graphops.Value, err error)
}

// ComparedValue identifies a value that a SideBySide reports on: an output of the model in a case,
// or the value of a layer.
type ComparedValue struct {
	Case   string
	Output string // its name in A; "" for a layer
	Layer  int    // its position among the layers
	// Local asks for the value that B computes if the layer's inputs are A's values, so that errors
	// of earlier layers do not count.
	Local bool
}
