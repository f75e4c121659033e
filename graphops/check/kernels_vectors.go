package check

import "fmt"

// The following functions check kernels of linear models and of support vector machines, whose
// lists depend on the number of classes and of vectors.

func (n settings) lacks(names ...string) string {
	if name := n.missing(names...); name != "" {
		return fmt.Sprintf("attribute %q is missing, and ONNX Runtime requires it", name)
	}
	return ""
}

func linearRegressorFault(n settings, _ int64) string {
	return first(n.lacks("coefficients"), n.atLeast(1, "targets", 1))
}

func linearClassifierFault(n settings, _ int64) string {
	classes, known := n.length("intercepts")
	coefficients, ok := n.length("coefficients")
	labels, also := n.length("classlabels_ints", "classlabels_strings")
	switch {
	case !known || !ok || !also:
		return ""
	case classes == 0:
		return "attribute \"intercepts\" is missing or empty, expected one for each class"
	case coefficients%classes != 0:
		return fmt.Sprintf("attribute \"coefficients\" has %s, expected equally many for each of %d classes (\"intercepts\")", counted(coefficients, "element"), classes)
	case labels < classes && classes > 1:
		return fmt.Sprintf("has %s for %d classes (\"intercepts\")", counted(labels, "label"), classes)
	default:
		return ""
	}
}

// machineFault checks both kinds of support vector machines.
func (n settings) machineFault() string {
	if f := n.lacks("kernel_params", "coefficients", "rho"); f != "" {
		return f
	}
	if params, known := n.length("kernel_params"); known && params != 0 && params != 3 {
		return fmt.Sprintf("attribute \"kernel_params\" has %s, expected none or gamma, coef0 and degree", counted(params, "element"))
	}
	return ""
}

func vectorRegressorFault(n settings, _ int64) string {
	if f := n.machineFault(); f != "" {
		return f
	}
	vectors, known := n.number("n_supports", 0)
	coefficients, ok := n.length("coefficients")
	values, also := n.length("support_vectors")
	switch {
	case !known || !ok || !also || vectors < 1:
		return ""
	case int64(coefficients) < vectors:
		return fmt.Sprintf("attribute \"coefficients\" has %s, expected one for each of %d vectors (\"n_supports\")", counted(coefficients, "element"), vectors)
	default:
		return vectorsFault(values, vectors)
	}
}

func vectorsFault(values int, vectors int64) string {
	if values == 0 || int64(values)%vectors != 0 {
		return fmt.Sprintf("attribute \"support_vectors\" has %s, expected equally many for each of %d vectors", counted(values, "element"), vectors)
	}
	return ""
}

func vectorClassifierFault(n settings, _ int64) string {
	if f := n.machineFault(); f != "" {
		return f
	}
	a, known := n.length("prob_a")
	b, ok := n.length("prob_b")
	if known && ok && a != b {
		return fmt.Sprintf("attribute \"prob_a\" has %s, but \"prob_b\" has %d, expected the same number", counted(a, "element"), b)
	}
	perClass, known := n.ints("vectors_per_class")
	classes, ok := n.length("classlabels_ints", "classlabels_strings")
	if !known || !ok || len(perClass) == 0 {
		return ""
	}
	if len(perClass) != classes {
		return fmt.Sprintf("attribute \"vectors_per_class\" has %s, expected one for each of %s", counted(len(perClass), "number"), counted(classes, "label"))
	}
	return n.classVectorsFault(perClass)
}

// classVectorsFault compares the lists of vectors with the number of vectors of all classes.
func (n settings) classVectorsFault(perClass []int64) string {
	var vectors int64
	for _, count := range perClass {
		if count < 0 || count > 1<<31 {
			return fmt.Sprintf("attribute \"vectors_per_class\" has %d, expected 0 or more", count)
		}
		vectors += count
	}
	coefficients, known := n.length("coefficients")
	values, ok := n.length("support_vectors")
	switch want := int64(len(perClass)-1) * vectors; {
	case !known || !ok || vectors == 0 || values == 0:
		return ""
	case int64(coefficients) < want:
		return fmt.Sprintf("attribute \"coefficients\" has %s, expected %d: for each vector, one less than the number of classes", counted(coefficients, "element"), want)
	default:
		return vectorsFault(values, vectors)
	}
}
