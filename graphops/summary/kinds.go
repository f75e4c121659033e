package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block are the marks of some nodes.
type block struct {
	marks                                    []*mark
	attention, cross, linear, conv, residual int
	recurrent, experts, named, mlps          int
	causal, open                             bool
	word                                     string // "encoder" or "decoder" if a module around it has that name
}

// kinds are the kinds of parts, and how each is recognized. The first one that matches is used.
var kinds = []struct {
	name string
	is   func(b *block) bool
}{
	{"decoder layer", func(b *block) bool { return b.isLayer() && b.decodes() }},
	{"encoder layer", func(b *block) bool { return b.isLayer() && (b.word == "encoder" || b.open) }},
	{"transformer layer", (*block).isLayer},
	{"attention block", func(b *block) bool { return b.attention == 1 && b.conv == 0 && b.recurrent+b.named == 0 }},
	{"residual block", func(b *block) bool { return b.residual == 1 && b.conv > 0 && b.attention+b.recurrent+b.named == 0 }},
	{"convolution", func(b *block) bool { return b.conv == 1 && len(b.marks) == 1 }},
	{"convolution block", func(b *block) bool {
		return b.conv > 0 && b.residual+b.attention+b.recurrent+b.named == 0
	}},
	{"MLP", func(b *block) bool { return b.linear > 1 && b.mlps > 0 && b.linear == len(b.marks) }},
	{"linear layer", func(b *block) bool { return b.linear == 1 && len(b.marks) == 1 }},
	{"mixture of experts", func(b *block) bool { return b.experts == 1 && b.linear+b.experts == len(b.marks) }},
	{"", func(b *block) bool { return len(b.marks) != 1 }},
}

// isLayer reports whether a block is one layer of a transformer: attention to itself, perhaps
// attention to something else, and an MLP.
func (b *block) isLayer() bool {
	return b.attention-b.cross == 1 && b.cross <= 1 && (b.mlps == 1 || b.mlps == 2 || b.experts == 1) && b.recurrent+b.named == 0
}

// decodes reports whether a layer belongs to a decoder.
func (b *block) decodes() bool { return b.causal || b.cross > 0 || b.word == "decoder" }

// kind returns the kind of a block, "" if it is not certain.
func (b *block) kind() string {
	for _, k := range kinds {
		if k.is(b) {
			return k.name
		}
	}
	return b.marks[0].kind
}

// blockOf collects the marks of nodes.
func (v *view) blockOf(nodes []int32) *block {
	b := &block{open: true}
	v.block++
	for _, i := range nodes {
		v.inside[i] = v.block
		if m := v.at[i]; m != nil {
			b.marks = append(b.marks, m)
		}
	}
	for _, m := range b.marks {
		switch m.what {
		case isLinear:
			b.linear++
			if m.linear.mlp > 0 && v.inside[m.linear.first] == v.block {
				b.mlps++
			}
		case isAttention:
			b.attention++
			if b.attention <= maxCores {
				v.attend(b, &m.attention)
			}
		case isConv:
			b.conv++
		case isRecurrent:
			b.recurrent++
		case isExperts:
			b.experts++
		case isNamed:
			b.named++
		}
		if m.residual {
			b.residual++
		}
	}
	return b
}

// maxCores is the number of attentions in a block that are looked at. A layer has one or two.
const maxCores = 3

// attend finds out what an attention in a block attends to.
func (v *view) attend(b *block, a *attention) {
	b.causal = b.causal || a.causal
	b.open = b.open && a.open
	if a.keys == none || a.query == a.keys {
		return
	}
	query, keys := v.sourcesOf(a.query), v.sourcesOf(a.keys)
	apart := len(keys.values) > 0
	cache := false
	for id := range keys.values {
		if query.values[id] {
			apart = false
		} else {
			cache = cache || v.isCache(id)
		}
	}
	switch {
	case apart && len(query.values) > 0:
		b.cross++
	case cache:
		b.causal = true
	}
}

// facts returns the sizes in a block.
func (b *block) facts(v *view) Facts {
	var f Facts
	f.Cross = b.cross > 0
	count := map[string]int{}
	for _, m := range b.marks {
		switch m.what {
		case isAttention:
			f.Heads.add(m.attention.heads)
			f.HeadSize.add(m.attention.size)
			if kv := m.attention.kv; kv != m.attention.heads {
				f.KVHeads.add(kv)
			}
		case isLinear:
			if m.linear.mlp > 0 && v.inside[m.linear.first] == v.block {
				f.MLP.add(m.linear.mlp)
				f.Hidden.add(m.linear.out)
			}
		case isConv:
			if m.conv.kernel != "" {
				count[m.conv.kernel]++
			}
			f.Channels.add(m.conv.channels)
			f.Depthwise = f.Depthwise || m.conv.depthwise
		case isRecurrent:
			f.State.add(m.recurrent.state)
			f.Bidirectional = f.Bidirectional || m.recurrent.bidirectional
		case isExperts:
			f.Experts.add(m.experts)
		}
	}
	for k := range count {
		f.Kernels = append(f.Kernels, k)
	}
	slices.SortFunc(f.Kernels, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	return f
}

// join includes the sizes of another block.
func (f *Facts) join(o Facts) {
	for _, r := range []struct{ to, of *Range }{
		{&f.Heads, &o.Heads},
		{&f.HeadSize, &o.HeadSize},
		{&f.KVHeads, &o.KVHeads},
		{&f.Hidden, &o.Hidden},
		{&f.MLP, &o.MLP},
		{&f.Experts, &o.Experts},
		{&f.Channels, &o.Channels},
		{&f.State, &o.State},
	} {
		r.to.join(*r.of)
	}
	f.Cross, f.Depthwise, f.Bidirectional = f.Cross || o.Cross, f.Depthwise || o.Depthwise, f.Bidirectional || o.Bidirectional
	for _, k := range o.Kernels {
		if !slices.Contains(f.Kernels, k) {
			f.Kernels = append(f.Kernels, k)
		}
	}
}

// sideOf returns "encoder" or "decoder" if one of them, and not the other, is a word of a name; ""
// otherwise. A word ends where a capital letter or another character begins.
func sideOf(name string) string {
	if len(name) > maxWords {
		return ""
	}
	encoder, decoder := false, false
	word := func(s string) {
		switch strings.ToLower(s) {
		case "encoder":
			encoder = true
		case "decoder":
			decoder = true
		}
	}
	start, lower := 0, false
	for i, r := range name {
		letter := unicode.IsLetter(r)
		if !letter || unicode.IsUpper(r) && lower {
			word(name[start:i])
			start = i
			if !letter {
				_, size := utf8.DecodeRuneInString(name[i:]) // an invalid byte is shorter than r
				start = i + size
			}
		}
		lower = unicode.IsLower(r)
	}
	word(name[start:])
	switch {
	case encoder == decoder:
		return ""
	case encoder:
		return "encoder"
	default:
		return "decoder"
	}
}

// maxWords is the length up to which a name is searched for words, in bytes.
const maxWords = 1000
