package architecture

import (
	"cmp"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Cache is a cache or state of one layer, with its size.
type Cache struct {
	Past, Present string // inputs and outputs of the model; one of them can be missing
	Content       roles.Content
	Kind          string // one of the kinds
	Form          string // by what it is recognized
	Cross         bool   // of keys and values of an encoder
	Elem          tensor.DType
	// Per says of what Bytes are. They are those of one sequence. It is Unknown if a size is not known.
	Per   Per
	Bytes int64
	// Window is how many positions it keeps; 0 if that is not limited. It is Fixed then.
	Window int64
	// Beyond is how many positions the layer looks back, if the cache grows without that limit.
	Beyond  int64
	Assumed string // what no node shows

	heads, size int64 // 0 if not known
	bits        int64 // of an element that is packed into bytes, 0 if it is not
	dims        []dim.Dim
	axis        int
}

// Per is of what the bytes of a cache are.
type Per uint8

// What the bytes are of.
const (
	Unknown  Per = iota
	Position     // of each position
	Encoded      // of each position of the encoder
	Fixed        // of all that it ever has
)

// The kinds of caches, as people see them.
const (
	KindShared  = "shared cache"  // past and present can be one buffer
	KindGrowing = "growing cache" // each run returns a longer one
	KindSliding = "sliding cache"
	KindIndexed = "static cache" // written at an index
	KindPaged   = "paged cache"
	KindState   = "state"
	KindConv    = "conv state"
	KindRead    = "read-only cache"
)

func kindOf(p *roles.Pair) string {
	switch {
	case p.Form != nil && p.Form.Name == "paged":
		return KindPaged
	case p.Content == roles.ConvState:
		return KindConv
	case p.Growth == roles.Slides:
		return KindSliding
	case p.Growth == roles.Indexed:
		return KindIndexed
	case p.Growth == roles.MayShare || p.Growth == roles.Shares:
		return KindShared
	case p.Growth == roles.Grows:
		return KindGrowing
	case p.Growth == roles.Unchanged:
		return KindRead
	default:
		return KindState
	}
}

func (c *Cache) name() string { return cmp.Or(c.Past, c.Present) }

// holdsHeads reports whether the cache has keys or values.
func (c *Cache) holdsHeads() bool {
	return c.Content == roles.Key || c.Content == roles.Value || c.Content == roles.KeyAndValue
}

// places are the caches of each repetition of each part.
type places struct {
	parts map[int]map[int][]int // part, repetition, caches
	homes []home                // of the caches
}

// caches finds the caches, and the layers that read or make them.
func (f *finder) caches(a *Architecture) places {
	at := places{parts: map[int]map[int][]int{}}
	for i := range f.ports.Pairs {
		p := &f.ports.Pairs[i]
		c := Cache{Past: p.Past, Present: p.Present, Content: p.Content, Kind: kindOf(p), Cross: p.Cross, axis: p.Axis}
		if p.Form != nil {
			c.Form = p.Form.Title
		}
		if p.Growth == roles.Slides {
			c.Window = p.Window
		}
		f.measure(&c)
		h := f.homeOf(p)
		if h != nowhere {
			if at.parts[h.part] == nil {
				at.parts[h.part] = map[int][]int{}
			}
			at.parts[h.part][h.layer] = append(at.parts[h.part][h.layer], i)
		}
		a.Caches, at.homes = append(a.Caches, c), append(at.homes, h)
	}
	return at
}

// measure reads the type of a cache.
func (f *finder) measure(c *Cache) {
	main := f.m.Places()[0]
	id, ok := main.Graph.Index().Value(c.name())
	if !ok {
		return
	}
	c.Elem, c.dims = main.Type(id).Elem, f.dims(main, c.name())
	if declared := shape.FromFile(main.Type(id)).Dims; c.dims == nil {
		c.dims = declared
	}
	d := c.dims
	if c.axis < 0 && c.Past == "" && c.holdsHeads() && len(d) == 4 {
		c.axis = onlyFree(d[1:]) + 1 // a cache that begins here: nothing is joined with it yet
	}
	switch {
	case !c.holdsHeads() || c.axis <= 0:
	case c.Content == roles.KeyAndValue && len(d) == 5 && c.axis == 3:
		c.heads, c.size = number(d[2]), number(d[4])
	case len(d) == 4 && c.axis == 2:
		c.heads, c.size = number(d[1]), number(d[3])
	case len(d) == 4 && c.axis == 1:
		c.heads, c.size = number(d[2]), number(d[3])
	case len(d) == 4 && c.axis == 3: // keys as they are multiplied
		c.heads, c.size = number(d[1]), number(d[2])
	}
	for _, n := range f.nodes {
		if v, ok := integer(n, "kv_cache_bit_width"); ok && v > 0 && v < 8 && slices.Contains(n.Inputs(), c.Past) {
			c.bits = v
		}
	}
}

// onlyFree returns the only axis that is not fixed, or -1.
func onlyFree(dims []dim.Dim) int {
	at := -1
	for i, d := range dims {
		if number(d) > 0 {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// number returns a size, 0 if it is not a positive number.
func number(d dim.Dim) int64 {
	n, ok := d.Number()
	if !ok {
		return 0
	}
	return max(n, 0)
}

// moving are operators through which a cache passes between an input or output and its layer.
var moving = map[string]bool{
	"Cast": true, "DequantizeLinear": true, "Gather": true, "Identity": true, "QuantizeLinear": true, "Reshape": true, "Slice": true, "Split": true, "Squeeze": true,
	"Transpose": true, "Unsqueeze": true, "Concat": true, "If": true,
}

// homeOf returns the repetition that reads the past of a pair, or that makes its present.
func (f *finder) homeOf(p *roles.Pair) home {
	if id := f.value(p.Past); id != none {
		next := []graphops.ValueID{id}
		for visited := 0; len(next) > 0 && visited < maxHops; visited++ {
			readers := f.x.Readers(next[0])
			next = next[1:]
			for _, r := range readers[:min(len(readers), maxHops)] {
				if f.home[r] != nowhere {
					return f.home[r]
				}
				if n := f.nodes[r]; moving[n.StandardOp()] {
					for _, name := range n.Outputs() {
						if id := f.value(name); id != none {
							next = append(next, id)
						}
					}
				}
			}
		}
	}
	next := []graphops.ValueID{f.value(f.inPlace(p.Present))}
	for visited := 0; len(next) > 0 && visited < maxHops; visited++ {
		id := next[0]
		next = next[1:]
		if id == none {
			continue
		}
		at := f.x.Producer(id)
		if at < 0 {
			continue
		}
		if f.home[at] != nowhere {
			return f.home[at]
		}
		if n := f.nodes[at]; moving[n.StandardOp()] {
			for i := range n.Inputs() {
				next = append(next, f.in(n, i))
			}
		}
	}
	return nowhere
}

// inPlace returns the name that an output of the model has in the place of the layers: another one if
// that is a body, whose outputs are those of the node with the body.
func (f *finder) inPlace(name string) string {
	p := f.place
	if p.Parent == nil || p.Parent.Parent != nil || name == "" {
		return name
	}
	holder := p.Holder()
	if holder == nil {
		return name
	}
	if i := slices.Index(holder.Outputs(), name); i >= 0 && i < len(p.Graph.Outputs()) {
		return p.Graph.Outputs()[i].Name()
	}
	return name
}
