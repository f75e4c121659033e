package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// node reads a node of n bytes.
func (d *decoder) node(c *cursor, n int64) (*Node, error) {
	if n > d.whole.node && c.src != nil {
		node := &Node{}
		err := c.within(n, func() error { return d.wideNode(c, node) })
		return node, err
	}
	b, err := c.take(n)
	if err != nil {
		return nil, err
	}
	node := d.newNode()
	node.head = b
	deep, err := d.scanNode(b, node)
	if err == nil && deep {
		wide := &Node{}
		return wide, d.wideNode(memoryCursor(b), wide)
	}
	return node, err
}

// wideNode reads a large node, attribute by attribute. Bodies become graphs, and large tensors stay
// in the file.
func (d *decoder) wideNode(c *cursor, node *Node) error {
	err := each(c, &node.head, func(num protowire.Number, n int64) (bool, error) {
		if num != fieldnum.NodeAttribute {
			return false, nil
		}
		a := &Attribute{}
		node.attrs = append(node.attrs, a)
		return true, wrapAt("attribute", len(node.attrs)-1, c.within(n, func() error { return d.attributeOf(c, n, a) }))
	})
	if err != nil {
		return err
	}
	_, err = d.scanNode(node.head, node)
	return err
}

// attributeOf reads an attribute of n bytes. A large attribute without tensors and graphs becomes a
// deferred one.
func (d *decoder) attributeOf(c *cursor, n int64, a *Attribute) error {
	if n <= d.whole.attribute || c.src == nil {
		return d.attribute(c, a)
	}
	look := *c // windows are never overwritten, so a copy of the cursor is a second reader
	head, simple, err := lookThrough(&look)
	if err != nil || !simple {
		return d.attribute(c, a)
	}
	a.name, a.head, a.deferred, a.whole = lastString(head, fieldnum.AttrName), head, true, c.payload(n)
	return nil
}

// lookThrough skips over an attribute that has only numbers and strings. It returns the fields for
// the attribute's name and kind. If it finds a tensor or graph, it stops and returns false for
// simple.
func lookThrough(c *cursor) (head []byte, simple bool, err error) {
	kind := AttrUndefined
	for c.more() {
		num, typ, err := c.tag()
		if err != nil {
			return nil, false, err
		}
		if kind == AttrUndefined {
			kind = kindOf[num]
		}
		if typ != protowire.BytesType {
			v, err := c.scalar(num, typ, 0)
			if err != nil {
				return nil, false, err
			}
			if num == fieldnum.AttrType {
				head = append(protowire.AppendTag(head, num, typ), v...)
			}
			continue
		}
		n, err := c.length()
		if err != nil || partOfAttribute(num) {
			return nil, false, err
		}
		if num != fieldnum.AttrName && num != fieldnum.AttrRefName {
			c.skip(n)
			continue
		}
		v, err := c.take(n)
		if err != nil {
			return nil, false, err
		}
		head = appendBytes(head, num, v)
	}
	if k, _ := lastVarint(head, fieldnum.AttrType); k == 0 {
		head = appendVarint(head, fieldnum.AttrType, int64(kind))
	}
	return head, true, nil
}

// partOfAttribute reports whether a field contains a tensor or a graph.
func partOfAttribute(num protowire.Number) bool {
	switch num {
	case fieldnum.AttrT, fieldnum.AttrTensors, fieldnum.AttrG, fieldnum.AttrGraphs, fieldnum.AttrSparseTensor, fieldnum.AttrSparseTensors:
		return true
	}
	return false
}

func (d *decoder) attribute(c *cursor, a *Attribute) error {
	err := each(c, &a.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case fieldnum.AttrT:
			if a.tensor == nil {
				a.tensor = &Tensor{}
			}
			return true, d.tensorOf(c, n, a.tensor)
		case fieldnum.AttrTensors:
			a.tensors = append(a.tensors, &Tensor{})
			return true, d.tensorOf(c, n, a.tensors[len(a.tensors)-1])
		case fieldnum.AttrG:
			if a.graph == nil {
				a.graph = &Graph{}
			}
			return true, c.within(n, func() error { return d.graph(c, a.graph) })
		case fieldnum.AttrGraphs:
			a.graphs = append(a.graphs, &Graph{})
			return true, c.within(n, func() error { return d.graph(c, a.graphs[len(a.graphs)-1]) })
		case fieldnum.AttrSparseTensor:
			if a.sparse == nil {
				a.sparse = &SparseTensor{}
			}
			return true, c.within(n, func() error { return d.sparse(c, a.sparse) })
		case fieldnum.AttrSparseTensors:
			a.sparses = append(a.sparses, &SparseTensor{})
			return true, c.within(n, func() error { return d.sparse(c, a.sparses[len(a.sparses)-1]) })
		}
		return false, nil
	})
	a.name = lastString(a.head, fieldnum.AttrName)
	if err != nil {
		return wrap(fmt.Sprintf("%q", a.name), err)
	}
	return nil
}
