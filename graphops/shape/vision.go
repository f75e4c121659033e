package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// vision has the rules of operators that read, sample and crop images, and select detected objects.
var vision = family{
	"GridSample": gridSample, "AffineGrid": affineGrid, "ImageDecoder": imageDecoder, "Crop": crop,
	"NonMaxSuppression": nonMaxSuppression, "EfficientNMS_TRT": efficientNonMaxSuppression,
	"PyramidROIAlign_TRT": pyramidRegions, "MultilevelCropAndResize_TRT": pyramidRegions,
}

// gridSample is the rule of GridSample. It takes an element of an image for each point of a grid.
func gridSample(c *call) {
	d, okImage := c.image(0)
	points, okPoints := c.image(1)
	switch {
	case !okImage || !okPoints:
	case d != nil && c.rankIn(1, len(d)) == nil:
		c.outDims(0, layout{}.image(d[0], d[1], unknownDims(len(d)-2)))
	case points != nil:
		n := len(points)
		c.holds(1, n-1, "the axes of an image", dim.Number(int64(n-2)))
		c.outDims(0, layout{}.image(c.agree(0, 0, 1, 0), c.extent(0, 1), points[1:n-1]))
	}
}

// affineGrid is the rule of AffineGrid. It creates points for images of a given shape.
func affineGrid(c *call) {
	d, size := c.rankIn(0, 3), c.sizes(1)
	if d != nil && size != nil {
		n := dim.Number(int64(len(size) - 2))
		c.holds(0, 1, "the axes of an image", n)
		c.holds(0, 2, "the axes of an image, and an offset", n.Add(dim.Number(1)))
	}
	switch {
	case size != nil && len(size) != 4 && len(size) != 5:
		c.problem(1, fmt.Sprintf("%s should be the shape of images: of rank 4 or 5", c.describe(1)))
	case size != nil:
		if d != nil {
			c.demand(Source{d[0], 0, 0}, Source{size[0], 1, -1})
		}
		batch := known(size[0], c.extent(0, 0))
		c.outDims(0, slices.Concat([]dim.Dim{batch}, size[2:], numbers(int64(len(size)-2))))
	case d != nil:
		if n, ok := d[1].Number(); ok && (n == 2 || n == 3) {
			c.outDims(0, slices.Concat(d[:1], unknownDims(int(n)), numbers(n)))
		}
	}
}

func imageDecoder(c *call) {
	c.rankIn(0, 1)
	channels := dim.Unknown()
	switch c.attrText("pixel_format", "RGB") {
	case "RGB", "BGR":
		channels = dim.Number(3)
	case "Grayscale":
		channels = dim.Number(1)
	default:
		c.problem(-1, fmt.Sprintf("pixel_format is %q, expected RGB, BGR or Grayscale", c.attrText("pixel_format", "")))
	}
	c.outDims(0, append(unknownDims(2), channels))
}

// crop is the rule of Crop. It removes a border, or extracts a region of the size given by scale.
func crop(c *call) {
	d := c.rankIn(0, 4)
	border, _ := c.attrInts("border") // left, top, right, bottom
	scale, _ := c.attrInts("scale")
	switch {
	case d == nil:
		return
	case len(scale) == 2:
		c.outDims(0, layout{}.image(d[0], d[1], numbers(scale...)))
	case len(border) != 4 || len(scale) > 0:
		c.problem(-1, fmt.Sprintf("border is %v and scale is %v, expected 4 and 2 numbers", border, scale))
		c.outDims(0, layout{}.image(d[0], d[1], unknownDims(2)))
	default:
		b := numbers(border...)
		c.outDims(0, []dim.Dim{d[0], d[1], d[2].Sub(b[1]).Sub(b[3]), d[3].Sub(b[0]).Sub(b[2])})
	}
}

// nonMaxSuppression is the rule of NonMaxSuppression. The result has one row for each selected box,
// and none if max_output_boxes_per_class is missing.
func nonMaxSuppression(c *call) {
	c.boxes()
	rows := dim.Unknown()
	if !c.has(2) || c.single(2).Is(0) {
		rows = dim.Number(0)
	}
	c.outDims(0, []dim.Dim{rows, dim.Number(3)})
}

// boxes requires that inputs are the corners of boxes, and their scores for each class.
func (c *call) boxes() {
	boxes, scores := c.rankIn(0, 3), c.rankIn(1, 3)
	if boxes != nil {
		c.holds(0, 2, "the corners of a box", dim.Number(4))
	}
	if boxes != nil && scores != nil {
		c.agree(0, 0, 1, 0)
		c.agree(0, 1, 1, 2)
	}
}

// efficientNonMaxSuppression is the rule of EfficientNMS_TRT. Its outputs have room for the maximum
// number of boxes.
func efficientNonMaxSuppression(c *call) {
	batch, most := c.extent(0, 0), c.positive("max_output_boxes")
	c.outDims(0, []dim.Dim{batch, dim.Number(1)})
	c.outDims(1, []dim.Dim{batch, most, dim.Number(4)})
	c.outDims(2, []dim.Dim{batch, most})
	c.outDims(3, []dim.Dim{batch, most})
}

// pyramidRegions is the rule of PyramidROIAlign_TRT and MultilevelCropAndResize_TRT. They take
// regions from images in several resolutions.
func pyramidRegions(c *call) {
	c.rankIn(0, 3)
	c.rankIn(1, 4)
	size := c.positive("pooled_size")
	c.outDims(0, []dim.Dim{c.agree(0, 0, 1, 0), c.extent(0, 1), c.extent(1, 1), size, size})
}
