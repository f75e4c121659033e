package picture

import (
	"image"
	"strings"
	"testing"
)

// TestCropped: the part is around the centre, has the shape of the input, and is never empty.
func TestCropped(t *testing.T) {
	for _, c := range []struct {
		from          image.Rectangle
		width, height int
		fraction      float64
		want          image.Rectangle
	}{
		{image.Rect(0, 0, 640, 480), 224, 224, 0, image.Rect(0, 0, 640, 480)},
		{image.Rect(0, 0, 640, 480), 224, 224, 1, image.Rect(80, 0, 560, 480)},
		{image.Rect(0, 0, 640, 480), 224, 224, 0.875, image.Rect(110, 30, 530, 450)},
		{image.Rect(0, 0, 480, 640), 100, 200, 1, image.Rect(80, 0, 400, 640)},
		{image.Rect(10, 20, 20, 30), 5, 5, 0.5, image.Rect(12, 22, 17, 27)},
		{image.Rect(0, 0, 3, 1000), 7, 7, 0.01, image.Rect(1, 499, 2, 500)},
		{image.Rect(0, 0, 1, 1), 1, 100, 1, image.Rect(0, 0, 1, 1)},
	} {
		got, err := cropped(image.NewGray(c.from), c.width, c.height, c.fraction)
		if err != nil || got.Bounds() != c.want {
			t.Errorf("%v to %d×%d, %v: got %v, %v, expected %v", c.from, c.width, c.height, c.fraction, got.Bounds(), err, c.want)
		}
	}
	if _, err := cropped(image.NewGray(image.Rect(0, 0, 2, 2)), 1, 1, 1.5); err == nil || !strings.Contains(err.Error(), "crop 1.5: expected a fraction above 0 and at most 1") {
		t.Errorf("got %v", err)
	}
}
