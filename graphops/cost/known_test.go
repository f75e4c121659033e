package cost_test

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
)

// TestKnownModels counts networks by the sizes of the layers that they were made of,
// which testdata/make has.
func TestKnownModels(t *testing.T) {
	const width = 32
	for _, c := range []struct {
		file  string
		sizes map[string]int64
		macs  int64
		peak  int64
	}{
		// 8×8 positions, halved before the second convolution, of 3×3 kernels; then two
		// layers. At the peak the input and the first convolution's result, twice.
		{"digits.onnx", nil, 8*8*16*9 + 4*4*32*16*9 + 32*4*4*256 + 256*10, 4 * (8*8 + 2*16*8*8)},
		{"digits_batch1.onnx", nil, 8*8*16*9 + 4*4*32*16*9 + 32*4*4*256 + 256*10, 4 * (8*8 + 2*16*8*8)},
		// A stem, three residual blocks up to four times the width and down again, a head. At
		// the peak the input, what the residual keeps, and the wide layer, twice.
		{"mlp_dynamo.onnx", map[string]int64{"batch": 3}, 3 * (16*width + 3*2*4*width*width + width*4), 3 * 4 * (16 + width + 2*4*width)},
		// Rows of an embedding of 32, layers of 48 and 8.
		{"gather_mlp.onnx", map[string]int64{"batch": 5}, 5 * (32*48 + 48*8), 5 * (8 + 2*4*48)},
	} {
		m, err := graphops.Open(filepath.Join("../../testdata", c.file), graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := analyze(t, m).At(c.sizes)
		if got, whole := r.Total().MACs.Whole(); !whole || !got.Is(c.macs) {
			t.Errorf("%s: %s MACs, want %d", c.file, got, c.macs)
		}
		line, err := cost.Memory(r, c.sizes)
		if err != nil || line.Peak != c.peak || line.Unknown != 0 {
			t.Errorf("%s: a peak of %d bytes, %d values unknown, %v; want %d", c.file, line.Peak, line.Unknown, err, c.peak)
		}
	}
}
