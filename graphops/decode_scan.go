package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// nodeSlab has the memory from which a decoder makes nodes, so that thousands of nodes share a few
// allocations. Names of operators are kept once, because there are few of them and many nodes: they
// then stay in the processor's caches when nodes are asked for their operator.
type nodeSlab struct {
	nodes   []Node
	chunk   int      // how many nodes the last allocation had
	names   []string // the names of inputs and outputs are parts of it
	called  map[string]string
	in, out []string // of the node that is being read
}

// maxChunk is the largest number of nodes in one allocation. As long as one of them is in use, all
// of them stay in memory.
const maxChunk = 512

// newNode returns an empty node.
func (s *nodeSlab) newNode() *Node {
	if len(s.nodes) == 0 {
		s.chunk = min(max(2*s.chunk, 16), maxChunk)
		s.nodes = make([]Node, s.chunk)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

// keep returns a copy of a list of names.
func (s *nodeSlab) keep(list []string) []string {
	n := len(list)
	if n == 0 {
		return nil
	}
	if len(s.names) < n {
		s.names = make([]string, max(n, 8*s.chunk))
	}
	out := s.names[:n:n]
	s.names = s.names[n:]
	copy(out, list)
	return out
}

// operator returns a name of an operator or a domain. Equal names share their memory.
func (s *nodeSlab) operator(b []byte) string {
	if name, ok := s.called[string(b)]; ok {
		return name
	}
	if s.called == nil {
		s.called = map[string]string{}
	}
	name := text(b)
	if len(s.called) < maxChunk {
		s.called[name] = name
	}
	return name
}

// scanNode reads the names of a node and checks that its attributes are well-formed, without
// decoding them. deep reports that one of them must be decoded now (see scanAttribute).
func (d *decoder) scanNode(b []byte, node *Node) (deep bool, err error) {
	d.in, d.out, node.bare = d.in[:0], d.out[:0], true
	for rest := b; len(rest) > 0; {
		f, n := nextField(rest)
		if n < 0 {
			return false, checkFields(rest)
		}
		rest = rest[n:]
		if f.typ != protowire.BytesType {
			node.bare = false
			continue
		}
		switch f.num {
		case fieldnum.NodeInput:
			d.in = append(d.in, text(f.value))
		case fieldnum.NodeOutput:
			d.out = append(d.out, text(f.value))
		case fieldnum.NodeName:
			node.name = text(f.value)
		case fieldnum.NodeOpType:
			node.opType = d.operator(f.value)
		case fieldnum.NodeDomain:
			node.domain = d.operator(f.value)
		case fieldnum.NodeOverload:
			node.overload = d.operator(f.value)
		default:
			node.bare = false
			holds, err := scanPart(f)
			if err != nil {
				return false, err
			}
			deep = deep || holds
		}
	}
	node.inputs, node.outputs = d.keep(d.in), d.keep(d.out)
	return deep, nil
}

// scanPart checks that a field of a node that is not decoded is well-formed. It reports whether it is
// an attribute that must be decoded now.
func scanPart(f field) (bool, error) {
	switch f.num {
	case fieldnum.NodeAttribute:
		return scanAttribute(f.value)
	case fieldnum.NodeMetadata:
		return false, checkFields(f.value)
	}
	return false, nil
}

// scanAttribute checks that an attribute is well-formed. It reports whether the attribute must be
// decoded now, because it has a graph or a tensor with external data.
func scanAttribute(b []byte) (bool, error) {
	holds := false
	for len(b) > 0 {
		f, n := nextField(b)
		if n < 0 {
			return false, checkFields(b)
		}
		b = b[n:]
		if f.typ != protowire.BytesType {
			continue // an unknown field, even if its number is known
		}
		switch f.num {
		case fieldnum.AttrG, fieldnum.AttrGraphs, fieldnum.AttrSparseTensor, fieldnum.AttrSparseTensors:
			holds = true
		case fieldnum.AttrT, fieldnum.AttrTensors:
			if err := checkFields(f.value); err != nil {
				return false, fmt.Errorf("tensor: %w", err)
			}
			loc, _ := lastVarint(f.value, fieldnum.TensorLocation)
			holds = holds || loc == locationExternal
		}
	}
	return holds, nil
}
