package scope

import (
	"slices"
	"strings"
)

// ID numbers the scopes of a tree in the order in which it is drawn: a scope, then
// its children with all that is below them, by first node.
type ID int32

// Root is the scope of the graph itself.
const Root ID = 0

// Scope is one module, or one folder of names.
type Scope struct {
	Name   string // the last segment of the path, "" for the root
	Class  string // such as "torch.nn.modules.linear.Linear", "" if nobody tells
	Parent ID     // -1 for the root
	End    ID     // one past the last scope below this one
	Depth  int    // 0 for the root
	// First is the position of the first node in it, or below, that depends on an input
	// of the graph; of the first node if none does; -1 in a graph without nodes.
	First int
	Own   int // nodes directly in it
	Nodes int // those below it too
	// Parameters and Bytes are those of the initializers that nodes in it, or below,
	// read; one that is read twice counts once. A node that holds a body reads what
	// the body captures. Initializers without a sensible type and shape count nothing.
	Parameters, Bytes int64
	// Fold is the position in Tree.Folds of the fold that the scope is a member of,
	// -1 for none.
	Fold int
}

// Tree is the scopes of one graph. It never changes.
type Tree struct {
	Scopes []Scope // by ID
	Folds  []Fold
	// Cut is how many nodes have a scope that is deeper than the tree, and stand in
	// the deepest one that there is.
	Cut int

	of     []ID     // by node
	source []Source // by node
	nodes  []int32  // by scope, and in graph order in one scope
	start  []int32  // into nodes, by scope; one longer
}

// Source tells what a node's scope was taken from.
type Source uint8

// The sources, as the package's comment explains them.
const (
	Nothing Source = iota // the node stands in the root because nothing tells more
	Metadata
	Name
	Output
	Weights
	Around
)

// Find is the scope that a node stands in, by the node's position in the graph.
func (t *Tree) Find(node int) ID { return t.of[node] }

// Source tells what the scope of a node was taken from.
func (t *Tree) Source(node int) Source { return t.source[node] }

// IsFlat reports whether no scope but the root is known.
func (t *Tree) IsFlat() bool { return len(t.Scopes) == 1 }

// Path names a scope: / for the root, /encoder/layer.0 for others.
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

// Children are the scopes directly in one, by first node.
func (t *Tree) Children(s ID) []ID {
	var out []ID
	for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
		out = append(out, c)
	}
	return out
}

// Own are the nodes directly in a scope, in graph order. The slice is shared.
func (t *Tree) Own(s ID) []int32 { return t.nodes[t.start[s]:t.start[s+1]] }

// Nodes are the nodes in a scope and below it, in graph order.
func (t *Tree) Nodes(s ID) []int32 {
	out := slices.Clone(t.below(s))
	slices.Sort(out)
	return out
}

// below are the nodes in a scope and below it, in the order of scopes.
func (t *Tree) below(s ID) []int32 { return t.nodes[t.start[s]:t.start[t.Scopes[s].End]] }
