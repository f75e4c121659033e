package cost

import (
	"slices"

	"lathe/graphops/dim"
)

// traffic tells the bytes that a node reads and writes in one run.
type traffic func(n node) (read, written dim.Dim)

// movements are the operators that do not read all of their inputs, or write none
// of their outputs. Any other one reads each input once and writes each output
// once.
var movements = movementTable()

func movementTable() map[operator]traffic {
	out := map[operator]traffic{}
	for _, x := range []struct {
		domain    string
		operators []string
		traffic   traffic
	}{
		// What only gives the same bytes another shape or name stays where it is, and
		// constants lie with the weights.
		{onnx, []string{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Optional", "OptionalGetElement", "Constant"}, stays},
		{microsoft, []string{"ExpandDims"}, stays},
		{onnx, []string{"Shape", "Size", "OptionalHasElement", "SequenceLength"}, looksAtShape},
		{onnx, []string{"Gather", "GatherElements", "GatherND", "Slice", "DynamicSlice"}, takesPart},
		{microsoft, []string{"GatherND", "TorchEmbedding"}, takesPart},
		{ml, []string{"ArrayFeatureExtractor"}, takesPart},
		{microsoft, []string{"EmbedLayerNormalization"}, embeds},
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

// readFrom is the size of the inputs from a position on, each value once.
func (n node) readFrom(first int) dim.Dim {
	sum, names := dim.Number(0), n.Node.Inputs()
	for i := first; i < len(n.In); i++ {
		if n.In[i] != nil && !slices.Contains(names[first:i], names[i]) {
			sum = sum.Add(bytes(*n.In[i]))
		}
	}
	return sum
}

// writes is the size of the outputs.
func (n node) writes() dim.Dim {
	sum := dim.Number(0)
	for i, name := range n.Node.Outputs() {
		if name != "" && i < len(n.Out) {
			sum = sum.Add(bytes(n.Out[i]))
		}
	}
	return sum
}

func stays(node) (read, written dim.Dim) { return dim.Number(0), dim.Number(0) }

func looksAtShape(n node) (read, written dim.Dim) { return dim.Number(0), n.writes() }

// takesPart reads of its first input as much as it writes.
func takesPart(n node) (read, written dim.Dim) {
	written = n.writes()
	return n.readFrom(1).Add(written), written
}

// embeds reads one row of two or three tables for each row that it writes.
func embeds(n node) (read, written dim.Dim) {
	tables := int64(2)
	if n.has(4) {
		tables = 3
	}
	read = packedOutput(n).Mul(dim.Number(tables))
	for _, i := range []int{0, 1, 5, 6, 7, 8} {
		if n.has(i) {
			read = read.Add(bytes(*n.In[i]))
		}
	}
	return read, n.writes()
}

func packedOutput(n node) dim.Dim {
	if len(n.Out) == 0 {
		return dim.Unknown()
	}
	return bytes(n.Out[0])
}
