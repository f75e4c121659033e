package scope

import (
	"slices"
	"strings"
)

// ID numbers the scopes of a tree in display order: a scope, then its children with everything
// below them, by first node.
type ID int32

// Root is the scope of the graph itself.
const Root ID = 0

// Scope is one module, or one folder of names.
type Scope struct {
	Name   string // the last segment of the path, "" for the root
	Class  string // such as "torch.nn.modules.linear.Linear", "" if unknown
	Parent ID     // -1 for the root
	End    ID     // one after the last scope below this one
	Depth  int    // 0 for the root
	// First is the position of the first node in it, or below, that depends on an input of the
	// graph; of the first node if none does; -1 in a graph without nodes.
	First int
	Own   int // number of nodes directly in it
	Nodes int // number including nodes below it
	// Parameters and Bytes count the initializers that nodes in it, or below, read, each once. A
	// node with a body reads what the body captures. Initializers with an invalid type or shape do
	// not count.
	Parameters, Bytes int64
	// Fold is the position in Tree.Folds of the fold to which the scope belongs, -1 for none.
	Fold int
}

// Tree has the scopes of one graph. It is immutable.
type Tree struct {
	Scopes []Scope // by ID
	Folds  []Fold
	// Cut is the number of nodes whose scope would be deeper than the limit, and which are in the
	// deepest existing one.
	Cut int

	of     []ID     // by node
	source []Source // by node
	nodes  []int32  // by scope, and within one scope in graph order
	start  []int32  // index into nodes, by scope; with one more at the end
}

// Source says where a node's scope was taken from.
type Source uint8

// The sources, as explained in the package documentation.
const (
	Nothing Source = iota // the node is in the root because nothing is known
	Metadata
	Name
	Output
	Weights
	Around
)

// Find returns the scope of a node, given by its position in the graph.
func (t *Tree) Find(node int) ID { return t.of[node] }

// Source returns where the scope of a node was taken from.
func (t *Tree) Source(node int) Source { return t.source[node] }

// IsFlat reports whether the root is the only scope.
func (t *Tree) IsFlat() bool { return len(t.Scopes) == 1 }

// Path returns the path of a scope: / for the root, /encoder/layer.0 for others.
func (t *Tree) Path(s ID) string {
	if s == Root {
		return "/"
	}
	var names []string
	for ; s != Root; s = t.Scopes[s].Parent {
		names = append(names, t.Scopes[s].Name)
	}
	slices.Reverse(names)
	return "/" + strings.Join(names, "/")
}

// Children returns the scopes directly in one, by first node.
func (t *Tree) Children(s ID) []ID {
	var out []ID
	for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
		out = append(out, c)
	}
	return out
}

// Own returns the nodes directly in a scope, in graph order. The slice is shared.
func (t *Tree) Own(s ID) []int32 { return t.nodes[t.start[s]:t.start[s+1]] }

// Nodes returns the nodes in a scope and below it, in graph order.
func (t *Tree) Nodes(s ID) []int32 {
	out := slices.Clone(t.below(s))
	slices.Sort(out)
	return out
}

// below returns the nodes in a scope and below it, in the order of scopes.
func (t *Tree) below(s ID) []int32 { return t.nodes[t.start[s]:t.start[t.Scopes[s].End]] }
