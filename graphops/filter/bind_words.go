package filter

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// wordTest is one of the words that can follow "is:" or "has:".
type wordTest struct {
	word string
	help string
	is   func(*binder, item) bool
}

type wordTests []wordTest

// isWords are the words after "is:". They say what an item itself is.
var isWords = wordTests{
	{"captured", "a value of an enclosing graph", func(b *binder, it item) bool {
		return it.value >= 0 && !b.index.IsDefined(it.value) && b.defined(it.value)
	}},
	{"constant", "a constant, or a node that makes one", (*binder).isConstant},
	{"dead", "feeds no output", (*binder).isDead},
	{"external", "a constant in another file", func(b *binder, it item) bool {
		return it.isConstantIn(b) && b.anyConstant(it, (*graphops.Tensor).IsExternal)
	}},
	{"input", "an input of the graph", func(b *binder, it item) bool { return it.value >= 0 && b.index.IsInput(it.value) }},
	{"output", "an output of the graph", func(b *binder, it item) bool { return it.value >= 0 && b.index.IsOutput(it.value) }},
	{"undefined", "a value that nothing makes", func(b *binder, it item) bool {
		return it.value >= 0 && !b.index.IsDefined(it.value) && !b.defined(it.value)
	}},
	{"unnamed", "has no name", func(b *binder, it item) bool { return b.nameOf(it) == "" }},
	{"unused", "read by nothing, not an output", (*binder).isUnused},
}

// hasWords are the words after "has:". They say what belongs to an item.
var hasWords = wordTests{
	{"attr", "attributes", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return len(b.graph.Nodes()[i].Attributes()) > 0 })
	}},
	{"body", "a body, as If and Loop have", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return len(b.graph.Nodes()[i].Graphs()) > 0 })
	}},
	{"constant", "a constant among its inputs", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return b.readsAny(i, b.index.IsInitializer) })
	}},
	{"doc", "a doc string", func(b *binder, it item) bool { return b.docOf(it) != "" }},
	{"external", "a constant in another file among its inputs", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return b.anyConstant(item{node: i, value: -1}, (*graphops.Tensor).IsExternal) })
	}},
	{"input", "an input of the graph among its inputs", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return b.readsAny(i, b.index.IsInput) })
	}},
	{"meta", "metadata", func(b *binder, it item) bool { return len(b.entries(it)) > 0 }},
	{"output", "an output of the graph among its outputs", func(b *binder, it item) bool {
		return b.anyNode(it, func(i int32) bool { return slices.ContainsFunc(b.index.Makes(int(i)), b.index.IsOutput) })
	}},
	{"shape", "a shape, at least the rank, for all it makes", func(b *binder, it item) bool {
		return b.allTyped(it, func(k *typeFact) bool { return k.rank >= 0 })
	}},
	{"type", "a type for all it makes", func(b *binder, it item) bool {
		return b.allTyped(it, func(k *typeFact) bool { return k.name != "?" })
	}},
}

func (w wordTests) words() []string {
	out := make([]string, len(w))
	for i, t := range w {
		out[i] = t.word
	}
	return out
}

func (w wordTests) choices() string { return "one of " + strings.Join(w.words(), ", ") }
func (w wordTests) help() string    { return strings.Join(w.words(), ", ") }

func (b *binder) is(t *test) (holds, error)  { return b.words(t, isWords) }
func (b *binder) has(t *test) (holds, error) { return b.words(t, hasWords) }

func (b *binder) words(t *test, known wordTests) (holds, error) {
	chosen := make([]func(*binder, item) bool, len(t.items))
	for i, item := range t.items {
		at := slices.IndexFunc(known, func(w wordTest) bool { return strings.EqualFold(w.word, item.s) })
		if at < 0 {
			return nil, b.fault(item, "expected %s", known.choices())
		}
		chosen[i] = known[at].is
	}
	return func(it item) bool {
		for _, is := range chosen {
			if is(b, it) {
				return true
			}
		}
		return false
	}, nil
}

func (it item) isConstantIn(b *binder) bool {
	return it.tensor != nil || it.value >= 0 && b.constants()[it.value] != nil
}

func (b *binder) isConstant(it item) bool {
	return it.tensor != nil || it.value >= 0 && b.index.IsInitializer(it.value) ||
		b.makesConstant(it)
}

// makesConstant reports whether the item is a Constant node, or a value that a Constant node
// produces.
func (b *binder) makesConstant(it item) bool {
	i := int(it.node)
	if it.value >= 0 {
		i = b.index.Producer(it.value)
	}
	if i < 0 {
		return false
	}
	n := b.graph.Nodes()[i]
	return n.Is("Constant")
}

func (b *binder) isDead(it item) bool {
	r := b.lives()
	if it.value >= 0 {
		return !r.Values[it.value]
	}
	return it.node >= 0 && !r.Nodes[it.node]
}

func (b *binder) isUnused(it item) bool {
	unread := func(v graphops.ValueID) bool { return len(b.index.Readers(v)) == 0 && !b.index.IsOutput(v) }
	if it.value >= 0 {
		return unread(it.value)
	}
	return it.isNode() && !slices.ContainsFunc(b.index.Makes(int(it.node)), func(v graphops.ValueID) bool { return !unread(v) })
}

// defined reports whether an enclosing place defines the value, which this place captures.
func (b *binder) defined(v graphops.ValueID) bool {
	return b.around.get(func() []bool {
		out := make([]bool, b.index.Values())
		for _, c := range b.place.Captures() {
			out[c.Value] = c.From != nil
		}
		return out
	})[v]
}

func (b *binder) readsAny(i int32, is func(graphops.ValueID) bool) bool {
	return slices.ContainsFunc(b.index.Reads(int(i)), is)
}

// allTyped reports whether is is true for the type of the tensor or value, or for the types of all
// outputs of the node.
func (b *binder) allTyped(it item, is func(k *typeFact) bool) bool {
	if it.tensor != nil {
		k := factOfTensor(it.tensor)
		return is(&k)
	}
	types := b.Facts.types()
	return !b.anyMade(it, func(v graphops.ValueID) bool { return !is(&types.kinds[types.of[v]]) })
}

// readers returns a test of how often the value, or the outputs of the node together, are read.
func (b *binder) readers(t *test) (holds, error) {
	return b.number(t, func(it item) (float64, bool) {
		n := 0
		b.anyMade(it, func(v graphops.ValueID) bool {
			n += len(b.index.Readers(v))
			return false
		})
		return float64(n), it.value >= 0 || it.isNode()
	})
}
