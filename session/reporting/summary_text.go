package reporting

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/sizing"
	"lathe/session/text"
)

// mainSizes describes the sizes of the input by which a model is measured: tokens or an image. It
// returns nil for other inputs.
func mainSizes(in graphops.NamedType, role string, size func(in graphops.NamedType, axis int) int64) []string {
	rank := len(in.Type.Shape)
	switch {
	case role == "ids" && rank == 2:
		return []string{fmt.Sprintf("batch %d", size(in, 0)), text.Plural(int(size(in, 1)), "token")}
	case role == "image" && rank == 4:
		side := []int{2, 3}
		if colours(in.Type) == 3 {
			side = []int{1, 2}
		}
		return []string{fmt.Sprintf("batch %d", size(in, 0)), fmt.Sprintf("%d×%d", size(in, side[0]), size(in, side[1]))}
	case role == "sound" && rank == 2:
		return []string{fmt.Sprintf("batch %d", size(in, 0)), text.Plural(int(size(in, 1)), "sample")}
	default:
		return nil
	}
}

// symbolText describes the size of a symbol that is not one of the main sizes. It returns "" for a
// size that says nothing: of channels, or a sum of others.
func symbolText(s sizing.Symbol, n int64, main bool) string {
	switch kind := s.Kind.String(); {
	case kind == "channels" || kind == "total":
		return ""
	case kind == "past":
		return fmt.Sprintf("%d cached", n)
	case kind == "batch" && !main:
		return fmt.Sprintf("batch %d", n)
	case kind == "sequence" && !main:
		return text.Plural(int(n), "token")
	default:
		return fmt.Sprintf("%s %d", s.Name, n)
	}
}

// maxSentenceParts is the maximum number of parts in the sentence about a model.
const maxSentenceParts = 3

// Clauses says what the model is, in pieces that make a sentence together.
func (s *Summary) Clauses() []string {
	out := append(s.PartClauses(), s.weightClauses()...)
	if len(s.Inputs) > 0 {
		out = append(out, s.inputText())
	}
	return append(out, s.batchClauses()...)
}

// FigureClauses are the clauses about the size of the model and its batch.
func (s *Summary) FigureClauses() []string { return append(s.weightClauses(), s.batchClauses()...) }

// PartClauses are the clauses about the parts of the model.
func (s *Summary) PartClauses() []string {
	var out []string
	for _, l := range s.PartLines() {
		out = append(out, l.Text)
	}
	return out
}

// PartLine is a clause about a part of the model.
type PartLine struct {
	Text string
	Part int // the index in Parts, and in those of Found; -1 if it is about no part
}

// PartLines are the clauses about the parts of the model, each with its part. If a clause is about several
// parts, it has the first of them.
func (s *Summary) PartLines() []PartLine {
	var out []PartLine
	parts := slices.Clone(s.Parts)
	for i := range parts {
		parts[i].index = i
	}
	for i, p := range mergedParts(parts) {
		if i == maxSentenceParts {
			out = append(out, PartLine{"…", -1})
			break
		}
		out = append(out, PartLine{p.String(), p.index})
	}
	if len(s.Parts) == 0 {
		out = append(out, PartLine{s.opText(), -1})
	}
	return out
}

func (s *Summary) weightClauses() []string {
	var out []string
	if s.Parameters > 0 {
		out = append(out, s.parameterText())
	}
	if s.MACs != nil && *s.MACs > 0 {
		out = append(out, s.macsText())
	}
	return out
}

func (s *Summary) batchClauses() []string {
	switch s.Batch.Axis {
	case "free":
		return []string{"batch free"}
	case "fixed":
		return []string{fmt.Sprintf("batch fixed at %d", s.Batch.Size)}
	}
	return nil
}

// simple are kinds of parts that are one operator. The sentence says how many there are in all.
var simple = map[string]bool{"attention": true, "convolution": true, "linear layer": true, "transposed convolution": true}

// mergedParts joins the parts of each simple kind.
func mergedParts(list []SummaryPart) []SummaryPart {
	var out []SummaryPart
	for _, p := range list {
		i := slices.IndexFunc(out, func(o SummaryPart) bool { return simple[p.Kind] && o.Kind == p.Kind })
		if i < 0 {
			out = append(out, p)
			continue
		}
		o := &out[i]
		o.Count += p.Count
		o.Layers = nil
		o.Channels, o.Heads, o.HeadSize = joined(o.Channels, p.Channels), joined(o.Heads, p.Heads), joined(o.HeadSize, p.HeadSize)
		o.Depthwise = o.Depthwise || p.Depthwise
		kernels := slices.Clone(o.Kernels)
		for _, k := range p.Kernels {
			if !slices.Contains(kernels, k) {
				kernels = append(kernels, k)
			}
		}
		o.Kernels = kernels
	}
	return out
}

// joined returns the range of two ranges.
func joined(a, b []int64) []int64 {
	all := append(slices.Clone(a), b...)
	if len(all) == 0 {
		return nil
	}
	lo, hi := slices.Min(all), slices.Max(all)
	if lo == hi {
		return []int64{lo}
	}
	return []int64{lo, hi}
}

