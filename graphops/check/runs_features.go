package check

import (
	"fmt"

	"lathe/graphops/dim"
)

// scaledFeatures requires that a Scaler has one number for all features, or one for each.
func scaledFeatures(o operands) string {
	size, ok := o.features()
	n, known := o.length("scale")
	if !ok || !known || n == 1 || !dim.Apart(size, dim.Number(int64(n))) {
		return ""
	}
	return fmt.Sprintf("attribute \"scale\" has %s for %s features of %s, expected 1 or one for each", counted(n, "number"), size, o.quoted(0))
}

// features returns the number of features that a machine learning operator gets: the second size
// of its input, or the only one.
func (o operands) features() (dim.Dim, bool) {
	switch d := o.dims(0); len(d) {
	case 0:
		return dim.Dim{}, false
	case 1:
		return d[0], true
	default:
		return d[1], true
	}
}

// enoughCoefficients requires a coefficient for each feature and result of a linear model.
// results returns the number of results.
func enoughCoefficients(results func(operands) (int64, bool)) func(operands) string {
	return func(o operands) string {
		size, found := o.features()
		n, known := results(o)
		given, ok := o.length("coefficients")
		if !found || !known || !ok || n < 1 {
			return ""
		}
		features, _ := size.Bounds()
		if features <= int64(given)/n {
			return ""
		}
		return fmt.Sprintf("%s has %s, but attribute \"coefficients\" has %d for each of %d results", o.quoted(0), counted(int(features), "feature"), int64(given)/n, n)
	}
}

func classes(o operands) (int64, bool) {
	n, known := o.length("intercepts")
	return int64(n), known
}

func targets(o operands) (int64, bool) { return o.number("targets", 1) }
