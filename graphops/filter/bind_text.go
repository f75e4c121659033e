package filter

import (
	"slices"

	"lathe/graphops"
)

// doc returns a test of the doc string.
func (b *binder) doc(t *test) (holds, error) {
	list := patterns(t, true)
	return opposite(t, func(it item) bool {
		s := b.docOf(it)
		return s != "" && anyPattern(list, s)
	}), nil
}

func (b *binder) docOf(it item) string {
	switch {
	case it.tensor != nil:
		return it.tensor.Doc()
	case it.node >= 0:
		return b.graph.Nodes()[it.node].Doc()
	}
	if v := b.index.Info(it.value); v != nil && v.Doc() != "" {
		return v.Doc()
	}
	if c := b.constants()[it.value]; c != nil {
		return c.Doc()
	}
	return ""
}

// entries returns the metadata of an item. For a value, it is that of its value_info and of its
// initializer.
func (b *binder) entries(it item) []graphops.Entry {
	switch {
	case it.tensor != nil:
		return it.tensor.Metadata()
	case it.node >= 0:
		return b.graph.Nodes()[it.node].Metadata()
	}
	var out []graphops.Entry
	if v := b.index.Info(it.value); v != nil {
		out = v.Metadata()
	}
	if c := b.constants()[it.value]; c != nil {
		out = slices.Concat(out, c.Metadata())
	}
	return out
}

// keyed is one item after "meta:": the pattern of a key, and, if stated is set, that of its value.
type keyed struct {
	key, value pattern
	stated     bool
}

func (b *binder) meta(t *test) (holds, error) {
	list := make([]keyed, len(t.items))
	for i, item := range t.items {
		at := item.index("=")
		if at < 0 {
			at = len(item.s)
		} else {
			list[i].stated = true
			list[i].value = compile(item.slice(at+1, len(item.s)), true)
		}
		if at == 0 {
			return nil, b.fault(item, "expected a key, or key=text")
		}
		list[i].key = compile(item.slice(0, at), true)
	}
	return func(it item) bool {
		for _, e := range b.entries(it) {
			for i := range list {
				if k := &list[i]; k.key.matches(e.Key) && (!k.stated || k.value.matches(e.Value)) {
					return true
				}
			}
		}
		return false
	}, nil
}

// file returns a test of the files of external data in which constants are stored. For a node,
// these are the constants that it reads. A constant stored in the model file has no file.
func (b *binder) file(t *test) (holds, error) {
	list := patterns(t, true)
	return opposite(t, func(it item) bool {
		return b.anyConstant(it, func(c *graphops.Tensor) bool {
			location, ok := fileOf(c)
			return ok && anyPattern(list, location)
		})
	}), nil
}

func fileOf(t *graphops.Tensor) (location string, ok bool) {
	if !t.IsExternal() {
		return "", false
	}
	location, _, ok = t.Stored()
	return location, ok
}

// anyConstant reports whether t is true for the tensor that the item is, for the constant that the
// value is, or for one of the constants that the node reads.
func (b *binder) anyConstant(it item, t func(c *graphops.Tensor) bool) bool {
	if it.tensor != nil {
		return t(it.tensor)
	}
	if it.value >= 0 {
		c := b.constants()[it.value]
		return c != nil && t(c)
	}
	for _, v := range b.index.Reads(int(it.node)) {
		if c := b.constants()[v]; c != nil && t(c) {
			return true
		}
	}
	return false
}
