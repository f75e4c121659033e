package scope

import (
	"iter"
	"slices"

	"lathe/graphops"
)

// MaxDepth is the maximum depth of a scope. Modules of real models have depths of 5 to 12.
const MaxDepth = 64

// maxScopes returns the maximum number of scopes in a graph with the given number of nodes. Real
// graphs have up to 1.5 scopes for each node.
func maxScopes(nodes int) int { return 1024 + 4*nodes }

// none means "no scope". It is the parent of the root, and the scope of a node before one is found.
const none ID = -1

// builder collects the scopes of a graph. It numbers them in the order in which they are found.
type builder struct {
	index  *graphops.Index
	reads  []weight
	made   valueLists
	live   []bool // nodes that depend on an input
	scopes []found
	ids    map[segment]ID
	last   trail
	paths  map[string]spot // by origin.Node.PathKey
	of     []ID
	source []Source
	cut    int
}

// found is a scope while the tree is being built.
type found struct {
	name, class string
	parent      ID
	depth       int
}

// segment identifies a scope by its parent and its name.
type segment struct {
	parent ID
	name   string
}

// spot is the scope that a path leads to. cut says that the path is deeper than the limit, so that
// scope is only the deepest one on it.
type spot struct {
	scope ID
	cut   bool
}

// Build returns the tree of a graph, which may be the main graph, a body, or the content of a
// function. The time it takes is linear in the number of nodes and the total length of their names.
// It uses the graph's index.
func Build(g *graphops.Graph) *Tree { return build(g, nil) }

// BuildPlace returns the tree of the graph of a place. For a body, it also counts the initializers
// that the body captures.
func BuildPlace(p *graphops.Place) *Tree { return build(p.Graph, p.Captures()) }

func build(g *graphops.Graph, captures []graphops.Capture) *Tree {
	n := len(g.Nodes())
	b := &builder{
		index:  g.Index(),
		reads:  weightsOf(g, captures),
		scopes: []found{{parent: none}},
		ids:    map[segment]ID{},
		paths:  map[string]spot{},
		of:     make([]ID, n),
		source: make([]Source, n),
	}
	told := 0
	for i, node := range g.Nodes() {
		at, source := b.told(node)
		b.of[i], b.source[i] = at.scope, source
		if source != Nothing {
			told++
		}
		if at.cut {
			b.cut++
		}
	}
	b.made = b.valuesByNode()
	b.live = b.findLive()
	if told == 0 {
		told = b.tellByWeights(g)
	}
	if told > 0 && told < n {
		b.tellByNeighbours()
	}
	for i, s := range b.of {
		if s == none {
			b.of[i] = Root
		}
	}
	return b.tree(g)
}

// child returns the scope with the given name in parent, and creates it if it does not exist. If
// the tree has reached a limit, it returns parent and sets cut.
func (b *builder) child(parent ID, name string) spot {
	key := segment{parent, name}
	if id, ok := b.ids[key]; ok {
		return spot{id, false}
	}
	depth := b.scopes[parent].depth + 1
	if depth > MaxDepth || len(b.scopes) >= maxScopes(len(b.of)) {
		return spot{parent, true}
	}
	id := ID(len(b.scopes))
	if len(b.scopes) == cap(b.scopes) {
		b.scopes = slices.Grow(b.scopes, len(b.scopes)) // doubles the capacity; append would copy more often
	}
	b.scopes = append(b.scopes, found{name: name, parent: parent, depth: depth})
	b.ids[key] = id
	return spot{id, false}
}

// descend returns the scope that a sequence of names leads to, starting at from.
func (b *builder) descend(from ID, names iter.Seq[string]) spot {
	at := spot{scope: from}
	for name := range names {
		if at = b.child(at.scope, name); at.cut {
			break
		}
	}
	return at
}
