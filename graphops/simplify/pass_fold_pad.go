package simplify

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var foldPad = &pass{
	name:   "fold-pad",
	title:  "a Pad before a convolution or a pool becomes part of the padding of that node",
	reason: "both add the same elements around the image: zeros, or, before a MaxPool, elements that are never the maximum; only rounding differs",
	ops:    []string{"Conv", "MaxPool", "AveragePool"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("Conv", "MaxPool", "AveragePool") || n.In(0) == nil {
			return ""
		}
		pad := n.In(0).Producer()
		if !pad.Is("Pad") || pad.In(0) == nil || pad.Graph() != n.Graph() {
			return ""
		}
		why := "its output is also read elsewhere"
		if pad.Out(0).Reader() == n {
			why = takePad(n, pad)
		}
		if why != "" {
			j.refuse(pad, why)
			return ""
		}
		n.SetInput(0, pad.In(0))
		n.Stands(pad)
		pad.Remove()
		return "into " + n.Op()
	},
}

// maxPad is the maximum padding that is considered, so that sums do not overflow.
const maxPad = math.MaxInt32

// takePad adds the padding of the Pad before a node to the node's own padding, or returns the
// reason why it cannot.
func takePad(n, pad *rewrite.Node) (why string) {
	p, value, why := padding(pad)
	if why != "" {
		return why
	}
	rank := len(p) / 2
	for i := range rank {
		switch begin, end := p[i], p[rank+i]; {
		case i < 2 && (begin != 0 || end != 0):
			return "it pads the batch or the channels"
		case begin < 0 || end < 0:
			return "it crops"
		case begin > maxPad || end > maxPad:
			return "its padding is larger than an image can be"
		}
	}
	own, why := windowPads(n, rank-2)
	if why != "" {
		return why
	}
	more := slices.Concat(p[2:rank], p[rank+2:])
	if why := sameElements(n, pad, value, own, more); why != "" {
		return why
	}
	for i := range own {
		own[i] += more[i]
	}
	n.SetAttribute(graphops.IntsAttribute("pads", own))
	if _, stated := n.Attribute("auto_pad"); stated {
		n.SetAttribute(graphops.TextAttribute("auto_pad", "NOTSET"))
	}
	if n.Op() == "AveragePool" {
		n.SetAttribute(graphops.IntAttribute("count_include_pad", 1))
	}
	return ""
}

// padding returns how many elements a Pad adds before and after each axis, first all begins and
// then all ends, and the value of these elements.
func padding(pad *rewrite.Node) (pads []int64, value float64, why string) {
	if mode := pad.Text("mode", "constant"); mode != "constant" {
		return nil, 0, "it pads with elements of the image: " + mode
	}
	if pad.Graph().Opset(graphops.DefaultDomain) < 11 {
		pads, _ = pad.Ints("pads")
		value = float64(pad.Float("value", 0))
	} else {
		pads, _ = pad.In(1).Ints()
		if v := pad.In(2); v != nil {
			var ok bool
			if value, ok = v.Float(); !ok {
				return nil, 0, "its padding value is not a constant"
			}
		}
		if v := pad.In(3); v != nil {
			if pads = spread(pads, v, len(pad.In(0).Type().Dims)); pads == nil {
				return nil, 0, "its axes are not known"
			}
		}
	}
	if len(pads) < 6 || len(pads)%2 != 0 {
		return nil, 0, "the amount of padding is not known"
	}
	return pads, value, ""
}

// spread returns padding for all axes, given padding for some axes. It returns nil if the axes are
// unknown or invalid.
func spread(pads []int64, axes *rewrite.Value, rank int) []int64 {
	list, ok := axes.Ints()
	if !ok || rank == 0 || len(pads) != 2*len(list) {
		return nil
	}
	out, seen := make([]int64, 2*rank), make([]bool, rank)
	for i, a := range list {
		if a < 0 {
			a += int64(rank)
		}
		if a < 0 || a >= int64(rank) || seen[a] {
			return nil
		}
		seen[a] = true
		out[a], out[rank+int(a)] = pads[i], pads[len(list)+i]
	}
	return out
}

