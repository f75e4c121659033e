package reporting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/architecture"
	"lathe/session/text"
)

// Layers are layers of a part with the same facts. A fact that is not known, or does not exist, is
// left out.
type Layers struct {
	Layers     []int                   `json:"layers"` // counted from 0
	Heads      int64                   `json:"heads,omitempty"`
	KVHeads    int64                   `json:"kv_heads,omitempty"`
	HeadSize   int64                   `json:"head_size,omitempty"`
	Hidden     int64                   `json:"hidden,omitempty"`
	Window     int64                   `json:"window,omitempty"`
	Cache      string                  `json:"cache,omitempty"`
	Rotary     *LayersRotary           `json:"rotary,omitempty"`
	Weights    []LayersWeights         `json:"weights,omitempty"`
	Norm       string                  `json:"norm,omitempty"`
	Epsilon    float64                 `json:"epsilon,omitempty"`
	Activation string                  `json:"activation,omitempty"`
	Gated      bool                    `json:"gated,omitempty"`
	Experts    int64                   `json:"experts,omitempty"`
	TopK       int64                   `json:"top_k,omitempty"`
	Softcap    float64                 `json:"softcap,omitempty"`
	Evidence   []architecture.Evidence `json:"evidence"`
}

// LayersRotary is a rotary embedding. Base is left out if the frequencies are not powers of one number.
type LayersRotary struct {
	Base        float64 `json:"base,omitempty"`
	Factor      float64 `json:"factor,omitempty"` // by how much the lowest frequency is lowered
	Uniform     bool    `json:"uniform,omitempty"`
	Size        int64   `json:"size,omitempty"` // elements of a head that are turned
	Interleaved bool    `json:"interleaved"`
}

// LayersWeights says how weights are quantized.
type LayersWeights struct {
	Bits  int64 `json:"bits"`
	Group int64 `json:"group"`
}

// blockLayers makes the kinds of layers of a block a part of a report.
func blockLayers(b *architecture.Block) []Layers {
	var out []Layers
	for i := range b.Kinds {
		k := &b.Kinds[i]
		l := Layers{
			Layers: k.Layers, Heads: k.Heads, KVHeads: k.KVHeads, HeadSize: k.HeadSize, Hidden: k.Hidden, Window: k.Window, Cache: k.Cache, Norm: k.Norm,
			Epsilon: k.Epsilon, Activation: k.Activation, Gated: k.Gated, Experts: k.Experts, TopK: k.TopK, Softcap: k.Softcap, Evidence: OrEmpty(k.Evidence),
		}
		if r := k.Rotary; r.Exists {
			l.Rotary = &LayersRotary{r.Base, r.Factor, r.Base > 0 && r.Uniform, r.Size, r.Interleaved}
		}
		for _, p := range k.Weights {
			l.Weights = append(l.Weights, LayersWeights(p))
		}
		out = append(out, l)
	}
	return out
}

// layerFacts are facts of layers in words, "" for none. Those with a place in the sentence are marked.
var layerFacts = []struct {
	name   string // also of the evidence
	inLine bool
	text   func(l *Layers) string
}{
	{"heads", false, func(l *Layers) string { return count(l.Heads) }},
	{"kv heads", false, func(l *Layers) string { return count(l.KVHeads) }},
	{"head size", false, func(l *Layers) string { return count(l.HeadSize) }},
	{"hidden", false, func(l *Layers) string { return count(l.Hidden) }},
	{"window", true, func(l *Layers) string { return count(l.Window) }},
	{"rotary", true, (*Layers).rotaryText},
	{"weights", true, (*Layers).weightsText},
	{"experts", false, (*Layers).expertsText},
	{"cache", true, func(l *Layers) string { return l.Cache }},
	{"norm", false, func(l *Layers) string { return l.Norm }},
	{"epsilon", false, func(l *Layers) string { return real(l.Epsilon) }},
	{"activation", false, (*Layers).activationText},
	{"softcap", false, func(l *Layers) string { return real(l.Softcap) }},
}

// count formats a number; "" for 0.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return text.Count(n)
}

func real(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%g", v)
}

// base formats the base of a rotary embedding.
func base(v float64) string {
	if v == math.Trunc(v) && v < 1e15 {
		return text.Count(int64(v))
	}
	return fmt.Sprintf("%.7g", v)
}

func (l *Layers) rotaryText() string {
	r := l.Rotary
	if r == nil {
		return ""
	}
	out := "rotary"
	if r.Base > 0 {
		out = "rotary base " + base(r.Base)
	}
	switch {
	case r.Base == 0 || r.Factor == 1:
	case r.Uniform:
		out += fmt.Sprintf(" / %g", r.Factor)
	default:
		out += fmt.Sprintf(", slow ones / %g", r.Factor)
	}
	if r.Size > 0 && l.HeadSize > 0 && r.Size < l.HeadSize {
		out += fmt.Sprintf(" on %d of %d", r.Size, l.HeadSize)
	}
	return out
}

func (l *Layers) weightsText() string {
	var out []string
	for _, w := range l.Weights {
		out = append(out, fmt.Sprintf("int%d in groups of %d", w.Bits, w.Group))
	}
	return strings.Join(out, " and ")
}

func (l *Layers) expertsText() string {
	if l.Experts == 0 || l.TopK == 0 {
		return count(l.Experts)
	}
	return fmt.Sprintf("%d of %d for each token", l.TopK, l.Experts)
}

func (l *Layers) activationText() string {
	if l.Gated {
		return l.Activation + ", gated"
	}
	return l.Activation
}

// variant is a value of a fact with the layers that have it. first is the index of the first kind of
// layers that has it.
type variant struct {
	text  string
	first int
}

// variants returns the values of a fact in layers.
func variants(list []Layers, of func(l *Layers) string) []variant {
	where, total := map[string][]int{}, 0
	var out []variant
	for i := range list {
		s := of(&list[i])
		total += len(list[i].Layers)
		if _, ok := where[s]; !ok && s != "" {
			out = append(out, variant{s, i})
		}
		where[s] = append(where[s], list[i].Layers...)
	}
	for i := range out {
		switch {
		case i == len(out)-1 && i > 0 && len(where[""]) == 0:
			out[i].text += " in the others"
		default:
			out[i].text += layersText(where[out[i].text], total)
		}
	}
	return out
}

// layersText says which of the layers of a part have something; "" for all.
func layersText(layers []int, total int) string {
	if len(layers) == total {
		return ""
	}
	layers = slices.Sorted(slices.Values(layers))
	step := 0
	for i := 1; i < len(layers); i++ {
		if d := layers[i] - layers[i-1]; step == 0 {
			step = d
		} else if d != step {
			step = -1
		}
	}
	if step > 1 && layers[0] < step && layers[len(layers)-1]+step >= total {
		return fmt.Sprintf(" in every %s layer", ordinal(step))
	}
	return fmt.Sprintf(" in %d of %d layers", len(layers), total)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// layerClauses are what the sentence says of the layers of a part.
func (p SummaryPart) layerClauses() []string {
	var out []string
	for _, f := range layerFacts {
		if !f.inLine {
			continue
		}
		for _, v := range variants(p.Layers, f.text) {
			if f.name == "window" {
				v.text = "window " + v.text
			}
			out = append(out, v.text)
		}
	}
	return out
}
