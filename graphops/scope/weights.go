package scope

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// weight is an initializer, and its value in the graph that reads it.
type weight struct {
	value  graphops.ValueID
	tensor *graphops.Tensor
}

// weightsOf returns the initializers of the graph and those that it captures. Of several
// initializers with the same name it returns the last, which is the one that applies.
func weightsOf(g *graphops.Graph, captures []graphops.Capture) []weight {
	var out []weight
	x := g.Index()
	for _, t := range g.Initializers() {
		if v, ok := x.Value(t.Name()); ok && x.Initializer(v) == t {
			out = append(out, weight{v, t})
		}
	}
	for _, s := range g.SparseInitializers() {
		if v, ok := x.Value(s.Name()); ok && s.Values() != nil && x.IsInitializer(v) && x.Initializer(v) == nil {
			out = append(out, weight{v, s.Values()})
		}
	}
	for _, c := range captures {
		if c.From == nil {
			continue
		}
		if t := c.From.Graph.Index().Initializer(c.Outer); t != nil {
			out = append(out, weight{c.Value, t})
		}
	}
	return out
}

// tellByWeights derives the scopes of nodes from the names of the initializers that they read. It
// returns the number of nodes that got a scope.
func (b *builder) tellByWeights(g *graphops.Graph) int {
	told := 0
	for _, w := range b.reads {
		module, ok := moduleOfWeight(w.tensor.Name())
		if !ok {
			continue
		}
		at := b.descend(Root, slices.Values(module))
		for _, n := range b.index.Readers(w.value) {
			if len(g.Nodes()[n].Graphs()) > 0 {
				continue // its bodies read it for their own nodes
			}
			if b.of[n] == none {
				told++
				b.of[n], b.source[n] = at.scope, Weights
				if at.cut {
					b.cut++
				}
			} else {
				b.of[n] = b.join(b.of[n], at.scope)
			}
		}
	}
	return told
}

// moduleOfWeight returns the path of the module to which a parameter belongs, according to its
// name. For example, h.0.attn.weight belongs to h.0, attn. A number belongs to the name before it.
// ok is false for a name that cannot be that of a module's parameter.
func moduleOfWeight(name string) (module []string, ok bool) {
	end := strings.LastIndexByte(name, '.')
	if end < 0 || !isIdentifier(name[end+1:]) {
		return nil, false
	}
	start := 0
	for i := 0; i <= end; i++ {
		if name[i] != '.' {
			continue
		}
		part := name[start:i]
		switch {
		case isNumber(part) && len(module) > 0:
			last := &module[len(module)-1]
			*last = name[start-1-len(*last) : i]
		case isIdentifier(part):
			module = append(module, part)
		default:
			return nil, false
		}
		start = i + 1
	}
	return module, true
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
