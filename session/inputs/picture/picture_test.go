package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// axes returns a shape. -1 means a size that is not fixed.
func axes(dims ...int64) graphops.Shape {
	s := graphops.Shape{}
	for _, d := range dims {
		s = append(s, graphops.Dim{Value: d})
	}
	return s
}

// flag returns an image of 2×1 pixels, orange and blue.
func flag() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 102, 0, 255})
	img.SetNRGBA(1, 0, color.NRGBA{0, 51, 204, 255})
	return img
}

func encodePNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRead(t *testing.T) {
	raw := encodePNG(t, flag())
	tests := []struct {
		name  string
		dtype tensor.DType
		shape graphops.Shape
		o     Options
		sizes string
		want  []float64
		done  string
	}{
		{"planes", tensor.F32, axes(1, 3, 1, 2), Options{}, "1×3×1×2", []float64{1, 0, .4, .2, 0, .8}, "2×1, RGB, /255, NCHW"},
		{"side by side", tensor.F32, axes(-1, -1, -1, 3), Options{}, "1×1×2×3", []float64{1, .4, 0, 0, .2, .8}, "2×1, RGB, /255, NHWC"},
		{"as they are", tensor.U8, axes(-1, -1, 3), Options{}, "1×2×3", []float64{255, 102, 0, 0, 51, 204}, "2×1, RGB, HWC"},
		{"blue first", tensor.U8, axes(3, -1, -1), Options{BGR: true}, "3×1×2", []float64{0, 204, 102, 51, 255, 0}, "2×1, BGR, CHW"},
		{"grey", tensor.U8, axes(1, 1, 1, 2), Options{Layout: "nchw"}, "1×1×1×2", []float64{136, 53}, "2×1, grey, NCHW"},
		{"no channels", tensor.U8, axes(1, 2), Options{Layout: "nchw"}, "1×2", []float64{136, 53}, "2×1, grey, HW"},
		{"opacity", tensor.U8, axes(-1, -1, 4), Options{}, "1×2×4", []float64{255, 102, 0, 255, 0, 51, 204, 255}, "2×1, RGBA, HWC"},
		{
			"normalized", tensor.F32, axes(1, 3, -1, -1),
			Options{Mean: []float64{.5}, Std: []float64{.5, 1, .1}},
			"1×3×1×2",
			[]float64{1, -1, -.1, -.3, -5, 3},
			"2×1, RGB, /255, mean [0.5], std [0.5 1 0.1], NCHW",
		},
		{"scaled", tensor.F64, axes(-1, -1, 3), Options{Scale: 2, Mean: []float64{1}}, "1×2×3", []float64{509, 203, -1, -1, 101, 407}, "2×1, RGB, ×2, mean [1], HWC"},
		{"smaller", tensor.F32, axes(1, 3, 1, 1), Options{Layout: "nchw"}, "1×3×1×1", []float64{.5, .3, .4}, "2×1 → 1×1 bilinear, RGB, /255, NCHW"},
		{"larger", tensor.U8, axes(2, 4, 3), Options{}, "2×4×3", []float64{
			255, 102, 0, 191, 89, 51, 64, 64, 153, 0, 51, 204, 255, 102, 0, 191, 89, 51, 64, 64, 153, 0, 51, 204,
		}, "2×1 → 4×2 bilinear, RGB, HWC"},
		{
			"whole numbers that lose", tensor.U8, axes(-1, -1, 3),
			Options{Mean: []float64{.5, 0, 10}},
			"1×2×3",
			[]float64{254, 102, 0, 0, 51, 194},
			"2×1, RGB, mean [0.5 0 10], HWC, 2 of 6 values rounded to u8, 1 of 6 values cut to the range of u8",
		},
		{"whole numbers that lose nothing", tensor.I16, axes(-1, -1, 3), Options{Mean: []float64{128}}, "1×2×3", []float64{127, -26, -128, -128, -77, 76}, "2×1, RGB, mean [128], HWC"},
		{"unknown rank", tensor.U8, nil, Options{Layout: "nhwc"}, "1×1×2×3", []float64{255, 102, 0, 0, 51, 204}, "2×1, RGB, NHWC"},
	}
	for _, c := range tests {
		got, done, err := read(bytes.NewReader(raw), c.dtype, c.shape, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		values, err := got.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		if sizes := tensor.FormatShape(got.Shape); sizes != c.sizes || done != c.done || len(values) != len(c.want) {
			t.Errorf("%s: %s %q of %d, want %s %q of %d", c.name, sizes, done, len(values), c.sizes, c.done, len(c.want))
			continue
		}
		for i, x := range values {
			if math.Abs(x-c.want[i]) > 1e-6*max(1, math.Abs(x)) {
				t.Errorf("%s: got %v, want %v", c.name, values, c.want)
				break
			}
		}
	}
}

// TestReadDepths reads images with 16 bits per channel, with transparency and with a palette, and a
// JPEG.
func TestReadDepths(t *testing.T) {
	deep := image.NewGray16(image.Rect(0, 0, 1, 1))
	deep.SetGray16(0, 0, color.Gray16{Y: 257*100 + 64})
	glass := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	glass.SetNRGBA(0, 0, color.NRGBA{200, 100, 50, 10})
	palette := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.NRGBA{1, 2, 3, 255}})
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 4, 4)), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		want []float64
		done string
	}{
		{"16 bits", encodePNG(t, deep), []float64{100.24902, 100.24902, 100.24902}, "1×1, RGB, HWC"},
		{"transparent", encodePNG(t, glass), []float64{200, 100, 50}, "1×1, RGB, transparency left out, HWC"},
		{"palette", encodePNG(t, palette), []float64{1, 2, 3}, "1×1, RGB, HWC"},
		{"jpeg", photo.Bytes(), []float64{0, 0, 0}, "4×4 → 1×1 bilinear, RGB, HWC"},
	} {
		got, done, err := read(bytes.NewReader(c.raw), tensor.F32, axes(1, 1, 3), Options{Scale: 1, Layout: "nhwc"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		values, _ := got.Float64s()
		for i := range values {
			values[i] = math.Round(values[i]*1e5) / 1e5
		}
		if diff := cmp.Diff(c.want, values); diff != "" || done != c.done {
			t.Errorf("%s: %q\n%s", c.name, done, diff)
		}
	}
}

// hugePNG returns the beginning of a PNG file whose header claims this size.
func hugePNG(width, height uint32) []byte {
	head := append([]byte("IHDR"), 0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0)
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	raw := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(head))
}

