package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

func (d *decoder) function(c *cursor, f *Function) error {
	g := f.graph
	err := each(c, &f.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case functionNode:
			node, err := d.node(c, n)
			g.nodes = append(g.nodes, node)
			return true, wrapAt("node", len(g.nodes)-1, err)
		case functionValueInfo:
			return true, d.value(c, n, &g.valueInfo, "value_info")
		case functionOpset:
			return false, c.check(n)
		}
		return false, nil
	})
	f.name, f.domain, f.overload = lastString(f.head, functionName), lastString(f.head, functionDomain), lastString(f.head, functionOverload)
	for fd := range fieldsOf(f.head) {
		switch {
		case fd.num == functionInput && fd.typ == protowire.BytesType:
			g.inputs = append(g.inputs, NewValueInfo(text(fd.value), Type{}))
		case fd.num == functionOutput && fd.typ == protowire.BytesType:
			g.outputs = append(g.outputs, NewValueInfo(text(fd.value), Type{}))
		}
	}
	if err != nil {
		return wrap(fmt.Sprintf("%q", f.name), err)
	}
	return nil
}
