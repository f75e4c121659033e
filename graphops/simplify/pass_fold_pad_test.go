package simplify

import (
	"strings"
	"testing"
)

// padded is an image in a frame of zeros.
const padded = `
	input x f32[1,2,5,5]
	init w f32[2,2,3,3] 1 2 3 4
	init p i64[8] 0 0 1 2 0 0 3 4
	init zero f32[] 0
	init least f32[] -inf
	h = Pad(x, p, zero)
	y = Conv(h, w)
	output y f32`

func TestFoldPad(t *testing.T) {
	conv := func(old, text string) string { return strings.Replace(padded, old, text, 1) }
	pool := func(kind, attributes string) string {
		return strings.NewReplacer("Conv(h, w)", kind+"(h) "+attributes, "0 0 1 2 0 0 3 4", "0 0 1 1 0 0 1 1").Replace(padded)
	}
	rectified := func(attributes string) string {
		return strings.Replace(pool("MaxPool", attributes), "h = Pad(x,", "r = Relu(x)\n h = Pad(r,", 1)
	}
	lowest := func(attributes string) string {
		return strings.Replace(pool("MaxPool", attributes), "p, zero", "p, least", 1)
	}
	testProducts(t, "fold-pad", map[string]productCase{
		"conv":       {text: padded, want: []string{"y = Conv(x, w) pads=[1,2,3,4]"}},
		"no value":   {text: conv("p, zero", "p"), want: []string{"y = Conv(x, w) pads=[1,2,3,4]"}},
		"attributes": {text: conv("p, zero)", "p, zero) mode='constant'"), want: []string{"y = Conv(x, w) pads=[1,2,3,4]"}},
		"both pad":   {text: conv("Conv(h, w)", "Conv(h, w) pads=[1,1,1,1] strides=[2,2]"), want: []string{"y = Conv(x, w) pads=[2,3,4,5] strides=[2,2]"}},
		"valid":      {text: conv("Conv(h, w)", "Conv(h, w) auto_pad='VALID'"), want: []string{"y = Conv(x, w) auto_pad='NOTSET' pads=[1,2,3,4]"}},
		"axes": {
			text: "opset 18\n" + conv("p i64[8] 0 0 1 2 0 0 3 4", "p i64[4] 1 2 3 4\n init _ i64[0]\n init a i64[2] -1 2") + "\n", why: "",
			want: []string{"h = Pad(x, p, zero)", "y = Conv(h, w)"},
		},
		"some axes": {
			text: "opset 18\n" + strings.Replace(conv("p i64[8] 0 0 1 2 0 0 3 4", "p i64[4] 1 2 3 4\n init a i64[2] -1 2"), "p, zero", "p, zero, a", 1),
			want: []string{"y = Conv(x, w) pads=[2,1,4,3]"},
		},
		"before version 11": {text: "opset 10\n" + conv("Pad(x, p, zero)", "Pad(x) pads=[0,0,1,2,0,0,3,4]"), want: []string{"y = Conv(x, w) pads=[1,2,3,4]"}},
		"average":           {text: pool("AveragePool", "kernel_shape=[3,3]"), want: []string{"y = AveragePool(x) kernel_shape=[3,3] pads=[1,1,1,1] count_include_pad=1"}},
		"average that counts": {
			text: pool("AveragePool", "kernel_shape=[4,4] pads=[1,0,0,0] count_include_pad=1"),
			want: []string{"y = AveragePool(x) kernel_shape=[4,4] pads=[2,1,1,1] count_include_pad=1"},
		},
		"maximum":           {text: lowest("kernel_shape=[2,2]"), want: []string{"y = MaxPool(x) kernel_shape=[2,2] pads=[1,1,1,1]"}},
		"rectified maximum": {text: rectified("kernel_shape=[3,3] strides=[2,2]"), want: []string{"r = Relu(x)", "y = MaxPool(r) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]"}},
		"maximum of both": {
			text: strings.Replace(pool("MaxPool", "kernel_shape=[2,2]"), "h = Pad(x,", "r = Relu(x)\n s = Sigmoid(x)\n c = Concat(r, s) axis=1\n h = Pad(c,", 1),
			want: []string{"r = Relu(x)", "s = Sigmoid(x)", "c = Concat(r, s) axis=1", "y = MaxPool(c) kernel_shape=[2,2] pads=[1,1,1,1]"},
		},
		// Near misses.
		"maximum of one":      {text: strings.Replace(pool("MaxPool", "kernel_shape=[2,2]"), "h = Pad(x,", "r = Relu(x)\n c = Concat(r, x) axis=1\n h = Pad(c,", 1), why: "may be a maximum"},
		"another value":       {text: conv("init zero f32[] 0", "init zero f32[] 1"), why: "is not 0"},
		"an unknown value":    {text: conv("init zero f32[] 0", "input zero f32[]"), why: "not a constant"},
		"unknown padding":     {text: conv("init p i64[8] 0 0 1 2 0 0 3 4", "input p i64[8]"), why: "not known"},
		"reflected":           {text: conv("p, zero)", "p, zero) mode='reflect'"), why: "elements of the image: reflect"},
		"the batch":           {text: conv("0 0 1 2 0 0", "1 0 1 2 0 0"), why: "batch or the channels"},
		"the channels":        {text: conv("0 0 3 4", "0 1 3 4"), why: "batch or the channels"},
		"crops":               {text: conv("0 0 1 2", "0 0 -1 2"), why: "crops"},
		"beyond reason":       {text: conv("0 0 1 2", "0 0 9223372036854775807 2"), why: "larger than an image"},
		"same size":           {text: conv("Conv(h, w)", "Conv(h, w) auto_pad='SAME_UPPER'"), why: "depends on the size"},
		"another reader":      {text: padded + "\n output h f32", why: "read elsewhere"},
		"weights":             {text: conv("Conv(h, w)", "Conv(x, h)")},
		"average of its own":  {text: pool("AveragePool", "kernel_shape=[4,4] pads=[1,0,0,0]"), why: "does not count its own"},
		"average, rounded up": {text: pool("AveragePool", "kernel_shape=[3,3] ceil_mode=1"), why: "end outside of the image"},
		"average, gaps":       {text: "opset 19\n" + pool("AveragePool", "kernel_shape=[3,3] dilations=[2,2]"), why: "gaps"},
		"average of ones":     {text: strings.Replace(pool("AveragePool", "kernel_shape=[3,3]"), "init zero f32[] 0", "init zero f32[] 1", 1), why: "is not 0"},
		"maximum with zeros":  {text: pool("MaxPool", "kernel_shape=[3,3]"), why: "may be a maximum"},
		"nothing but frame":   {text: lowest("kernel_shape=[1,1]"), why: "only padding"},
		"maximum, gaps":       {text: lowest("kernel_shape=[3,3] dilations=[2,2]"), why: "gaps"},
		"indices":             {text: strings.Replace(lowest("kernel_shape=[3,3]"), "y = Max", "y, i = Max", 1) + "\n output i i64", why: "indices"},
	})
}
