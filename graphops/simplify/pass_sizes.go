package simplify

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// equalSizes makes a graph compute a shape only once if it is computed in several places from
// the shapes of different values.
var equalSizes = &pass{
	name:   "equal-sizes",
	title:  "integers computed from shapes that equal earlier ones for all sizes are computed once",
	reason: "they are equal for all sizes of the symbols, as the shapes that they are computed from show",
	model: func(j *job) error {
		for _, g := range j.m.Graphs() {
			if g.Holder() == nil {
				shareSizes(j, g, &sizesSeen{})
			}
		}
		return nil
	},
}

// sizesSeen are the earlier values of a graph and those around it.
type sizesSeen struct {
	around *sizesSeen
	values map[string]*rewrite.Value
}

func (s *sizesSeen) find(key string) *rewrite.Value {
	for ; s != nil; s = s.around {
		if v := s.values[key]; v != nil {
			return v
		}
	}
	return nil
}

func shareSizes(j *job, g *rewrite.Graph, around *sizesSeen) {
	seen := &sizesSeen{around, map[string]*rewrite.Value{}}
	for n := range g.Nodes() {
		for _, b := range n.Bodies() {
			shareSizes(j, b, seen)
		}
		shared := false
		for _, v := range n.Outputs() {
			key := sizesKey(v)
			if key == "" {
				continue
			}
			first := seen.find(key)
			switch {
			case first == nil:
				seen.values[key] = v
			case v.IsUsed() && v.ReplaceWith(first):
				shared = true
			}
		}
		if shared && !n.IsUsed() {
			n.Remove()
		}
		if shared {
			j.did("the same sizes were already computed before")
		}
	}
}

// sizesKey returns a text for the contents of an integer tensor, or an empty string if not all
// elements are known. Values with the same key are equal.
func sizesKey(v *rewrite.Value) string {
	t := v.Type()
	if k := t.Elem.Kind(); t.Kind != graphops.TypeTensor || k != tensor.KindSigned && k != tensor.KindUnsigned {
		return ""
	}
	dims, ok := fixedDims(v)
	sizes := v.Known().Sizes()
	if !ok || len(sizes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(t.Elem.String() + tensor.FormatShape(dims))
	for _, s := range sizes {
		if !s.Known() {
			return ""
		}
		b.WriteByte('\n')
		b.WriteString(s.String())
	}
	return b.String()
}
