package cost

import (
	"slices"

	"lathe/graphops/dim"
)

// traffic returns the bytes that a node reads and writes in one execution.
type traffic func(n node) (read, written dim.Dim)

// movements has the operators that do not read all of their inputs, or write none of their outputs.
// All other operators read each input once and write each output once.
var movements = movementTable()

func movementTable() map[operator]traffic {
	out := map[operator]traffic{}
	for _, x := range []struct {
		domain    string
		operators []string
		traffic   traffic
	}{
		// Operators that only change the shape or name of data do not move it, and constants are
		// stored with the weights.
		{onnx, []string{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Optional", "OptionalGetElement", "Constant"}, stays},
		{microsoft, []string{"ExpandDims"}, stays},
		{onnx, []string{"Shape", "Size", "OptionalHasElement", "SequenceLength"}, looksAtShape},
		{onnx, []string{"Gather", "GatherElements", "GatherND", "Slice", "DynamicSlice"}, takesPart},
		{microsoft, []string{"GatherND", "TorchEmbedding"}, takesPart},
		{ml, []string{"ArrayFeatureExtractor"}, takesPart},
		{microsoft, []string{"EmbedLayerNormalization", "QEmbedLayerNormalization"}, embeds},
		{microsoft, []string{"GatherBlockQuantized"}, takesBlocks},
	} {
		for _, name := range x.operators {
			out[operator{x.domain, name}] = x.traffic
		}
	}
	return out
}

// constants are operators whose outputs are constants.
var constants = operators(map[string][]string{onnx: {"Constant"}})

func (n node) traffic() (read, written dim.Dim) {
	if move := movements[n.operator()]; move != nil {
		return move(n)
	}
	return n.readFrom(0), n.writes()
}

// readFrom returns the size of the inputs from a position on, each value counted once.
func (n node) readFrom(first int) dim.Dim {
	sum, names := dim.Number(0), n.Node.Inputs()
	for i := first; i < len(n.In); i++ {
		if n.In[i] != nil && !slices.Contains(names[first:i], names[i]) {
			sum = sum.Add(n.bytes(*n.In[i]))
		}
	}
	return sum
}

// writes returns the size of the outputs.
func (n node) writes() dim.Dim {
	sum := dim.Number(0)
	for i, name := range n.Node.Outputs() {
		if name != "" && i < len(n.Out) {
			sum = sum.Add(n.bytes(n.Out[i]))
		}
	}
	return sum
}

func stays(node) (read, written dim.Dim) { return dim.Number(0), dim.Number(0) }

func looksAtShape(n node) (read, written dim.Dim) { return dim.Number(0), n.writes() }

// takesPart reads as much of its first input as it writes.
func takesPart(n node) (read, written dim.Dim) {
	written = n.writes()
	return n.readFrom(1).Add(written), written
}

// embeds reads one row of each of two or three tables for each row that it writes.
func embeds(n node) (read, written dim.Dim) {
	read = dim.Number(0)
	for i, in := range n.In {
		switch {
		case in == nil:
		case i >= 2 && i <= 4:
			read = read.Add(packed(elements(n.out(0)), in.Elem))
		default:
			read = read.Add(n.bytes(*in))
		}
	}
	return read, n.writes()
}

// takesBlocks reads, for each element that it writes, a packed number, and a scale for each block.
func takesBlocks(n node) (read, written dim.Dim) {
	if len(n.In) < 3 || n.In[1] == nil || n.In[2] == nil {
		return dim.Unknown(), n.writes()
	}
	made := elements(n.out(0))
	codes := made.Mul(dim.Number(n.int("bits", 4))).CeilDiv(dim.Number(8))
	scales := packed(made.CeilDiv(dim.Number(n.int("block_size", 128))), n.In[2].Elem)
	return n.bytes(*n.In[1]).Add(codes).Add(scales), n.writes()
}
