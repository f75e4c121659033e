package shape

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// models has the rules of ai.onnx.ml models such as classifiers, with one result for each row of
// the input.
var models = family{
	"LinearClassifier": linearClassifier, "SVMClassifier": svmClassifier, "TreeEnsembleClassifier": treeClassifier,
	"LinearRegressor": linearRegressor, "SVMRegressor": svmRegressor, "TreeEnsembleRegressor": treeRegressor, "TreeEnsemble": treeRegressor,
	"ZipMap": zipMap,
}

// rowsOfFeatures returns the number of rows of the first input. A vector is one row, if the
// ranks allow it.
func (c *call) rowsOfFeatures(ranks ...int) dim.Dim {
	if c.rankIn(0, ranks...) == nil {
		return dim.Unknown()
	}
	return c.rows()
}

// targets returns the number of results for each row.
func (c *call) targets(attribute string, n int64) dim.Dim {
	if n < 1 {
		c.problem(-1, fmt.Sprintf("%s is %d, expected at least 1", attribute, n))
		return dim.Unknown()
	}
	return dim.Number(n)
}

// weighted demands the number of features in a row, which follows from the coefficients and the
// number of sets of them.
func (c *call) weighted(attribute string, sets int64) {
	if a, ok := c.attr(attribute); ok && sets > 0 && len(a.Floats()) > 0 && int64(len(a.Floats()))%sets == 0 {
		c.features(int64(len(a.Floats())) / sets)
	}
}

// supported demands the number of features of the vectors of a support vector machine. Without
// vectors it is linear, with one set of coefficients for each answer.
func (c *call) supported(vectors, answers int64) {
	if vectors > 0 {
		c.weighted("support_vectors", vectors)
	} else {
		c.weighted("coefficients", answers)
	}
}

func linearRegressor(c *call) {
	c.weighted("coefficients", c.attrInt("targets", 1))
	c.outDims(0, []dim.Dim{c.rowsOfFeatures(1, 2), c.targets("targets", c.attrInt("targets", 1))})
}

func svmRegressor(c *call) {
	c.supported(c.attrInt("n_supports", 0), 1)
	c.outDims(0, []dim.Dim{c.rowsOfFeatures(1, 2), dim.Number(1)})
}

func treeRegressor(c *call) {
	n := dim.Unknown()
	if a, ok := c.attr("n_targets"); ok {
		n = c.targets("n_targets", a.Int())
	}
	c.outDims(0, []dim.Dim{c.rowsOfFeatures(2), n})
}

// outClasses sets the outputs of a classifier: a label for each row, and scores.
func (c *call) outClasses(rows dim.Dim, ints, texts string, scores dim.Dim) {
	label := tensor.I64
	if a, ok := c.attr(texts); ok && len(a.Texts()) > 0 {
		label = tensor.String
	}
	c.outTensor(0, label, []dim.Dim{rows})
	c.outDims(1, []dim.Dim{rows, scores})
	if c.listed(ints, texts) == 0 {
		c.problem(-1, fmt.Sprintf("there are no labels in %s or %s", ints, texts))
	}
}

// linearClassifier is the rule of LinearClassifier. It has one score for each set of coefficients.
// If there is a single set for two classes, both classes get a score.
func linearClassifier(c *call) {
	const ints, texts = "classlabels_ints", "classlabels_strings"
	labels, sets := c.listed(ints, texts), int64(0)
	if a, ok := c.attr("intercepts"); ok {
		sets = int64(len(a.Floats()))
	}
	c.weighted("coefficients", sets)
	if sets == 0 || sets == 1 && labels == 2 {
		sets = labels
	}
	c.outClasses(c.rowsOfFeatures(1, 2), ints, texts, dim.Number(sets))
}

// svmClassifier is the rule of SVMClassifier. It has one score for each class if it returns
// probabilities or is linear, and otherwise one for each pair of classes.
func svmClassifier(c *call) {
	const ints, texts = "classlabels_ints", "classlabels_strings"
	n := c.listed(ints, texts)
	_, probabilities := c.attr("prob_a")
	vectors := int64(0)
	perClass, _ := c.attrInts("vectors_per_class")
	for _, k := range perClass {
		vectors += k
	}
	c.supported(vectors, n)
	if !probabilities && len(perClass) > 0 {
		if n > 2 {
			n = n * (n - 1) / 2
		} else {
			n = 2
		}
	}
	c.outClasses(c.rowsOfFeatures(1, 2), ints, texts, dim.Number(n))
}

func treeClassifier(c *call) {
	const ints, texts = "classlabels_int64s", "classlabels_strings"
	c.outClasses(c.rowsOfFeatures(2), ints, texts, dim.Number(c.listed(ints, texts)))
}

// zipMap is the rule of ZipMap. It converts each row to a map, with keys from an attribute.
func zipMap(c *call) {
	const ints, texts = "classlabels_int64s", "classlabels_strings"
	key := tensor.I64
	if a, ok := c.attr(texts); ok && len(a.Texts()) > 0 {
		key = tensor.String
	}
	n := dim.Number(c.listed(ints, texts))
	if d := c.dims(0); len(d) == 1 {
		c.expect(0, "one for each key", n)
	} else if c.rankIn(0, 1, 2) != nil {
		c.expect(0, "rows of one for each key", d[0], n)
	}
	of := tensorOf(tensor.F32, nil)
	c.outSequence(0, Type{Kind: graphops.TypeMap, Elem: key, Of: &of})
}
