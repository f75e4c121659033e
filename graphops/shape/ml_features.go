package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// features has the rules of ai.onnx.ml operators that prepare the input of a model.
var features = family{
	"Binarizer": firstShape, "Imputer": eachFeature("imputed_value_floats", "imputed_value_int64s"), "Normalizer": normalizer, "Scaler": eachFeature("offset", "scale"),
	"ArrayFeatureExtractor": arrayFeatures, "FeatureVectorizer": featureVector, "OneHotEncoder": oneHotEncoder,
	"CategoryMapper": categories, "LabelEncoder": labelEncoder,
	"CastMap": castMap, "DictVectorizer": dictVector,
}

// eachFeature returns the rule of operators that change the features along the last axis by the
// numbers of some attributes: one for all features, or one for each.
func eachFeature(attributes ...string) rule {
	return func(c *call) {
		c.firstRankFrom(1)
		for _, name := range attributes {
			if a, ok := c.attr(name); ok {
				if n := int64(max(len(a.Floats()), len(a.Ints()))); n > 1 {
					c.features(n)
				}
			}
		}
		firstShape(c)
	}
}

// features demands that rows have a number of features.
func (c *call) features(n int64) {
	c.note(c.axisSource(0, -1), Source{dim.Number(n), 0, -1}, Equals, "")
}

func normalizer(c *call) {
	c.rankIn(0, 1, 2)
	firstShape(c)
}

// arrayFeatures is the rule of ArrayFeatureExtractor. It takes elements of the last axis. Those of
// a vector become a row.
func arrayFeatures(c *call) {
	d, at := c.firstRankFrom(1), c.dims(1)
	if d == nil {
		return
	}
	n := dim.Unknown()
	if at != nil {
		n = dim.Product(at...)
	}
	if len(d) == 1 {
		c.outDims(0, []dim.Dim{dim.Number(1), n})
		return
	}
	out := slices.Clone(d)
	out[len(d)-1] = n
	c.outDims(0, out)
}

// featureVector is the rule of FeatureVectorizer. It concatenates rows of features. An attribute
// has the number of features of each input.
func featureVector(c *call) {
	list, given := c.attrInts("inputdimensions")
	n := dim.Number(0)
	for _, size := range list {
		n = n.Add(dim.Number(size))
	}
	if !given || len(list) != len(c.in) {
		c.problem(-1, fmt.Sprintf("inputdimensions has %d numbers for %d inputs", len(list), len(c.in)))
		n = dim.Unknown()
	}
	for i := 1; i < len(c.in); i++ {
		c.agreeOnRows(0, i)
	}
	c.outDims(0, []dim.Dim{c.rows(), n})
}

// agreeOnRows requires that two inputs have the same number of rows. A vector is one row.
func (c *call) agreeOnRows(i, j int) {
	switch a, b := len(c.dims(i)), len(c.dims(j)); {
	case a == 2 && b == 2:
		c.agree(i, 0, j, 0)
	case a == 2 && b == 1:
		c.holds(i, 0, c.describe(j), dim.Number(1))
	case a == 1 && b == 2:
		c.holds(j, 0, c.describe(i), dim.Number(1))
	}
}

// rows returns the number of rows of the first input, which is one if it is a vector.
func (c *call) rows() dim.Dim {
	switch d := c.dims(0); {
	case d == nil:
		return dim.Unknown()
	case len(d) == 1:
		return dim.Number(1)
	case len(d) == 0:
		c.problem(0, c.describe(0)+" should have 1 or 2 axes")
		return dim.Unknown()
	default:
		return d[0]
	}
}

// listed returns the length of the list in one of two attributes, of which only one should be
// given.
func (c *call) listed(ints, texts string) int64 {
	n := 0
	if a, ok := c.attr(ints); ok {
		n = len(a.Ints())
	}
	if a, ok := c.attr(texts); ok {
		n = max(n, len(a.Texts()))
	}
	return int64(n)
}

func oneHotEncoder(c *call) {
	if d := c.dims(0); d != nil {
		n := c.listed("cats_int64s", "cats_strings")
		c.outDims(0, append(slices.Clone(d), dim.Number(n)))
	}
}

// categories is the rule of CategoryMapper. It converts strings to numbers, or numbers to strings.
func categories(c *call) {
	to := tensor.Undefined
	switch c.elem(0) {
	case tensor.String:
		to = tensor.I64
	case tensor.I64:
		to = tensor.String
	}
	c.outTensor(0, to, c.dims(0))
}

func labelEncoder(c *call) {
	if c.since < 2 {
		categories(c)
		return
	}
	to := tensor.Undefined
	for _, list := range []struct {
		name string
		elem tensor.DType
	}{{"values_strings", tensor.String}, {"values_int64s", tensor.I64}, {"values_floats", tensor.F32}} {
		if _, ok := c.attr(list.name); ok {
			to = list.elem
		}
	}
	if a, ok := c.attr("values_tensor"); ok && a.Tensor() != nil {
		to = a.Tensor().DType()
	}
	c.outTensor(0, to, c.dims(0))
}

// castMap is the rule of CastMap. It returns the values of a map as a row.
func castMap(c *call) {
	n := dim.Unknown()
	if c.attrText("map_form", "DENSE") == "SPARSE" {
		n = dim.Number(c.attrInt("max_map", 1))
	}
	to := map[string]tensor.DType{"TO_FLOAT": tensor.F32, "TO_STRING": tensor.String, "TO_INT64": tensor.I64}
	c.outTensor(0, to[c.attrText("cast_to", "TO_FLOAT")], []dim.Dim{dim.Number(1), n})
}

// dictVector is the rule of DictVectorizer. It returns the values of a map as a row, at the
// positions of their keys in a list.
func dictVector(c *call) {
	to := tensor.Undefined
	if t := c.input(0).Type; t.Kind == graphops.TypeMap && t.Of != nil {
		to = t.Of.Elem
	}
	n := c.listed("int64_vocabulary", "string_vocabulary")
	c.outTensor(0, to, numbers(1, n))
}