// windowPads returns the padding that a node with windows has itself.
func windowPads(n *rewrite.Node, axes int) (pads []int64, why string) {
	switch mode := n.Text("auto_pad", "NOTSET"); mode {
	case "NOTSET", "":
	case "VALID":
		return make([]int64, 2*axes), ""
	default:
		return nil, "the padding of the next node depends on the size: " + mode
	}
	list, stated := n.Ints("pads")
	switch {
	case !stated:
		return make([]int64, 2*axes), ""
	case len(list) != 2*axes:
		return nil, "the padding of the next node has another rank"
	case slices.ContainsFunc(list, func(p int64) bool { return p < 0 || p > maxPad }):
		return nil, "the padding of the next node is invalid"
	}
	return slices.Clone(list), ""
}

// sameElements returns the reason why the elements added by a Pad differ from the node's own
// padding, or an empty string.
func sameElements(n, pad *rewrite.Node, value float64, own, more []int64) (why string) {
	if n.Op() == "Conv" {
		return unlessZero(value)
	}
	kernel, _ := n.Ints("kernel_shape")
	if len(kernel) != len(own)/2 {
		return "the kernel of the next node has another rank"
	}
	if n.Int("ceil_mode", 0) != 0 {
		return "windows of the next node may end outside of the image"
	}
	for i, k := range kernel {
		if own[i]+more[i] >= k || own[len(kernel)+i]+more[len(kernel)+i] >= k {
			return "a window of the next node may contain only padding"
		}
	}
	if dilations, ok := n.Ints("dilations"); ok && slices.ContainsFunc(dilations, func(d int64) bool { return d != 1 }) {
		return "the windows of the next node have gaps"
	}
	if n.Op() == "AveragePool" {
		if n.Graph().Opset(graphops.DefaultDomain) < 7 {
			return "AveragePool of this version does not count padding"
		}
		if n.Int("count_include_pad", 0) == 0 && slices.ContainsFunc(own, func(p int64) bool { return p != 0 }) {
			return "the average would count the padding of the Pad, but does not count its own"
		}
		return unlessZero(value)
	}
	return unlessNoMaximum(n, pad, value)
}

func unlessZero(value float64) string {
	if value != 0 {
		return "its padding value is not 0"
	}
	return ""
}

// unlessNoMaximum returns the reason why a padding element might be the maximum of a window, or
// an empty string. Each window contains elements of the image.
func unlessNoMaximum(n, pad *rewrite.Node, value float64) string {
	looks := maxLooks
	switch {
	case n.Out(1) != nil:
		return "the indices of the next node count the padding"
	case math.IsInf(value, -1), value <= 0 && notNegative(pad.In(0), &looks):
		return ""
	}
	return "its padding value may be a maximum"
}

// maxLooks is the maximum number of nodes examined to decide that a value is not negative.
const maxLooks = 64

// notNegative reports whether no element of a value is below 0: it comes from certain
// activations, possibly through nodes that keep this property.
func notNegative(v *rewrite.Value, looks *int) bool {
	n := v.Producer()
	if *looks--; *looks < 0 || n == nil || n.Out(0) != v {
		return false
	}
	switch {
	case n.Is("Relu", "Sigmoid", "Softmax", "HardSigmoid", "Abs"):
		return true
	case n.Is("Clip"):
		least, ok := n.In(1).Float()
		return ok && least >= 0
	case n.Is("MaxPool", "Reshape", "Transpose", "Identity"):
		return n.In(0) != nil && notNegative(n.In(0), looks)
	case n.Is("Concat", "Add", "Mul"):
		for _, in := range n.Inputs() {
			if in == nil || !notNegative(in, looks) {
				return false
			}
		}
		return true
	}
	return false
}
