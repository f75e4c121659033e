package reporting

import (
	"context"
	"strings"

	"lathe/graphops"
	"lathe/graphops/architecture"
	"lathe/graphops/aside"
	"lathe/graphops/cost"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
	"lathe/graphops/tensor"
	"lathe/session/sizing"
)

// Summary says what a model is: its parts, its size, its inputs and its batch axis. It says only
// what is certain; what is not known is 0, "" or null.
type Summary struct {
	Text       string           `json:"text"` // the sentence that commands and the workbench show
	Parts      []SummaryPart    `json:"parts"`
	Parameters int64            `json:"parameters"` // elements of weights, also of those that are packed into bytes
	Weights    []SummaryWeights `json:"weights"`
	// MACs are those of one run at Sizes. They are null if they were not computed, or if nothing of
	// them is known. MACsUnknownNodes is the number of nodes whose MACs are not part of it.
	MACs             *int64           `json:"macs"`
	MACsUnknownNodes int              `json:"macs_unknown_nodes"`
	Sizes            map[string]int64 `json:"sizes"` // of free axes, as chosen for a measurement
	Inputs           []SummaryInput   `json:"inputs"`
	Batch            SummaryBatch     `json:"batch"`
	// Cache is what the caches take, null if the model has no cache. Vocabulary is the number of different
	// tokens. Tied says whether embedding and output head are one tensor; it is null if that is not
	// known.
	Cache      *Cache `json:"cache"`
	Vocabulary int64  `json:"vocabulary,omitempty"`
	Tied       *bool  `json:"tied"`

	// Found has the nodes of the parts, in the same order.
	Found *summary.Summary `json:"-"`
	// Roles are what the inputs and outputs are for.
	Roles *roles.Roles `json:"-"`
	// Architecture is how the transformer is built.
	Architecture *architecture.Architecture `json:"-"`

	at    string // the sizes in words
	ops   []cost.OpCount
	roles inputRoles
}

// SummaryPart is a part of a model that occurs once or several times. A size with two numbers is
// the smallest and the largest one.
type SummaryPart struct {
	Count         int      `json:"count"`
	Kind          string   `json:"kind"`   // "" if it is not certain
	Module        string   `json:"module"` // a path with * in place of numbers, "" if there are no modules
	Heads         []int64  `json:"heads,omitempty"`
	HeadSize      []int64  `json:"head_size,omitempty"`
	KVHeads       []int64  `json:"kv_heads,omitempty"` // if other than heads
	Cross         bool     `json:"cross_attention,omitempty"`
	Hidden        []int64  `json:"hidden,omitempty"`
	MLP           []int64  `json:"mlp,omitempty"`
	Experts       []int64  `json:"experts,omitempty"`
	Kernels       []string `json:"kernels,omitempty"`
	Channels      []int64  `json:"channels,omitempty"`
	Depthwise     bool     `json:"depthwise,omitempty"`
	State         []int64  `json:"state,omitempty"` // of recurrent layers
	Bidirectional bool     `json:"bidirectional,omitempty"`
	// Layers are the kinds of layers of a part that has attention or a cache.
	Layers []Layers `json:"layers,omitempty"`

	Nodes       int   `json:"nodes"` // of all repetitions
	Parameters  int64 `json:"parameters"`
	WeightBytes int64 `json:"weight_bytes"`

	index int // in the summary
}

// SummaryWeights is a type of weights and the number of their elements.
type SummaryWeights struct {
	Type     string `json:"type"`
	Elements int64  `json:"elements"`
}

// SummaryInput is one input, or several of the same role.
type SummaryInput struct {
	Role  string   `json:"role"` // such as "mask", "" if it is not certain
	Names []string `json:"names"`
}

// SummaryBatch says whether a model takes several samples at once.
type SummaryBatch struct {
	Axis string `json:"axis"` // "free", "fixed", or "" if it is not certain which axis that is
	Size int64  `json:"size"` // if it is fixed
}

