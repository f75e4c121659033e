package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

func (d *decoder) function(c *cursor, f *Function) error {
	g := f.graph
	err := each(c, &f.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case fieldnum.FunctionNode:
			node, err := d.node(c, n)
			g.nodes = append(g.nodes, node)
			return true, wrapAt("node", len(g.nodes)-1, err)
		case fieldnum.FunctionValueInfo:
			return true, d.value(c, n, &g.valueInfo, "value_info")
		case fieldnum.FunctionOpset:
			return false, c.check(n)
		}
		return false, nil
	})
	f.name, f.domain, f.overload = lastString(f.head, fieldnum.FunctionName), lastString(f.head, fieldnum.FunctionDomain), lastString(f.head, fieldnum.FunctionOverload)
	for fd := range fieldsOf(f.head) {
		switch {
		case fd.num == fieldnum.FunctionInput && fd.typ == protowire.BytesType:
			g.inputs = append(g.inputs, NewValueInfo(text(fd.value), Type{}))
		case fd.num == fieldnum.FunctionOutput && fd.typ == protowire.BytesType:
			g.outputs = append(g.outputs, NewValueInfo(text(fd.value), Type{}))
		}
	}
	if err != nil {
		return wrap(fmt.Sprintf("%q", f.name), err)
	}
	return nil
}
