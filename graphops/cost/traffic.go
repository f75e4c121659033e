package cost

import (
	"slices"
	"sync"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// traffic returns the numbers of bytes that a node reads and writes in one execution.
type traffic func(n node) (read, written dim.Dim)

// movements has the operators that read only a part of their inputs, or do not write their outputs.
// All other operators read each input once and write each output once.
var movements = sync.OnceValue(movementTable)

func movementTable() map[graphops.Op]traffic {
	out := map[graphops.Op]traffic{}
	for _, x := range []struct {
		domain    string
		operators []string
		traffic   traffic
	}{
		// Operators that only change the shape or name of data need not copy it. Constants are
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
			out[graphops.Op{Domain: x.domain, Name: name}] = x.traffic
		}
	}
	return out
}

// constants lists the operators whose outputs are stored with the weights, so that they need no
// memory during a run.
var constants = operators(map[string][]string{onnx: {"Constant"}})

func (n node) traffic() (read, written dim.Dim) {
	if move := movements()[n.Node.Op()]; move != nil {
		return move(n)
	}
	return n.readFrom(0), n.writes()
}

// readFrom returns the size in bytes of the inputs from position first on. A value that the node
// reads twice counts once.
func (n node) readFrom(first int) dim.Dim {
	sum, names := dim.Number(0), n.Node.Inputs()
	for i := first; i < len(n.In); i++ {
		if n.In[i] != nil && !slices.Contains(names[first:i], names[i]) {
			sum = sum.Add(n.bytes(*n.In[i]))
		}
	}
	return sum
}

// writes returns the total size of the outputs in bytes.
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

// takesPart is the traffic of operators that read only as many bytes of their first input as they
// write, and all of the other inputs.
func takesPart(n node) (read, written dim.Dim) {
	written = n.writes()
	return n.readFrom(1).Add(written), written
}

// embeds is the traffic of operators that read, for each row of the output, one row from each of
// two or three tables.
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

// takesBlocks is the traffic of a Gather from a quantized table: for each element of the output it
// reads a packed integer, and for each block of elements a scale.
func takesBlocks(n node) (read, written dim.Dim) {
	if len(n.In) < 3 || n.In[1] == nil || n.In[2] == nil {
		return dim.Unknown(), n.writes()
	}
	made := elements(n.out(0))
	codes := made.Mul(dim.Number(n.int("bits", 4))).CeilDiv(dim.Number(8))
	scales := packed(made.CeilDiv(dim.Number(n.int("block_size", 128))), n.In[2].Elem)
	return n.bytes(*n.In[1]).Add(codes).Add(scales), n.writes()
}
