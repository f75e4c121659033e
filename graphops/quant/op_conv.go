package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func convObstacle(d *dynamic, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	x, w := n.Inputs()[0], n.Inputs()[1]
	t := d.constant(w)
	switch {
	case d.elementType(x) != tensor.F32:
		return fmt.Sprintf("its input %q is not known to be float32", x)
	case t == nil:
		return fmt.Sprintf("its weight %q is not a constant", w)
	case t.DType() != tensor.F32:
		return d.wrongType(w, t)
	case slices.Contains(t.Dims(), 0):
		d.report.depart(EmptyWeight)
		return fmt.Sprintf("its weight %q has no elements", w)
	case len(t.Dims()) < 3:
		return fmt.Sprintf("its weight %q has rank %d, expected one of 3 at least", w, len(t.Dims()))
	}
	return ""
}

// rewriteConv makes a ConvInteger of a Conv. One scale serves all channels, since the
// kernel takes no more; the bias is added in float32.
func rewriteConv(d *dynamic, n *graphops.Node) error {
	x, err := d.activation(n.Inputs()[0])
	if err != nil {
		return err
	}
	name := n.Inputs()[1]
	t := d.constant(name)
	w, size, err := d.wholeWeight(name, t)
	if err != nil {
		return err
	}
	y := n.Outputs()[0]
	scaled := y
	bias := len(n.Inputs()) > 2 && n.Inputs()[2] != ""
	if bias {
		scaled = d.names.Value(y + "quant_scaled_output")
	}
	d.integerProduct("ConvInteger", n.Name(), x, w, [2]string{y, scaled}, slices.Clone(n.Attributes())...)
	if bias {
		d.addBias(n, len(t.Dims()), scaled)
	}
	d.done(n, size)
	return nil
}

// addBias adds the bias of a Conv to its result, a number to each channel.
func (d *dynamic) addBias(n *graphops.Node, rank int, scaled string) {
	y := n.Outputs()[0]
	sizes := slices.Repeat([]int64{1}, rank)
	sizes[1] = -1
	shape, reshaped := d.names.Value(y+"_bias_reshape_shape"), d.names.Value(y+"_bias_reshape_output")
	d.added = append(d.added, graphops.NewTensorOf(shape, tensor.FromSlice(sizes, int64(rank))))
	d.keep(newNode("", "Reshape", []string{n.Inputs()[2], shape}, reshaped))
	d.emit(d.names.Node(y+"_bias_add"), "Add", []string{scaled, reshaped}, y)
}
