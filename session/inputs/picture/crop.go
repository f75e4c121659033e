package picture

import (
	"fmt"
	"image"
	"math"
)

// cropped returns the part of an image around its centre that has the shape width × height, with the
// largest possible sides multiplied by fraction. If fraction is 0, it returns the whole image.
//
// That is the same part, up to less than a pixel, as if the image were resized first and cut then. For
// ImageNet, a shorter side of 256 and a cut of 224 are usual: a fraction of 0.875.
func cropped(img image.Image, width, height int, fraction float64) (image.Image, error) {
	if fraction == 0 || width <= 0 || height <= 0 {
		return img, nil
	}
	if !(fraction > 0 && fraction <= 1) {
		return nil, fmt.Errorf("crop %v: expected a fraction above 0 and at most 1", fraction)
	}
	part, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok {
		return nil, fmt.Errorf("crop: images of type %T cannot be cut", img)
	}
	b := img.Bounds()
	scale := fraction * math.Min(float64(b.Dx())/float64(width), float64(b.Dy())/float64(height))
	side := func(n, most int) int { return min(max(int(math.Round(scale*float64(n))), 1), most) }
	w, h := side(width, b.Dx()), side(height, b.Dy())
	at := image.Pt(b.Min.X+(b.Dx()-w)/2, b.Min.Y+(b.Dy()-h)/2)
	return part.SubImage(image.Rectangle{at, at.Add(image.Pt(w, h))}), nil
}
