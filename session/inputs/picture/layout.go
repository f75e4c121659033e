package picture

import (
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// layout says what each axis of an input means.
type layout struct {
	name          string // "NCHW", "HWC", "HW"
	shape         graphops.Shape
	channels      int
	width, height int64 // -1 if the shape leaves them open
}

// layoutOf finds out which axis of a shape is which. The axis of the channels has size 1, 3 or 4.
// If that does not decide, asked must be "nchw" or "nhwc".
func layoutOf(s graphops.Shape, asked string) (layout, error) {
	if s == nil && asked != "" {
		s = graphops.Shape{graphops.FixedDim(1), {Value: -1}, {Value: -1}, {Value: -1}}
	}
	names := map[int][]string{2: {"HW"}, 3: {"CHW", "HWC"}, 4: {"NCHW", "NHWC"}}[len(s)]
	if names == nil {
		return layout{}, fmt.Errorf("an image has 2 to 4 axes, the input has shape %s", s)
	}
	var fitting []layout
	certain := -1
	for _, name := range names {
		if asked != "" && len(s) > 2 && !strings.HasSuffix(strings.ToUpper(asked), name) {
			continue
		}
		if l, err := newLayout(name, s); err == nil {
			if c := strings.IndexByte(name, 'C'); c >= 0 && s[c].IsFixed() {
				certain = len(fitting)
			}
			fitting = append(fitting, l)
		} else if len(names) == 1 || asked != "" {
			return layout{}, err
		}
	}
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) == 0:
		return layout{}, fmt.Errorf("no axis of the shape %s holds 1, 3 or 4 channels", s)
	case certain >= 0 && !bothCertain(fitting):
		return fitting[certain], nil
	}
	return layout{}, fmt.Errorf("the shape %s does not show which axis holds the channels; give --layout nchw or nhwc", s)
}

func bothCertain(fitting []layout) bool {
	for _, l := range fitting {
		if !l.shape[strings.IndexByte(l.name, 'C')].IsFixed() {
			return false
		}
	}
	return true
}

func newLayout(name string, s graphops.Shape) (layout, error) {
	l := layout{name: name, shape: s, channels: 1}
	for i, axis := range name {
		switch d := s[i]; {
		case axis == 'N' && d.IsFixed() && d.Value != 1:
			return l, fmt.Errorf("the input takes %d images at once; give them as an array", d.Value)
		case axis == 'C' && !d.IsFixed():
			l.channels = 3
		case axis == 'C' && d.Value != 1 && d.Value != 3 && d.Value != 4:
			return l, fmt.Errorf("the input has %d channels in layout %s; an image has 1, 3 or 4", d.Value, name)
		case axis == 'C':
			l.channels = int(d.Value)
		case axis == 'H':
			l.height = d.Value
		case axis == 'W':
			l.width = d.Value
		}
	}
	return l, nil
}

// open sets the height and width to those of the image, if the shape does not fix them.
func (l *layout) open(width, height int64) {
	if l.width < 0 {
		l.width = width
	}
	if l.height < 0 {
		l.height = height
	}
}

// fill normalizes pixels and stores them in the order of the layout. pixels has the rows one after
// another, with the channels of each pixel next to each other. The loss says what an integer type
// could not represent.
func (l layout) fill(d tensor.DType, pixels []float32, n normalization) (tensor.Tensor, loss, error) {
	if pixels == nil {
		return tensor.Tensor{}, loss{}, errors.New("the input's height or width is 0 or too large for an image")
	}
	values := make([]float64, len(pixels))
	area := len(pixels) / l.channels
	planes := strings.HasSuffix(l.name, "CHW")
	for i, x := range pixels {
		at, c := i, i%l.channels
		if planes {
			at = c*area + i/l.channels
		}
		values[at] = (float64(x)*n.scale - n.mean[c]) / n.std[c]
	}
	t, err := tensor.FromFloat64s(d, values, l.sizes()...)
	if err != nil || d.Kind() == tensor.KindFloat || n.plain {
		return t, loss{}, err
	}
	lost, err := lossOf(values, t)
	return t, lost, err
}

func (l layout) sizes() []int64 {
	var out []int64
	for _, axis := range l.name {
		out = append(out, map[rune]int64{'N': 1, 'C': int64(l.channels), 'H': l.height, 'W': l.width}[axis])
	}
	return out
}
