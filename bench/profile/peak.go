package profile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/graphops/tensor"
)

// Probe is a model whose time tells what a machine reaches.
type Probe struct {
	// Elem is the type of the products; "" for the copy.
	Elem  string
	Model *graphops.Model
	Feeds graphops.Feeds
	// Amount is what a run does: operations, or bytes that it reads and writes.
	Amount float64
}

// Sizes of the probes. On the host the product of matrices of 512² takes a few
// milliseconds of one thread, so that another program may not come in between; that of
// 1024², 2 GFLOP on 12 MiB, is work enough for many. A device needs more at once to be
// busy. The copy reads and writes 128 MiB each, which few caches hold.
var (
	probeSides       = []int64{512, 1024}
	probeSidesDevice = []int64{4096}
)

const probeElements = 1 << 25

// copyElem is the key of the probe that copies.
const copyElem = ""

// Probes are those of a type of elements, "" for the copy, for the host or for a device.
// The best of them counts. A type may have none.
func Probes(elem string, onDevice bool) ([]*Probe, error) {
	if elem == copyElem {
		p, err := copyProbe()
		return []*Probe{p}, err
	}
	sides := probeSides
	if onDevice {
		sides = probeSidesDevice
	}
	var out []*Probe
	for _, n := range sides {
		p, err := productOf(elem, n)
		if p == nil || err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// productOf is the probe of a type with matrices of n by n; nil where it has none.
func productOf(elem string, n int64) (*Probe, error) {
	switch elem {
	case elemF32:
		return productProbe(elem, n, "float", "float", "MatMul", tensor.F32)
	case elemF16:
		return productProbe(elem, n, "float16", "float16", "MatMul", tensor.F16)
	case elemI8:
		return productProbe(elem, n, "uint8", "int32", "MatMulInteger", tensor.I8)
	}
	return nil, nil
}

// copyProbe negates what no cache holds: a copy with as little arithmetic as there is.
func copyProbe() (*Probe, error) {
	m, err := onnxtext.Parse(fmt.Sprintf(`<ir_version: 8, opset_import: ["" : 17]> copy (float[%d] x) => (float[%d] y) { y = Neg(x) }`, probeElements, probeElements))
	if err != nil {
		return nil, err
	}
	x := tensor.Tensor{DType: tensor.F32, Shape: []int64{probeElements}, Data: pattern(tensor.F32, probeElements)}
	return &Probe{Elem: copyElem, Model: m, Feeds: graphops.Feeds{"x": graphops.TensorValue(x)}, Amount: 2 * 4 * probeElements}, nil
}

// productProbe multiplies by a constant matrix, as layers do.
func productProbe(elem string, n int64, of, to, op string, weight tensor.DType) (*Probe, error) {
	m, err := onnxtext.Parse(fmt.Sprintf(`<ir_version: 8, opset_import: ["" : 17]> product (%s[%d,%d] x) => (%s[%d,%d] y) { y = %s(x, w) }`, of, n, n, to, n, n, op))
	if err != nil {
		return nil, err
	}
	e := graphops.EditGraph(m.Graph())
	e.Initializers = append(e.Initializers, graphops.NewTensor("w", weight, []int64{n, n}, graphops.BytesPayload(pattern(weight, int(n*n)))))
	m = m.WithGraph(m.Places()[0], e.Graph())
	x := tensor.Tensor{DType: weight, Shape: []int64{n, n}}
	if weight == tensor.I8 {
		x.DType = tensor.U8
	}
	x.Data = pattern(x.DType, int(n*n))
	return &Probe{Elem: elem, Model: m, Feeds: graphops.Feeds{"x": graphops.TensorValue(x)}, Amount: 2 * float64(n) * float64(n) * float64(n)}, nil
}

// pattern is n elements between -1 and 1, or small integers, none of them denormal.
func pattern(d tensor.DType, n int) []byte {
	const block = 1 << 16 // that repeats
	if n > block && n%block == 0 {
		return bytes.Repeat(pattern(d, block), n/block)
	}
	var out []byte
	state := uint32(1)
	for range n {
		state = state*1664525 + 1013904223
		k := state >> 24 // 0 to 255
		switch d {
		case tensor.F32:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(k)/256+1.0/512-0.5))
		case tensor.F16:
			out = binary.LittleEndian.AppendUint16(out, uint16(0x3000|k<<2|(k&1)<<15)) // 0.125 to 0.25, with a sign
		default:
			out = append(out, byte(k%16))
		}
	}
	return out
}

// Raise notes what a probe reached in a time in microseconds, if that is more than is
// known: another program slows a probe down, and none makes it faster.
func (p *Peak) Raise(probe *Probe, us float64) {
	rate := probe.Amount / us / 1e3
	if probe.Elem == copyElem {
		p.GBPS = max(p.GBPS, rate)
		return
	}
	if p.GFLOPS == nil {
		p.GFLOPS = map[string]float64{}
	}
	p.GFLOPS[probe.Elem] = max(p.GFLOPS[probe.Elem], rate)
}

// Lacks are the types of elements among those wanted that the peak knows nothing of, the
// copy among them.
func (p *Peak) Lacks(elems []string) []string {
	var out []string
	if p.GBPS == 0 {
		out = append(out, copyElem)
	}
	for _, e := range elems {
		if _, known := p.GFLOPS[e]; !known && (e == elemF32 || e == elemF16 || e == elemI8) {
			out = append(out, e)
		}
	}
	return out
}

// Types are the element types that the nodes which multiply do so in.
func (r *Result) Types() []string {
	var out []string
	for _, n := range r.Nodes {
		if n.Elem != "" && !slices.Contains(out, n.Elem) {
			out = append(out, n.Elem)
		}
	}
	slices.Sort(out)
	return out
}

// Beaten are the types with which a node does more than their peak, by more than a peak
// differs from one time to another.
func (r *Result) Beaten() []string {
	const apart = 1.05
	var out []string
	for _, n := range r.Nodes {
		if n.GFLOPS == nil || r.Peak == nil || n.US < certainUS || slices.Contains(out, n.Elem) {
			continue
		}
		if peak := r.Peak.GFLOPS[n.Elem]; peak > 0 && float64(*n.GFLOPS) > apart*peak {
			out = append(out, n.Elem)
		}
	}
	return out
}

// certainUS is how long a node takes whose time is known to a hundredth, the clock being
// cut to whole microseconds.
const certainUS = 100
