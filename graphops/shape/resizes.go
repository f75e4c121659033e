package shape

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/dim"
)

// resizes has the rules of operators that change the size of images.
var resizes = family{"Resize": resize, "Upsample": upsample}

func upsample(c *call) {
	switch {
	case c.since < 7:
		one, rows, columns := floatElem(1), c.attrElem("height_scale"), c.attrElem("width_scale")
		c.rankIn(0, 4)
		c.scaled([]elem{one, one, rows, columns}, nil)
	case c.since < 9:
		var scales []elem
		if a, ok := c.attr("scales"); ok {
			for _, f := range a.Floats() {
				scales = append(scales, floatElem(float64(f)))
			}
		}
		c.scaled(scales, nil)
	default:
		c.eachAxis(1, 1, nil)
		c.scaled(c.factors(1), nil)
	}
}

// eachAxis demands that an input has n elements for each axis of a list, or of the data.
func (c *call) eachAxis(i int, n int64, list []int64) {
	axes := int64(len(list))
	if d := c.dims(0); axes == 0 && d != nil {
		axes = int64(len(d))
	}
	if axes > 0 {
		c.lists(i, dim.Number(n*axes))
	}
}

// attrElem returns an attribute that is a factor.
func (c *call) attrElem(name string) elem {
	if a, ok := c.attr(name); ok {
		return floatElem(float64(a.Float()))
	}
	return unknownElem()
}

// factors returns the elements of an input; nil if their number is unknown.
func (c *call) factors(i int) []elem {
	if elems := c.elems(i); elems != nil {
		return elems
	}
	if n := len(c.sizes(i)); n > 0 {
		out := make([]elem, n)
		for k := range out {
			out[k] = unknownElem()
		}
		return out
	}
	return nil
}

// resize is the rule of Resize. It has scales or sizes. If it has sizes, the input for scales may
// be empty.
func resize(c *call) {
	if c.since < 11 {
		c.eachAxis(1, 1, nil)
		c.scaled(c.factors(1), nil)
		return
	}
	list, _ := c.attrInts("axes")
	c.expectLists(list)
	scales, sizes := c.isGiven(2), c.isGiven(3)
	switch {
	case scales == sizes:
		c.problem(-1, "either scales or sizes should be given")
		c.scaled(nil, list)
	case scales:
		c.scaled(c.factors(2), list)
	default:
		c.sized(c.sizes(3), list)
	}
}

// expectLists demands the lengths of the region, the factors and the sizes. The number of sizes is
// checked when a model is loaded.
func (c *call) expectLists(list []int64) {
	if c.attrText("coordinate_transformation_mode", "") == "tf_crop_and_resize" {
		c.eachAxis(1, 2, list)
	}
	if c.isGiven(2) {
		c.eachAxis(2, 1, list)
	}
	if c.isGiven(3) {
		c.whenLoading(func() { c.eachAxis(3, 1, list) })
	}
}

// isGiven reports whether an input is given and has elements, as far as known.
func (c *call) isGiven(i int) bool {
	if !c.has(i) {
		return false
	}
	d := c.dims(i)
	return len(d) != 1 || !d[0].Is(0)
}

// resizedAxes returns the axes for n factors or sizes: those of a list, or all. If they are
// unknown, it sets what is known of the output, and ok is false.
func (c *call) resizedAxes(n int, list []int64) (axes []int, ok bool) {
	d := c.dims(0)
	switch {
	case d == nil && n > 0 && len(list) == 0:
		c.outDims(0, unknownDims(n))
		return nil, false
	case d == nil:
		return nil, false
	case n == 0:
		c.outDims(0, unknownDims(len(d)))
		return nil, false
	}
	if len(list) == 0 {
		for i := range d {
			list = append(list, int64(i))
		}
	}
	axes, ok = c.axes(list, len(d))
	if ok && len(axes) != n {
		c.problem(0, fmt.Sprintf("there are %d factors or sizes, but %d axes of %s", n, len(axes), c.describe(0)))
		ok = false
	}
	if !ok {
		c.outDims(0, unknownDims(len(d)))
	}
	return axes, ok
}

func (c *call) scaled(scales []elem, list []int64) {
	axes, ok := c.resizedAxes(len(scales), list)
	if !ok {
		return
	}
	out := slices.Clone(c.dims(0))
	scales = slices.Clone(scales)
	cropped := c.attrText("coordinate_transformation_mode", "") == "tf_crop_and_resize"
	for i, axis := range axes {
		if f, ok := scales[i].number(); ok && f <= 0 {
			c.problem(-1, fmt.Sprintf("axis %d is scaled by %v, expected a factor above 0", axis, f))
			scales[i] = unknownElem()
		}
		if out[axis] = scales[i].times(out[axis]); cropped && !scales[i].equal(numberElem(1)) {
			out[axis] = dim.Unknown() // the standard includes the region, ONNX Runtime does not
		}
		c.filled(out[axis])
	}
	c.outDims(0, out)
}

// times returns floor(size*factor). Numbers are multiplied with the precision that runtimes use.
func (e elem) times(size dim.Dim) dim.Dim {
	n, okSize := size.Number()
	f, okFactor := e.number()
	switch {
	case okSize && okFactor:
		if f = float64(float32(n) * float32(f)); !(f >= 0 && f < 1<<62) {
			return dim.Unknown()
		}
		return dim.Number(int64(f))
	case e.den == 0 || !e.num.Known():
		return dim.Unknown()
	default:
		return size.Mul(e.num).FloorDiv(dim.Number(e.den))
	}
}

func (c *call) sized(sizes []dim.Dim, list []int64) {
	axes, ok := c.resizedAxes(len(sizes), list)
	if !ok {
		return
	}
	if policy := c.attrText("keep_aspect_ratio_policy", "stretch"); policy != "stretch" {
		sizes = c.keptRatio(policy, sizes, axes)
	}
	out := slices.Clone(c.dims(0))
	for i, axis := range axes {
		out[axis] = sizes[i]
		c.filled(out[axis])
	}
	c.outDims(0, out)
}

// keptRatio returns the sizes after scaling all axes by one common factor, as policy requires: the
// smallest or the largest of the factors that the given sizes imply.
func (c *call) keptRatio(policy string, sizes []dim.Dim, axes []int) []dim.Dim {
	choose := math.Min
	switch policy {
	case "not_larger":
	case "not_smaller":
		choose = math.Max
	default:
		c.problem(-1, fmt.Sprintf("keep_aspect_ratio_policy is %q, expected stretch, not_larger or not_smaller", policy))
		return unknownDims(len(sizes))
	}
	wanted, ok := fixed(sizes)
	factor := math.NaN()
	for i, axis := range axes {
		n, number := c.dims(0)[axis].Number()
		if !ok || !number || n < 1 || wanted[i] < 1 {
			return unknownDims(len(sizes))
		}
		f := float64(float32(wanted[i]) / float32(n))
		if i == 0 {
			factor = f
		}
		factor = choose(factor, f)
	}
	out := make([]dim.Dim, len(sizes))
	for i, axis := range axes {
		n, _ := c.dims(0)[axis].Number()
		if out[i] = dim.Unknown(); factor*float64(n) < 1<<62 {
			out[i] = dim.Number(int64(math.Round(float64(float32(factor) * float32(n)))))
		}
	}
	return out
}