// SummaryOf summarizes a model. costs may be nil; then sizes within the model and MACs are not
// known. given are sizes of symbols, and the others are those for a measurement. stated are roles
// that the user states.
func SummaryOf(ctx context.Context, m *graphops.Model, costs *cost.Result, given map[string]int64, stated []roles.Given) (*Summary, error) {
	in := graphops.NamedTypes(m.Graph().FeedInputs())
	var shapes *shape.Result
	if costs != nil {
		shapes = costs.Shapes
	}
	summarized := aside.Start(func() (*summary.Summary, error) { return summary.Of(ctx, m, shapes) })
	ports, err := roles.Find(ctx, m, roles.Options{Shapes: shapes, Given: stated})
	if err != nil {
		return nil, err
	}
	of := inputRolesOf(in, ports)
	s := &Summary{Parts: []SummaryPart{}, Weights: []SummaryWeights{}, Sizes: map[string]int64{}, Inputs: inputsOf(in, of), Batch: batchOf(m, in, of), Roles: ports, ops: cost.Summarize(m).ByCount(), roles: of}
	found, err := summarized()
	if err != nil {
		return nil, err
	}
	s.Found, s.Parameters = found, found.Parameters
	for _, w := range found.Weights {
		s.Weights = append(s.Weights, SummaryWeights(w))
	}
	for i := range found.Parts {
		s.Parts = append(s.Parts, summaryPart(&found.Parts[i]))
	}
	if err := s.build(ctx, m, shapes); err != nil {
		return nil, err
	}
	if costs != nil {
		system := sizing.OfInferred(m, in, costs.Shapes, ports)
		sizes, ok := system.Search(given, sizing.Measure).Next(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok || len(system.Symbols) == 0 {
			s.size(costs, system, in, sizes)
		}
	}
	s.Text = strings.Join(s.Clauses(), " · ")
	return s, nil
}

// build adds how the transformer is built, and what its cache takes at the length that the model, or a
// file beside it, states.
func (s *Summary) build(ctx context.Context, m *graphops.Model, shapes *shape.Result) error {
	a, err := architecture.Of(ctx, m, shapes, s.Roles, s.Found)
	if err != nil {
		return err
	}
	s.Architecture, s.Cache, s.Vocabulary, s.Tied = a, cacheOf(a), a.Vocabulary, a.Tied
	for i := range a.Blocks {
		s.Parts[a.Blocks[i].Part].Layers = blockLayers(&a.Blocks[i])
	}
	if n, from := sizing.Context(m); s.Cache != nil && n > 0 {
		s.Cache.At = s.Cache.AtLength(n, 1, "the length in "+from)
		s.Cache.stated = s.Cache.At
	}
	return nil
}

// size adds what depends on the sizes of free axes.
func (s *Summary) size(costs *cost.Result, system *sizing.System, in []graphops.NamedType, sizes map[string]int64) {
	for name, n := range sizes {
		s.Sizes[name] = n
	}
	total := costs.At(s.Sizes).Total().MACs
	if n, ok := total.Known.Number(); ok && (n > 0 || total.Left == 0) {
		s.MACs, s.MACsUnknownNodes = &n, total.Left
	}
	s.at = sizesText(system, in, s.Sizes, s.roles)
}

func summaryPart(p *summary.Part) SummaryPart {
	out := SummaryPart{
		Count: p.Count(), Kind: p.Kind, Module: p.Path,
		Heads: sizeRange(p.Heads), HeadSize: sizeRange(p.HeadSize), KVHeads: sizeRange(p.KVHeads), Cross: p.Cross, Hidden: sizeRange(p.Hidden), MLP: sizeRange(p.MLP),
		Experts: sizeRange(p.Experts), Kernels: p.Kernels, Channels: sizeRange(p.Channels), Depthwise: p.Depthwise, State: sizeRange(p.State), Bidirectional: p.Bidirectional,
		Parameters: p.Parameters, WeightBytes: p.Bytes,
	}
	for _, nodes := range p.Nodes {
		out.Nodes += len(nodes)
	}
	return out
}

func sizeRange(r summary.Range) []int64 {
	switch {
	case !r.Known():
		return nil
	case r.Min == r.Max:
		return []int64{r.Min}
	default:
		return []int64{r.Min, r.Max}
	}
}

// seen are the inputs that are recognized by type, or by type and name, and are not those of a
// language model. The first one that matches is used.
var seen = []struct {
	role string
	is   func(name string, t graphops.Type) bool
}{
	{"image", func(name string, t graphops.Type) bool {
		return len(t.Shape) == 4 && (colours(t) >= 0 || strings.Contains(name, "pixel"))
	}},
	{"sound", func(name string, t graphops.Type) bool {
		return len(t.Shape) == 2 && t.Elem.Kind() == tensor.KindFloat && (name == "input_values" || strings.Contains(name, "waveform") || strings.Contains(name, "audio"))
	}},
}

// colours returns the axis of the colours of an image of rank 4, or -1 if that is not certain. Only three
// colours are certain.
func colours(t graphops.Type) int {
	for _, axis := range []int{1, 3} {
		if t.Shape[axis].Value == 3 {
			return axis
		}
	}
	return -1
}

// inputRoles are the roles of inputs in a word or two, "" if one is not certain.
type inputRoles map[string]string

// inputRolesOf returns the roles of inputs.
func inputRolesOf(list []graphops.NamedType, found *roles.Roles) inputRoles {
	out := inputRoles{}
	for _, in := range list {
		if in.Type.Kind == graphops.TypeTensor && found != nil {
			out[in.Name] = inputRole(in, found.Input(in.Name))
		}
	}
	return out
}

func inputRole(in graphops.NamedType, p *roles.Port) string {
	switch {
	case p.Kind == roles.Unknown || p.Kind == roles.Features:
		name := strings.ToLower(in.Name)
		for _, r := range seen {
			if r.is(name, in.Type) {
				return r.role
			}
		}
		return ""
	case p.Kind == roles.IDs:
		return "ids"
	case p.Kind == roles.Encoded:
		return "hidden states"
	case p.Kind != roles.Past:
		return p.Kind.Title()
	case p.Content == roles.State || p.Content == roles.ConvState:
		return "state"
	default:
		return "cache"
	}
}

// inputsOf groups inputs by their role. Each input without a known role is a group of its own.
func inputsOf(list []graphops.NamedType, of inputRoles) []SummaryInput {
	out := []SummaryInput{}
	at := map[string]int{}
	for _, in := range list {
		role := of[in.Name]
		if i, ok := at[role]; ok && role != "" {
			out[i].Names = append(out[i].Names, in.Name)
			continue
		}
		at[role] = len(out)
		out = append(out, SummaryInput{role, []string{in.Name}})
	}
	return out
}

// BatchOf says whether a model takes several samples at once. ports are the roles of its inputs; nil if
// they are not known.
func BatchOf(m *graphops.Model, ports *roles.Roles) SummaryBatch {
	in := graphops.NamedTypes(m.Graph().FeedInputs())
	return batchOf(m, in, inputRolesOf(in, ports))
}

// batchOf finds out whether the model takes several samples at once. A fixed size counts as that of
// a batch only if all inputs of at least two axes, and the first output, begin with it, and if it is
// 1 or the role of an input is known.
func batchOf(m *graphops.Model, list []graphops.NamedType, of inputRoles) SummaryBatch {
	fixed, known := int64(-1), false
	for _, in := range list {
		shape := in.Type.Shape
		role := of[in.Name]
		for axis, d := range shape {
			if (axis == 0 || role != "") && !d.IsFixed() && sizing.CountsSamples(d, axis) {
				return SummaryBatch{Axis: "free"}
			}
		}
		if len(shape) < 2 {
			continue
		}
		known = known || role != ""
		if !shape[0].IsFixed() || fixed >= 0 && shape[0].Value != fixed {
			return SummaryBatch{}
		}
		fixed = shape[0].Value
	}
	outputs := m.Graph().Outputs()
	if fixed <= 0 || fixed > 1 && !known || len(outputs) == 0 {
		return SummaryBatch{}
	}
	if out := outputs[0].Type().Shape; len(out) == 0 || out[0] != graphops.FixedDim(fixed) {
		return SummaryBatch{}
	}
	return SummaryBatch{Axis: "fixed", Size: fixed}
}

// sizesText describes the sizes of the inputs for the given sizes of symbols, such as "batch 1, 128
// tokens".
func sizesText(system *sizing.System, list []graphops.NamedType, sizes map[string]int64, of inputRoles) string {
	var words []string
	told := map[string]bool{}
	size := func(in graphops.NamedType, axis int) int64 {
		e := sizing.Expression(in.Name, axis, in.Type.Shape[axis])
		e.Symbols(func(name string) { told[name] = true })
		n, err := e.Eval(func(name string) (int64, bool) { n, ok := sizes[name]; return n, ok })
		if err != nil {
			return -1
		}
		return n
	}
	for _, in := range list {
		more := mainSizes(in, of[in.Name], size)
		if len(more) > 0 {
			words = more
			break
		}
	}
	main := len(words) > 0
	for _, symbol := range system.Symbols {
		n, ok := sizes[symbol.Name]
		if !ok || told[symbol.Name] || len(words) == maxSizes {
			continue
		}
		if word := symbolText(symbol, n, main); word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// maxSizes is the maximum number of sizes in the sentence.
const maxSizes = 4
