// Package picture converts PNG and JPEG images to tensors: it resizes them, arranges the axes and
// normalizes the values as a model expects. It checks the size of an image before it decodes it. It
// does not apply the orientation that a camera stores in a JPEG file.
package picture

import (
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // registers the format for image.Decode
	_ "image/png"  // likewise
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Extensions are the file extensions that Open reads.
var Extensions = []string{".png", ".jpg", ".jpeg"}

// Options say how pixels become elements. Channel values are from 0 to 255. They are multiplied by
// Scale, then Mean is subtracted, then the result is divided by Std.
type Options struct {
	Layout string // "nchw", "nhwc", or "" to derive it from the shape
	// Mean and Std have one number for all channels, or one for each channel in the order of the
	// input.
	Mean, Std []float64
	Scale     float64 // 0 means 1/255 for floating-point types and 1 for integers
	BGR       bool
	// Crop is the fraction of the image that is used, from 0 to 1: the largest part around its centre
	// that has the shape of the input, with its sides multiplied by Crop. 0 means the whole image, which
	// is stretched to the shape of the input.
	Crop float64
}

// maxPixels is the most pixels that an image may have: a little more than an 8K image. Decoding
// it takes a quarter of a GiB.
const maxPixels = 1 << 25

// maxElements is the most elements that the tensor may have.
const maxElements = 1 << 27

// Open reads an image file as a tensor of a type and shape. If the shape does not fix the height or
// width, they are those of the image. Open also returns a description of the conversion, such as
// "cat.png 640×480 → 224×224 bilinear, RGB, /255, NCHW". Errors do not contain the name of the
// file, except those of the system.
func Open(path string, d tensor.DType, s graphops.Shape, o Options) (tensor.Tensor, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return tensor.Tensor{}, "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return tensor.Tensor{}, "", errors.New("not a regular file")
	}
	t, done, err := read(f, d, s, o)
	return t, filepath.Base(path) + " " + done, err
}

// read does what Open does, with the content of a file.
func read(r io.ReadSeeker, d tensor.DType, s graphops.Shape, o Options) (tensor.Tensor, string, error) {
	l, err := layoutOf(s, o.Layout)
	if err != nil {
		return tensor.Tensor{}, "", err
	}
	config, _, err := image.DecodeConfig(r)
	if err != nil {
		return tensor.Tensor{}, "", fmt.Errorf("not a PNG or JPEG image: %w", err)
	}
	if int64(config.Width)*int64(config.Height) > maxPixels || config.Width <= 0 || config.Height <= 0 {
		return tensor.Tensor{}, "", fmt.Errorf("an image of %d×%d pixels; at most %d pixels are decoded", config.Width, config.Height, maxPixels)
	}
	l.open(int64(config.Width), int64(config.Height))
	n, err := normalizing(d, l, o)
	if err != nil {
		return tensor.Tensor{}, "", err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return tensor.Tensor{}, "", err
	}
	img, _, err := image.Decode(r)
	if err != nil {
		return tensor.Tensor{}, "", err
	}
	if b := img.Bounds(); b.Dx() != config.Width || b.Dy() != config.Height {
		return tensor.Tensor{}, "", fmt.Errorf("an image of %d×%d pixels whose header says %d×%d", b.Dx(), b.Dy(), config.Width, config.Height)
	}
	used, err := cropped(img, int(l.width), int(l.height), o.Crop)
	if err != nil {
		return tensor.Tensor{}, "", err
	}
	t, lost, err := l.fill(d, resize(used, int(l.width), int(l.height), l.channels, o.BGR), n)
	return t, describe(img, used, l, n, o) + lost.String(), err
}

// normalization is how the channels are normalized, with a number for each.
type normalization struct {
	plain     bool // no normalization was requested
	scale     float64
	mean, std []float64
}

// normalizing returns the normalization that the options request, with defaults for what they leave
// out.
func normalizing(d tensor.DType, l layout, o Options) (normalization, error) {
	n := normalization{scale: o.Scale, plain: o.Scale == 0 && len(o.Mean) == 0 && len(o.Std) == 0}
	switch kind := d.Kind(); {
	case kind == tensor.KindString || kind == tensor.KindComplex || kind == tensor.KindBool || kind == tensor.KindNone:
		return n, fmt.Errorf("an image cannot be converted to %s", d)
	case n.scale == 0 && kind == tensor.KindFloat:
		n.scale = 1.0 / 255
	case n.scale == 0:
		n.scale = 1
	}
	var err error
	if n.mean, err = perChannel("mean", o.Mean, 0, l.channels); err != nil {
		return n, err
	}
	if n.std, err = perChannel("std", o.Std, 1, l.channels); err != nil {
		return n, err
	}
	if slices.Contains(n.std, 0) {
		return n, fmt.Errorf("std %v: must not be 0, because the pixels are divided by it", o.Std)
	}
	return n, nil
}

func perChannel(what string, given []float64, without float64, channels int) ([]float64, error) {
	switch len(given) {
	case 0:
		return slices.Repeat([]float64{without}, channels), nil
	case 1:
		return slices.Repeat(given, channels), nil
	case channels:
		return given, nil
	}
	return nil, fmt.Errorf("%s %v: the input has %d channels; give 1 number or %d", what, given, channels, channels)
}

// describe describes the conversion. used is the part of the image that is used.
func describe(img, used image.Image, l layout, n normalization, o Options) string {
	parts := []string{fmt.Sprintf("%d×%d", img.Bounds().Dx(), img.Bounds().Dy())}
	if used.Bounds() != img.Bounds() {
		parts[0] += fmt.Sprintf(" → %d×%d in the middle", used.Bounds().Dx(), used.Bounds().Dy())
	}
	if int64(used.Bounds().Dx()) != l.width || int64(used.Bounds().Dy()) != l.height {
		parts[0] += fmt.Sprintf(" → %d×%d bilinear", l.width, l.height)
	}
	parts = append(parts, colours(l.channels, o.BGR))
	if opaque, ok := img.(interface{ Opaque() bool }); ok && l.channels < 4 && !opaque.Opaque() {
		parts = append(parts, "transparency left out")
	}
	switch n.scale {
	case 1:
	case 1.0 / 255:
		parts = append(parts, "/255")
	default:
		parts = append(parts, fmt.Sprintf("×%g", n.scale))
	}
	if len(o.Mean) > 0 {
		parts = append(parts, fmt.Sprintf("mean %v", o.Mean))
	}
	if len(o.Std) > 0 {
		parts = append(parts, fmt.Sprintf("std %v", o.Std))
	}
	return strings.Join(append(parts, l.name), ", ")
}

func colours(channels int, bgr bool) string {
	name := map[int]string{1: "grey", 3: "RGB", 4: "RGBA"}[channels]
	if bgr && channels > 1 {
		return strings.Replace(name, "RGB", "BGR", 1)
	}
	return name
}
