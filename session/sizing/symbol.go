package sizing

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Axis is one of an input's.
type Axis struct {
	Input string
	Axis  int
}

// Symbol is a size that the model leaves open.
type Symbol struct {
	// Name is what the file calls it, or INPUT:AXIS for an axis without a name.
	Name string
	// Axes are those whose size is the symbol or an expression in it.
	Axes []Axis
	Kind Kind
}

// Kind is what a symbol counts, as far as names, types and positions tell.
type Kind uint8

// The kinds of symbols.
const (
	Other    Kind = iota
	Batch         // samples
	Channels      // of an image
	Height        // of an image
	Width         // of an image
	Sequence      // tokens
	Past          // tokens that a cache holds
	Total         // tokens of the cache and of the sequence
	Latent        // height or width of an image that a decoder enlarges
	Samples       // of sound
	Frames        // of a spectrogram
)

var kindNames = [...]string{"other", "batch", "channels", "height", "width", "sequence", "past", "total", "latent", "samples", "frames"}

func (k Kind) String() string { return kindNames[k] }

// Name is what an axis without a size is called: its symbol, or INPUT:AXIS if it has none or a
// placeholder, which other axes have that need not be equal.
func Name(input string, axis int, d graphops.Dim) string {
	if d.Symbol == "" || shape.IsPlaceholder(d.Symbol) {
		return shape.AxisName(input, axis)
	}
	return d.Symbol
}

// Given is the size that an axis is given, by its name, by the placeholder that stands
// there, or by its expression as messages show it.
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

// Expression is the size of an axis: a number, or what its name reads as.
func Expression(input string, axis int, d graphops.Dim) dim.Dim {
	if !d.IsFixed() && Name(input, axis, d) != d.Symbol {
		return dim.Symbol(shape.AxisName(input, axis))
	}
	return shape.SizeFromFile(d)
}

// leaf is the type of the tensors that a value is or holds.
func leaf(t graphops.Type) graphops.Type {
	for t.Of != nil && t.Kind != graphops.TypeTensor {
		t = *t.Of
	}
	return t
}

// symbolsOf are the symbols of the inputs, in the order in which they occur.
func symbolsOf(inputs []graphops.NamedType) []Symbol {
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
				if s.Kind == Other && isPlain {
					s.Kind = kindOf(in.Name, t, axis, d)
				}
			})
		}
	}
	for i := range out {
		if out[i].Kind == Other {
			out[i].Kind = kindByName(strings.ToLower(out[i].Name))
		}
	}
	return out
}

func hasAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// kindByName is the kind that a name speaks of. A cache comes before a sequence, since
// its name has both words.
func kindByName(name string) Kind {
	switch {
	case hasAny(name, "batch"):
		return Batch
	case hasAny(name, "total"):
		return Total
	case hasAny(name, "past", "cache_len", "prefix"):
		return Past
	case hasAny(name, "channel"):
		return Channels
	case hasAny(name, "latent"):
		return Latent
	case hasAny(name, "height") || name == "h":
		return Height
	case hasAny(name, "width") || name == "w":
		return Width
	case hasAny(name, "sample"):
		return Samples
	case hasAny(name, "frame"):
		return Frames
	case hasAny(name, "seq", "token", "len"):
		return Sequence
	}
	return Other
}

// IsCache reports whether a symbol is named for the tokens that a cache holds.
func IsCache(name string) bool { return kindByName(strings.ToLower(name)) == Past }

// kindOf is the kind of a symbol that is the size of an axis.
func kindOf(input string, t graphops.Type, axis int, d graphops.Dim) Kind {
	name, input := strings.ToLower(d.Symbol), strings.ToLower(input)
	k, rank := kindByName(name), len(t.Shape)
	if (k == Height || k == Width || k == Other && rank == 4 && axis >= 2) && hasAny(input, "latent", "sample") {
		return Latent
	}
	isFloat, last := t.Elem.Kind() == tensor.KindFloat, axis == rank-1
	switch {
	case k == Sequence && isFloat && rank == 2 && last && isSound(input):
		return Samples
	case k != Other:
		return k
	case CountsSamples(d, axis):
		return Batch
	case isFloat && rank == 4 && !hasAny(input, "past", "cache", "key", "value"):
		return imageAxis(t, axis)
	case isFloat && rank <= 3 && last && isSound(input):
		return Samples
	case !isFloat && rank == 2 && last:
		return Sequence
	}
	return Other
}

// isSound reports whether an input takes a wave, by its name.
func isSound(input string) bool {
	return hasAny(input, "input_values", "audio", "wav", "speech", "sound", "pcm")
}

// imageAxis is the kind of an axis of an image, whose channels lie last if that axis
// alone has a small size.
func imageAxis(t graphops.Type, axis int) Kind {
	kinds := [...]Kind{Batch, Channels, Height, Width}
	if last, second := t.Shape[3], t.Shape[1]; last.IsFixed() && last.Value <= 4 && !second.IsFixed() {
		kinds = [...]Kind{Batch, Height, Width, Channels}
	}
	return kinds[axis]
}

// lengths are parts of symbols that mean a length and not a number of samples.
var lengths = []string{"seq", "len", "time", "past", "step", "frame", "token", "num_", "height", "width"}

// CountsSamples reports whether an axis without a size counts samples: its symbol says
// so, or it comes first and its symbol does not speak of a length. Exporters that know
// no names write "None", "unk__12" or "s0" there.
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
