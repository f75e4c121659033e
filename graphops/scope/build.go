package scope

import (
	"iter"
	"slices"

	"lathe/graphops"
)

// MaxDepth is how deep a scope may lie. Modules of real models lie 5 to 12 deep.
const MaxDepth = 64

// maxScopes is how many scopes a graph of some nodes may have. Real ones have up to
// 1.5 for a node.
func maxScopes(nodes int) int { return 1024 + 4*nodes }

// none is no scope: of the root's parent, and of a node that tells none.
const none ID = -1

// builder finds the scopes of a graph, numbered as they are met.
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

// found is a scope before the tree is made.
type found struct {
	name, class string
	parent      ID
	depth       int
}

// segment names a child of a scope.
type segment struct {
	parent ID
	name   string
}

// spot is the scope that a text leads to, and whether the text leads deeper.
type spot struct {
	scope ID
	cut   bool
}

// Build makes the tree of a graph: of the main graph, a body, or the content of a
// function. It takes time linear in the nodes and in the bytes of their names, and
// builds the graph's index if there is none.
func Build(g *graphops.Graph) *Tree { return build(g, nil) }

// BuildPlace makes the tree of the graph of a place. Of a body it counts the
// initializers too that it reads from around it.
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

// child is the scope of a name in another, a new one at the first call. Where the
// tree ends it is the other one.
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
		b.scopes = slices.Grow(b.scopes, len(b.scopes)) // append would copy more often
	}
	b.scopes = append(b.scopes, found{name: name, parent: parent, depth: depth})
	b.ids[key] = id
	return spot{id, false}
}

// descend is the scope that names lead to from another.
func (b *builder) descend(from ID, names iter.Seq[string]) spot {
	at := spot{scope: from}
	for name := range names {
		if at = b.child(at.scope, name); at.cut {
			break
		}
	}
	return at
}