// opText lists the most frequent operators.
func (s *Summary) opText() string {
	var out []string
	for i, o := range s.ops {
		if i == maxSentenceParts {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%d × %s", o.Count, o.Op))
	}
	if len(out) == 0 {
		return "no nodes"
	}
	return strings.Join(out, ", ")
}

// String describes the part, such as "62 × encoder layer (attention 8 × 40, MLP 1280)".
func (p SummaryPart) String() string {
	if facts := p.facts(); len(facts) > 0 {
		return p.Name() + " (" + strings.Join(facts, ", ") + ")"
	}
	return p.Name()
}

// facts describes the sizes in a part.
func (p SummaryPart) facts() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if p.Heads != nil {
		s := "attention "
		if p.Kind == "attention" {
			s = ""
		}
		s += rangeText(p.Heads)
		if p.HeadSize != nil {
			s += " × " + rangeText(p.HeadSize)
		} else {
			s += " heads"
		}
		add("%s", s)
	}
	if p.KVHeads != nil {
		add("%s KV heads", rangeText(p.KVHeads))
	}
	if p.Cross {
		add("cross-attention")
	}
	switch {
	case p.MLP == nil:
	case p.Kind == "MLP":
		add("%s → %s", rangeText(p.Hidden), rangeText(p.MLP))
	default:
		add("MLP %s", rangeText(p.MLP))
	}
	if p.Experts != nil {
		add("%s experts", rangeText(p.Experts))
	}
	if len(p.Kernels) > 0 && p.Heads == nil {
		kernels := strings.Join(p.Kernels[:min(len(p.Kernels), maxSentenceParts)], ", ")
		if len(p.Kernels) > maxSentenceParts {
			kernels += " …"
		}
		add("%s", kernels)
	}
	if p.Depthwise && p.Heads == nil {
		add("depthwise")
	}
	if p.Channels != nil && p.Heads == nil {
		add("%s channels", rangeText(p.Channels))
	}
	if p.State != nil {
		add("%s wide", rangeText(p.State))
	}
	if p.Bidirectional {
		add("bidirectional")
	}
	return append(out, p.layerClauses()...)
}

// rangeText formats a size, or the smallest and the largest one.
func rangeText(r []int64) string {
	switch len(r) {
	case 0:
		return "?"
	case 1:
		return fmt.Sprint(r[0])
	default:
		return fmt.Sprintf("%d–%d", r[0], r[1])
	}
}

// maxWeightTypes is the maximum number of types of weights in the sentence.
const maxWeightTypes = 3

// parameterText says how many parameters there are, and their types.
func (s *Summary) parameterText() string {
	out := spaced(s.Parameters) + " parameters"
	if s.Parameters == 1 {
		out = "1 parameter"
	}
	var types []string
	for i, w := range s.Weights {
		share := float64(w.Elements) / float64(s.Parameters)
		if i == maxWeightTypes || i > 0 && share < 0.05 {
			break
		}
		if i > 0 && (w.Type == "i64" || w.Type == "i32" || w.Type == "bool") {
			continue // sizes and indices
		}
		types = append(types, fmt.Sprintf("%s %.0f %%", w.Type, 100*share))
		if share >= 0.95 {
			types = []string{w.Type}
		}
	}
	if len(types) > 0 {
		out += ", " + strings.Join(types, ", ")
	}
	return out
}

// SizesText returns Sizes in words, for example "batch 1, 224×224". It is "" if no axis is free.
func (s *Summary) SizesText() string { return s.at }

// macsText says how many multiply-accumulates a run needs, and at which sizes.
func (s *Summary) macsText() string {
	out := spacedUnit(*s.MACs, "MACs")
	if s.MACsUnknownNodes > 0 {
		out = "at least " + out
	}
	if s.at != "" {
		out += " at " + s.at
	}
	return out
}

// spaced formats a count with a unit after a space, as in "79.2 M".
func spaced(n int64) string {
	short := text.Short(n)
	if last := len(short) - 1; short[last] > '9' {
		return short[:last] + " " + short[last:]
	}
	return short
}

// spacedUnit formats a count of something, as in "10.4 GMACs".
func spacedUnit(n int64, unit string) string {
	if out := spaced(n); strings.Contains(out, " ") {
		return out + unit
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// maxInputs is the maximum number of inputs in the sentence.
const maxInputs = 4

// inputText lists the inputs.
func (s *Summary) inputText() string {
	var out []string
	for i, in := range s.Inputs {
		if i == maxInputs {
			out = append(out, "…")
			break
		}
		name := in.Role
		if name == "" {
			name = in.Names[0]
		}
		if len(in.Names) > 1 {
			name += fmt.Sprintf(" (%d)", len(in.Names))
		}
		out = append(out, name)
	}
	if len(s.Inputs) == 1 && len(s.Inputs[0].Names) == 1 {
		return "input " + out[0]
	}
	return "inputs " + strings.Join(out, ", ")
}

// Name names the part, such as "62 × encoder layer".
func (p SummaryPart) Name() string {
	return fmt.Sprintf("%s × %s", text.Count(int64(p.Count)), p.kind())
}

// kind is the kind of the part, or else the name of its modules.
func (p SummaryPart) kind() string {
	if p.Kind == "" {
		return path.Base(p.Module)
	}
	return p.Kind
}
