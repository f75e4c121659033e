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

// Probe is a small model that is run to measure which rate of operations, or of memory access, a
// machine can reach.
type Probe struct {
	// Elem is the element type of the matrices that the probe multiplies. It is empty for the probe
	// that copies.
	Elem  string
	Model *graphops.Model
	Feeds graphops.Feeds
	// Amount is the work of one run: the number of operations, or of bytes read and written.
	Amount float64
}

// Sizes of the probes. On the host the product of 512² matrices takes a few milliseconds with
// one thread, short enough that other programs rarely interrupt it. The product of 1024² matrices,
// 2 GFLOP on 12 MiB, is enough work for many threads. A fast device needs more work at once, and a
// device in software takes minutes for so much. So its probes grow until one of them takes as long as
// EnoughUS. The copy reads and writes 128 MiB each, more than most caches can hold.
var (
	probeSides       = []int64{512, 1024}
	probeSidesDevice = []int64{512, 1024, 2048, 4096}
)

// EnoughUS is the time of a probe on a device, in microseconds, after which a larger probe would not
// show a higher rate.
const EnoughUS = 2000

const probeElements = 1 << 25

// copyElem is used in place of an element type for the probe that copies.
const copyElem = ""

// Probes returns the probes for an element type, or for copying if elem is empty, on the host or on
// a device, the smallest first. The highest rate that one of them reaches is the peak. For a type
// without probes the result is empty.
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

// productOf returns the probe that multiplies n×n matrices of a type, or nil if the type has no
// probe.
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

// copyProbe returns a probe that negates an array larger than most caches, which is a copy with
// minimal arithmetic.
func copyProbe() (*Probe, error) {
	m, err := onnxtext.Parse(fmt.Sprintf(`<ir_version: 8, opset_import: ["" : 17]> copy (float[%d] x) => (float[%d] y) { y = Neg(x) }`, probeElements, probeElements))
	if err != nil {
		return nil, err
	}
	x := tensor.Tensor{DType: tensor.F32, Shape: []int64{probeElements}, Data: pattern(tensor.F32, probeElements)}
	return &Probe{Elem: copyElem, Model: m, Feeds: graphops.Feeds{"x": graphops.TensorValue(x)}, Amount: 2 * 4 * probeElements}, nil
}

// productProbe returns a probe that multiplies its input by a constant matrix, as layers do. of and
// to are the element types of input and output in ONNX's text format, and op is the operator.
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

// pattern returns the bytes of n elements of type d: floating-point numbers between -1 and 1, or
// small integers. None is subnormal, because arithmetic with subnormal numbers is slow.
func pattern(d tensor.DType, n int) []byte {
	const block = 1 << 16 // size of the repeated block
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
			// a number with an absolute value from 0.125 to 0.25
			out = binary.LittleEndian.AppendUint16(out, uint16(0x3000|k<<2|(k&1)<<15))
		default:
			out = append(out, byte(k%16))
		}
	}
	return out
}

// Raise records the rate that a probe reached in us microseconds if it is higher than the known
// one. Other programs can slow a probe down, but nothing makes it faster.
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

// RaiseBy records the memory bandwidth that a node reached if it is higher than the known one, and
// reports whether that changed it. Only nodes that move more than caches hold count. Rates of
// arithmetic do not: some algorithms need fewer operations than are counted.
func (p *Peak) RaiseBy(r *Result) (changed bool) {
	for _, n := range r.Nodes {
		if n.GBPS == nil || n.Calls <= 0 || float64(n.Bytes)/float64(n.Calls) < beyondCaches || n.Unsure {
			continue
		}
		if rate := float64(*n.GBPS); p.GBPS > 0 && rate > p.GBPS {
			p.GBPS, changed = rate, true
		}
	}
	return changed
}

// beyondCaches is the number of bytes of one call from which caches cannot hold them.
const beyondCaches = 64 << 20

// Lacks returns which of the given element types have probes but no measured peak. The result
// contains copyElem if the bandwidth was not measured.
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

// Types returns the element types of the nodes that do multiply-accumulates, sorted.
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

// Beaten returns the types for which a node was faster than the measured peak, by more than
// measurements vary. For these the peak should be measured again.
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

// certainUS is the time in microseconds from which a node's time is accurate to one percent,
// because the runtime cuts times to whole microseconds.
const certainUS = 100
