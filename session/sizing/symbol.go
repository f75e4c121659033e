package sizing

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Axis is an axis of an input.
type Axis struct {
	Input string
	Axis  int
}

// Symbol is a free size of the model's inputs. Several axes may have it.
type Symbol struct {
	// Name is the symbol in the file, or INPUT:AXIS for an axis without one.
	Name string
	// Axes are the axes whose size is the symbol or an expression that contains it.
	Axes []Axis
	Kind Kind
	// encoded is set for a sequence that an encoder has read.
	encoded bool
}

// Kind is what a symbol counts. It is derived from names, types and positions of axes, so it may be
// wrong.
type Kind uint8

// The kinds of symbols.
const (
	kindOther    Kind = iota
	kindBatch         // items of a batch
	kindChannels      // of an image
	kindHeight        // of an image
	kindWidth         // of an image
	kindSequence      // tokens
	kindPast          // tokens in a cache
	kindTotal         // tokens in the cache and the sequence together
	kindLatent        // height or width of a latent, which a decoder enlarges to an image
	kindSamples       // samples of sound
	kindFrames        // frames of a spectrogram
)

var kindNames = [...]string{"other", "batch", "channels", "height", "width", "sequence", "past", "total", "latent", "samples", "frames"}

func (k Kind) String() string { return kindNames[k] }

// Name returns the name of a free axis: its symbol, or INPUT:AXIS if it has none. An axis with a
// placeholder such as "?" also gets INPUT:AXIS, because axes with the same placeholder may have
// different sizes.
func Name(input string, axis int, d graphops.Dim) string {
	if d.Symbol == "" || shape.IsPlaceholder(d.Symbol) {
		return shape.AxisName(input, axis)
	}
	return d.Symbol
}

// Given returns the size that was given for an axis. The key in sizes may be the axis's name, its
// placeholder, or its expression as messages show it.
func Given(sizes map[string]int64, input string, axis int, d graphops.Dim) (n int64, ok bool) {
	if d.IsFixed() {
		return 0, false
	}
	for _, name := range []string{Name(input, axis, d), d.Symbol, d.String()} {
		if n, ok = sizes[name]; ok {
			return n, true
		}
	}
	return 0, false
}

// Expression returns the size of an axis: a number, or the expression in its symbol, such as
// 2*batch.
func Expression(input string, axis int, d graphops.Dim) dim.Dim {
	if !d.IsFixed() && Name(input, axis, d) != d.Symbol {
		return dim.Symbol(shape.AxisName(input, axis))
	}
	return shape.SizeFromFile(d)
}

// leaf returns the type of the tensors in a value. For a tensor, this is the type itself. For a
// sequence or an optional, it is the type of its elements.
func leaf(t graphops.Type) graphops.Type {
	for t.Of != nil && t.Kind != graphops.TypeTensor {
		t = *t.Of
	}
	return t
}

// symbolsOf returns the symbols in the shapes of the inputs, in the order in which they occur.
func symbolsOf(inputs []graphops.NamedType, found *roles.Roles) []Symbol {
	var out []Symbol
	at := map[string]int{}
	for _, in := range inputs {
		t := leaf(in.Type)
		for axis, d := range t.Shape {
			e := Expression(in.Name, axis, d)
			_, isPlain := e.IsSymbol()
			e.Symbols(func(name string) {
				i, known := at[name]
				if !known {
					i = len(out)
					at[name] = i
					out = append(out, Symbol{Name: name})
				}
				s := &out[i]
				if a := (Axis{in.Name, axis}); !slices.Contains(s.Axes, a) {
					s.Axes = append(s.Axes, a)
				}
				if s.Kind == kindOther && isPlain {
					s.Kind = kindOf(in.Name, t, axis, d, roleOf(found, in.Name), found)
				}
			})
		}
	}
	for i := range out {
		if out[i].Kind == kindOther {
			out[i].Kind = kindByName(strings.ToLower(out[i].Name))
		}
	}
	markEncoded(out, found)
	return out
}

func hasAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// kindByName returns the kind that a name suggests. Words for a cache are tested before words for a
// sequence, because names of caches contain both.
func kindByName(name string) Kind {
	switch {
	case hasAny(name, "batch"):
		return kindBatch
	case hasAny(name, "total"):
		return kindTotal
	case hasAny(name, "past", "cache_len", "prefix"):
		return kindPast
	case hasAny(name, "channel"):
		return kindChannels
	case hasAny(name, "latent"):
		return kindLatent
	case hasAny(name, "height") || name == "h":
		return kindHeight
	case hasAny(name, "width") || name == "w":
		return kindWidth
	case hasAny(name, "sample"):
		return kindSamples
	case hasAny(name, "frame"):
		return kindFrames
	case hasAny(name, "seq", "token", "len"):
		return kindSequence
	}
	return kindOther
}

// kindOf returns the kind of a symbol that is the size of an axis, from the names of both, the role
// of the input, the type, and the position of the axis.
func kindOf(input string, t graphops.Type, axis int, d graphops.Dim, p roles.Port, found *roles.Roles) Kind {
	name, input := strings.ToLower(d.Symbol), strings.ToLower(input)
	k, rank := kindByName(name), len(t.Shape)
	if (k == kindHeight || k == kindWidth || k == kindOther && rank == 4 && axis >= 2) && hasAny(input, "latent", "sample") {
		return kindLatent
	}
	isFloat, last := t.Elem.Kind() == tensor.KindFloat, axis == rank-1
	switch {
	case k == kindSequence && isFloat && rank == 2 && last && isSound(input):
		return kindSamples
	case k != kindOther:
		return k
	case kindByRole(found, p, rank, axis) != kindOther:
		return kindByRole(found, p, rank, axis)
	case CountsSamples(d, axis):
		return kindBatch
	case isFloat && rank == 4 && isImage(p) && !hasAny(input, "past", "cache", "key", "value"):
		return imageAxis(t, axis)
	case isFloat && rank <= 3 && last && isSound(input):
		return kindSamples
	case !isFloat && rank == 2 && last:
		return kindSequence
	}
	return kindOther
}

// isSound reports whether the name of an input says that it takes samples of sound.
func isSound(input string) bool {
	return hasAny(input, "input_values", "audio", "wav", "speech", "sound", "pcm")
}

// imageAxis returns the kind of an axis of an image. Channels are the second axis. They are the
// last axis if only that one is fixed, and is small.
func imageAxis(t graphops.Type, axis int) Kind {
	kinds := [...]Kind{kindBatch, kindChannels, kindHeight, kindWidth}
	if last, second := t.Shape[3], t.Shape[1]; last.IsFixed() && last.Value <= 4 && !second.IsFixed() {
		kinds = [...]Kind{kindBatch, kindHeight, kindWidth, kindChannels}
	}
	return kinds[axis]
}

// lengths are parts of symbols that count a length and not samples.
var lengths = []string{"seq", "len", "time", "past", "step", "frame", "token", "num_", "height", "width"}

// CountsSamples reports whether a free axis counts the samples of a batch. Either its symbol says
// so, or it is the first axis and its symbol is not a word for a length. The first axis often has a
// meaningless symbol such as "None", "unk__12" or "s0", because the exporter knew no names.
func CountsSamples(d graphops.Dim, axis int) bool {
	symbol := strings.ToLower(d.Symbol)
	switch {
	case d.IsFixed():
		return false
	case strings.Contains(symbol, "batch"):
		return true
	case axis != 0:
		return false
	}
	return !hasAny(symbol, lengths...)
}
