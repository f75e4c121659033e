package scope

import (
	"slices"
	"strings"
)

// ID is the number of a scope in a tree. Scopes are numbered in display order: a scope is followed
// by its children, each with everything below it. Children are in the order of their first nodes.
type ID int32

// Root is the ID of the scope that stands for the graph itself.
const Root ID = 0

// Scope is a module of the source program or, if only names are known, a folder of names.
type Scope struct {
	Name   string // the last segment of the path, "" for the root
	Class  string // such as "torch.nn.modules.linear.Linear", "" if unknown
	Parent ID     // -1 for the root
	End    ID     // one after the last scope below this one
	Depth  int    // 0 for the root
	// First is the index of the first node in this scope, or below it, that depends on an input of
	// the graph. If there is no such node, it is the index of the first node, or -1 in a graph
	// without nodes.
	First int
	Own   int // number of nodes directly in it
	Nodes int // number including nodes below it
	// Parameters and Bytes are the number of elements and the size in bytes of the initializers
	// that nodes in this scope, or below it, read. Each initializer counts once. A node with a body
	// also reads what the body captures. Initializers with an invalid type or shape do not count.
	Parameters, Bytes int64
	// Fold is the index in Tree.Folds of the fold that the scope belongs to. It is -1 if there is
	// none.
	Fold int
}

// Tree has the scopes of one graph. It is immutable.
type Tree struct {
	Scopes []Scope // by ID
	Folds  []Fold
	// Cut is the number of nodes whose scope would exceed a limit. They are in the deepest existing
	// scope on their path.
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

// Find returns the scope of a node, given the node's index in the graph.
func (t *Tree) Find(node int) ID { return t.of[node] }

// Source returns where the scope of a node was taken from.
func (t *Tree) Source(node int) Source { return t.source[node] }

// IsFlat reports whether the root is the only scope.
func (t *Tree) IsFlat() bool { return len(t.Scopes) == 1 }

// Path returns the path of a scope, such as /encoder/layer.0. It is / for the root.
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

// Children returns the scopes directly below a scope, in the order of their first nodes.
func (t *Tree) Children(s ID) []ID {
	var out []ID
	for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
		out = append(out, c)
	}
	return out
}

// Own returns the nodes that are directly in a scope, in graph order. Callers must not change the
// slice.
func (t *Tree) Own(s ID) []int32 { return t.nodes[t.start[s]:t.start[s+1]] }

// Nodes returns the nodes in a scope and below it, in graph order.
func (t *Tree) Nodes(s ID) []int32 {
	out := slices.Clone(t.below(s))
	slices.Sort(out)
	return out
}

// below returns the nodes in a scope and below it, sorted by scope.
func (t *Tree) below(s ID) []int32 { return t.nodes[t.start[s]:t.start[t.Scopes[s].End]] }
