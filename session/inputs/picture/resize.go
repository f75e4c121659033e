package picture

import (
	"image"
	"image/color"
	"math"
	"math/bits"
)

// resize scales an image and returns its pixels, with channel values from 0 to 255. It interpolates
// bilinearly. When it shrinks the image, each new pixel is an average over all pixels that it
// covers. The result is nil if the new size is not valid.
func resize(img image.Image, width, height, channels int, bgr bool) []float32 {
	b := img.Bounds()
	// The width is changed first. The intermediate image has the new width and the old height.
	hi, size := bits.Mul64(uint64(max(width, 0)), uint64(max(height, b.Dy(), 0))*uint64(channels))
	if width <= 0 || height <= 0 || hi != 0 || size > maxElements {
		return nil
	}
	across, down := windows(b.Dx(), width), windows(b.Dy(), height)
	narrow := make([]float32, b.Dy()*width*channels)
	line := make([]float32, b.Dx()*channels)
	for y := range b.Dy() {
		readLine(img, b.Min.Y+y, line, channels, bgr)
		for x, w := range across {
			for c := range channels {
				narrow[(y*width+x)*channels+c] = w.sum(line, channels, c)
			}
		}
	}
	out := make([]float32, height*width*channels)
	stride := width * channels
	for y, w := range down {
		for i := range stride {
			out[y*stride+i] = w.sum(narrow, stride, i)
		}
	}
	return out
}

// window has the weights with which neighbouring pixels of a line form one new pixel. first is the
// position of the first of them.
type window struct {
	first   int
	weights []float32
}

func (w window) sum(values []float32, stride, offset int) float32 {
	s := float32(0)
	for i, x := range w.weights {
		s += x * values[(w.first+i)*stride+offset]
	}
	return s
}

// windows returns the weights for scaling a line of from pixels to a line of to pixels. The weights
// of each new pixel form a triangle around it. When enlarging, the triangle is two old pixels wide,
// and when shrinking, two new ones.
func windows(from, to int) []window {
	scale := float64(from) / float64(to)
	reach := max(scale, 1)
	out := make([]window, to)
	for i := range out {
		centre := (float64(i) + 0.5) * scale
		lo, hi := max(int(centre-reach+0.5), 0), min(int(centre+reach+0.5), from)
		weights := make([]float32, hi-lo)
		sum := 0.0
		for j := range weights {
			w := max(0, 1-math.Abs((float64(lo+j)+0.5-centre)/reach))
			weights[j] = float32(w)
			sum += w
		}
		for j := range weights {
			weights[j] /= float32(sum)
		}
		out[i] = window{lo, weights}
	}
	return out
}

// readLine reads one line of an image: red, green, blue and perhaps opacity, or a single channel of
// brightness. An image with 16 bits per channel gives fractions; other images give integers.
func readLine(img image.Image, y int, line []float32, channels int, bgr bool) {
	deep := false
	switch img.ColorModel() {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		deep = true
	}
	b := img.Bounds()
	for x := range b.Dx() {
		p := pixel(img.At(b.Min.X+x, y), deep)
		if channels == 1 {
			line[x] = 0.299*p[0] + 0.587*p[1] + 0.114*p[2]
			continue
		}
		if bgr {
			p[0], p[2] = p[2], p[0]
		}
		copy(line[x*channels:], p[:channels])
	}
}

// pixel returns red, green, blue and opacity, each from 0 to 255. The colours are not multiplied by
// the opacity. deep is set for images with 16 bits per channel.
func pixel(c color.Color, deep bool) [4]float32 {
	if deep {
		v := color.NRGBA64Model.Convert(c).(color.NRGBA64)
		return [4]float32{float32(v.R) / 257, float32(v.G) / 257, float32(v.B) / 257, float32(v.A) / 257}
	}
	v := color.NRGBAModel.Convert(c).(color.NRGBA)
	return [4]float32{float32(v.R), float32(v.G), float32(v.B), float32(v.A)}
}
