package nbits

import (
	"bytes"
	"io"

	"lathe/graphops"
)

// constant is an initializer or the output of a Constant node, and the place that has it.
type constant struct {
	place  *graphops.Place
	name   string
	tensor *graphops.Tensor
	ofNode bool
}

// stored identifies a constant.
type stored struct {
	place int
	name  string
}

func (c *constant) key() stored { return stored{c.place.ID, c.name} }

// constantAt returns the constant that a name means in a place, or nil.
func constantAt(at *graphops.Place, name string) *constant {
	for ; at != nil && name != ""; at = at.Parent {
		x := at.Graph.Index()
		id, ok := x.Value(name)
		if !ok || !x.IsDefined(id) {
			continue
		}
		if t := x.Initializer(id); t != nil {
			return &constant{at, name, t, false}
		}
		if i := x.Producer(id); i >= 0 {
			return constantOf(at, name, at.Graph.Nodes()[i])
		}
		return nil
	}
	return nil
}

func constantOf(at *graphops.Place, name string, n *graphops.Node) *constant {
	if !n.IsConstant() {
		return nil
	}
	if a, ok := n.Attribute("value"); ok && a.RefName() == "" && a.Tensor() != nil {
		return &constant{at, name, a.Tensor(), true}
	}
	return nil
}

// readerAt returns random access to the data. Data that is computed while it is read is held in memory
// for that.
func readerAt(data graphops.Payload) (io.ReaderAt, error) {
	if at, ok := data.Reader().(io.ReaderAt); ok {
		return at, nil
	}
	b, err := data.Bytes()
	return bytes.NewReader(b), err
}
