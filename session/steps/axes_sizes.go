package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// maxElements is more than any value of a model that runs.
const maxElements = 1 << 40

// checkSizes refuses sizes by which a value becomes larger than any can be.
func checkSizes(ctx context.Context, changed *graphops.Model, fixed []string) error {
	var problem error
	_, err := shape.Infer(ctx, changed, shape.Options{Visit: func(v shape.Visit) {
		for i, out := range v.Out {
			if problem == nil && i < len(v.Node.Outputs()) && tooLarge(out.Dims) {
				problem = fmt.Errorf("--fix %s: value %q would be larger than any that fits: it has more than %d elements",
					strings.Join(fixed, " --fix "), v.Node.Outputs()[i], int64(maxElements))
			}
		}
	}})
	for _, v := range changed.Graph().Inputs() {
		if problem == nil && tooLarge(sizesOf(v)) {
			problem = fmt.Errorf("--fix %s: input %q would be larger than any that fits: it has more than %d elements",
				strings.Join(fixed, " --fix "), v.Name(), int64(maxElements))
		}
	}
	return errors.Join(err, problem)
}

func sizesOf(v *graphops.ValueInfo) []dim.Dim {
	var out []dim.Dim
	for _, d := range v.Type().Shape {
		out = append(out, shape.SizeFromFile(d))
	}
	return out
}

// tooLarge reports whether a value has too many elements, as far as its sizes are
// numbers; those that do not fit a number are faults.
func tooLarge(dims []dim.Dim) bool {
	var known []int64
	for _, d := range dims {
		if errors.Is(d.Err(), dim.ErrOverflow) {
			return true
		}
		if n, ok := d.Number(); ok {
			known = append(known, n)
		}
	}
	n, err := tensor.Elements(known)
	return err != nil || n > maxElements
}