func TestRefuses(t *testing.T) {
	raw := encodePNG(t, flag())
	rgb := axes(1, 3, -1, -1)
	tests := []struct {
		name  string
		raw   []byte
		dtype tensor.DType
		shape graphops.Shape
		o     Options
		text  string
	}{
		{"huge", hugePNG(100_000, 100_000), tensor.F32, rgb, Options{}, "100000×100000 pixels; at most"},
		{"cut off", raw[:len(raw)/2], tensor.F32, rgb, Options{}, "EOF"},
		{"no image", []byte("hello"), tensor.F32, rgb, Options{}, "not a PNG or JPEG image"},
		{"empty", nil, tensor.F32, rgb, Options{}, "not a PNG or JPEG image"},
		{"huge input", raw, tensor.F32, axes(1, 3, 1<<40, 1<<40), Options{}, "too large"},
		{"wide input", raw, tensor.F32, axes(1, 3, 1, 1<<27), Options{}, "too large"},
		{"empty input", raw, tensor.F32, axes(1, 3, 0, 5), Options{}, "height or width is 0"},
		{"batch", raw, tensor.F32, axes(8, 3, 4, 4), Options{Layout: "nchw"}, "8 images at once"},
		{"channels", raw, tensor.F32, axes(1, 2, 5, 5), Options{}, "no axis of the shape 1×2×5×5 holds 1, 3 or 4 channels"},
		{"asked channels", raw, tensor.F32, axes(1, 5, 5, 3), Options{Layout: "nchw"}, "5 channels in layout NCHW"},
		{"either", raw, tensor.F32, axes(1, 3, 5, 3), Options{}, "give --layout"},
		{"neither", raw, tensor.F32, axes(1, -1, -1, -1), Options{}, "give --layout"},
		{"rank", raw, tensor.F32, axes(5), Options{}, "2 to 4 axes"},
		{"unknown rank", raw, tensor.F32, nil, Options{}, "2 to 4 axes"},
		{"text", raw, tensor.String, rgb, Options{}, "cannot be converted to str"},
		{"means", raw, tensor.F32, rgb, Options{Mean: []float64{1, 2}}, "give 1 number or 3"},
		{"std", raw, tensor.F32, rgb, Options{Std: []float64{0}}, "the pixels are divided by it"},
	}
	for _, c := range tests {
		_, _, err := read(bytes.NewReader(c.raw), c.dtype, c.shape, c.o)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flag.png")
	if err := os.WriteFile(path, encodePNG(t, flag()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, done, err := Open(path, tensor.U8, axes(-1, -1, 3), Options{}); err != nil || done != "flag.png 2×1, RGB, HWC" {
		t.Errorf("%q, %v", done, err)
	}
	if _, _, err := Open(filepath.Dir(path), tensor.U8, axes(-1, -1, 3), Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestWindows checks that the weights of each new pixel add up to 1 and are within the line.
func TestWindows(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {640, 224}, {224, 640}, {5, 5}, {1000, 3}} {
		for i, w := range windows(c[0], c[1]) {
			sum := float32(0)
			for _, x := range w.weights {
				sum += x
			}
			if math.Abs(float64(sum)-1) > 1e-5 || w.first < 0 || w.first+len(w.weights) > c[0] {
				t.Errorf("%v at %d: %v", c, i, w)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encodePNG(f, flag()), uint8(0))
	f.Add(hugePNG(1<<31-1, 1<<31-1), uint8(1))
	f.Add(hugePNG(1, 1), uint8(2))
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, flag(), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(photo.Bytes(), uint8(3))
	shapes := []graphops.Shape{axes(1, 3, 8, 8), axes(-1, -1, 4), axes(1, 16, 16, 1), axes(3, 5)}
	f.Fuzz(func(t *testing.T, raw []byte, shape uint8) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(raw)); err == nil && config.Width*config.Height > 1<<16 && config.Width*config.Height <= maxPixels {
			t.Skip("slow and nothing new")
		}
		got, _, err := read(bytes.NewReader(raw), tensor.F32, shapes[int(shape)%len(shapes)], Options{})
		if err == nil {
			err = got.Check()
			if err != nil {
				t.Error(err)
			}
		}
	})
}
