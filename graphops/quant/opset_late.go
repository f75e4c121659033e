package quant

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

// reductions are operators of which the axes became an input in opset 18.
var reductions = map[string]bool{
	"ReduceL1": true, "ReduceL2": true, "ReduceLogSum": true, "ReduceLogSumExp": true, "ReduceMax": true,
	"ReduceMean": true, "ReduceMin": true, "ReduceProd": true, "ReduceSumSquare": true,
}

// late carries over what changed from opset 13 on. ok is false of what no definition
// tells apart though it means something else.
func (c *carrier) late(p *graphops.Place, n *graphops.Node, after *opschema.Schema) (next *graphops.Node, ok bool) {
	switch op := n.OpType(); {
	case reductions[op]:
		if _, has := after.Attribute("axes"); !has && len(n.Inputs()) == 1 {
			return c.moved(p, n, nil, []string{"axes"})
		}
	case op == "Split":
		_, told := n.Attribute("num_outputs")
		if _, has := after.Attribute("num_outputs"); has && !told && !hasInputs(n, 2) {
			return n.WithAttributes(append(n.Attributes()[:len(n.Attributes()):len(n.Attributes())], graphops.IntAttribute("num_outputs", int64(len(n.Outputs()))))), true
		}
	case op == "GroupNormalization", op == "RoiAlign", op == "GridSample", op == "DFT": // other shapes, defaults, names of modes, inputs
		return nil, false
	case op == "AveragePool": // a window that hangs over the end
		a, has := n.Attribute("ceil_mode")
		return n, !has || a.Int() == 0
	case op == "BatchNormalization": // statistics are other outputs
		return n, len(n.Outputs()) == 1
	}
	return n, true
}
