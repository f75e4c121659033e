package generation

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// Plan says how a model generates tokens.
type Plan struct {
	Batch int64
	IDs   string // the input of token ids, or
	// Embeddings is the input that takes embeddings in their place. Random ones are fed: tokens are
	// chosen, but what the next run takes does not depend on them.
	Embeddings string
	Logits     string
	// Words is the number of different tokens, 0 if it is not known.
	Words int64
	// Several says whether a run takes several new positions when the caches are empty, and
	// SeveralLater whether it does when they are not. WhyOne says why not, if one of them is not set.
	Several, SeveralLater bool
	// Capacity is the number of positions for which the caches have room, 0 if they grow.
	Capacity int64
	WhyOne   string
	// Notes say what was assumed.
	Notes []string

	scores   graphops.Type // of Logits
	changing []ort.Changing
	caches   []cache
	fixed    graphops.Feeds
}

// cache is a cache of the model. Its sizes do not contain the positions.
type cache struct {
	ort.Cache
	pair roles.Pair
}

// Missing says what a model lacks, or what is not known of it, so that it cannot generate tokens.
type Missing struct{ What string }

func (m *Missing) Error() string { return m.What }

func missing(format string, a ...any) error { return &Missing{fmt.Sprintf(format, a...)} }

// Of returns how a model generates tokens. fed are inputs at which the model ran. The error is a
// *Missing.
func Of(m *graphops.Model, found *roles.Roles, fed graphops.Feeds) (*Plan, error) {
	p, err := plan(m, found, fed)
	if err == nil && len(p.caches) == 0 {
		return nil, missing("the model has no cache that a run returns: without one, each token needs all tokens before it")
	}
	return p, err
}

// AtOnce is Of for a model that may have no cache. Without one, each run takes all tokens. The model has
// to take token ids.
func AtOnce(m *graphops.Model, found *roles.Roles, fed graphops.Feeds) (*Plan, error) {
	p, err := plan(m, found, fed)
	if err == nil && p.Embeddings != "" {
		return nil, missing("the model takes embeddings (%s) instead of token ids, so that a token cannot be fed back", graphops.ShortQuoted(p.Embeddings))
	}
	return p, err
}

func plan(m *graphops.Model, found *roles.Roles, fed graphops.Feeds) (*Plan, error) {
	b := &builder{plan: &Plan{Batch: 1, Several: true, SeveralLater: true, fixed: graphops.Feeds{}}, roles: found, fed: fed, types: map[string]graphops.Type{}}
	for _, v := range slices.Concat(m.Graph().FeedInputs(), m.Graph().Outputs()) {
		b.types[v.Name()] = v.Type()
	}
	if err := b.ids(); err != nil {
		return nil, err
	}
	if err := b.outputs(); err != nil {
		return nil, err
	}
	for i := range found.Inputs {
		if err := b.input(&found.Inputs[i]); err != nil {
			return nil, err
		}
	}
	b.limits()
	switch {
	case b.plan.Embeddings != "":
		b.plan.Notes = append(b.plan.Notes, fmt.Sprintf("the model takes embeddings (%s) instead of token ids: random ones are fed, and the tokens are chosen but not fed back", graphops.ShortQuoted(b.plan.Embeddings)))
	case b.plan.Words == 0:
		b.plan.Notes = append(b.plan.Notes, "the number of different tokens is not known: prompts consist of the tokens 0 and 1")
	}
	return b.plan, nil
}

// builder makes a plan.
type builder struct {
	plan     *Plan
	roles    *roles.Roles
	fed      graphops.Feeds
	types    map[string]graphops.Type
	sequence string // the symbol of the axis with the new positions
}

// outputs finds the scores of the next token.
func (b *builder) outputs() error {
	for i := range b.roles.Outputs {
		out := &b.roles.Outputs[i]
		if out.Kind != roles.Logits {
			continue
		}
		if b.plan.Logits != "" {
			return missing("%q and %q both look like the scores of the next token: --role NAME=hidden states that one is not", b.plan.Logits, out.Name)
		}
		b.plan.Logits, b.plan.scores = out.Name, b.types[out.Name]
		if s := b.types[out.Name].Shape; len(s) > 0 {
			b.plan.Words = max(s[len(s)-1].Value, 0)
		}
	}
	if b.plan.Logits == "" {
		return missing("no output is known to have the scores of the next token: --role NAME=logits states it")
	}
	return nil
}

// ids finds the input of token ids, or that of embeddings, and the batch.
func (b *builder) ids() error {
	for i := range b.roles.Inputs {
		in := &b.roles.Inputs[i]
		if in.Kind != roles.IDs && in.Kind != roles.Embeddings {
			continue
		}
		if other := b.plan.IDs + b.plan.Embeddings; other != "" {
			return missing("%q and %q are both the new tokens", other, in.Name)
		}
		if in.Kind == roles.IDs {
			b.plan.IDs = in.Name
		} else {
			b.plan.Embeddings = in.Name
		}
	}
	switch {
	case b.plan.IDs != "":
		return b.tokens(b.plan.IDs, "token ids", 0)
	case b.plan.Embeddings != "":
		return b.tokens(b.plan.Embeddings, "embeddings", 1)
	default:
		return missing("no input is known to take token ids: --role NAME=ids states it")
	}
}

// tokens takes the batch and the number of tokens of a run from an input. Its axes are the batch, the
// positions and as many as inner.
func (b *builder) tokens(name, what string, inner int) error {
	shape, declared := b.shape(name), b.types[name].Shape
	rank := len(shape) - inner
	if rank < 1 || rank > 2 {
		return missing("the %s %q have %d axes, expected batch × positions%s", what, name, len(shape), []string{"", " × width"}[inner])
	}
	if rank == 2 {
		b.plan.Batch = shape[0]
	}
	if len(declared) != len(shape) {
		return nil
	}
	b.sequence = declared[rank-1].Symbol
	switch n := declared[rank-1].Value; {
	case !declared[rank-1].IsFixed():
	case n == 1:
		b.one("the model takes one token at a time")
		b.plan.Several = false
	default:
		return missing("the model takes %d tokens at a time, no more and no fewer", n)
	}
	return nil
}

// one notes that a run takes only one position if the caches are not empty.
func (b *builder) one(why string) {
	if b.plan.SeveralLater {
		b.plan.SeveralLater, b.plan.WhyOne = false, why
	}
}

// shape returns the sizes with which an input was fed.
func (b *builder) shape(name string) []int64 { return b.fed[name].Tensor.Shape }

// input adds an input to the plan.
func (b *builder) input(in *roles.Port) error {
	if in.Kind == roles.Past {
		return b.past(in)
	}
	if in.Cross && in.Kind == roles.Mask {
		return b.keep(in)
	}
	switch in.Kind {
	case roles.IDs:
		return b.change(in, wire.FillIDs, 0, b.newest(in))
	case roles.Embeddings:
		axes := b.asFed(in)
		axes[len(axes)-2] = ort.Axis{Of: wire.OfNew}
		return b.change(in, wire.FillRandom, 0, axes)
	case roles.Segments:
		return b.change(in, wire.FillZero, 0, b.newest(in))
	case roles.Positions:
		return b.change(in, wire.FillCount, 0, b.newest(in))
	case roles.Mask:
		return b.mask(in)
	case roles.Lengths:
		return b.change(in, wire.FillTotal, int64(in.Offset), b.asFed(in))
	case roles.Total:
		return b.change(in, wire.FillTotal, 0, b.asFed(in))
	case roles.PastLength:
		return b.change(in, wire.FillPast, 0, b.asFed(in))
	case roles.Branch:
		return b.change(in, wire.FillAgain, 0, b.asFed(in))
	case roles.Encoded, roles.Beams, roles.Setting, roles.Features:
		return b.keep(in)
	case roles.CacheIndex:
		if s := b.types[in.Name].Shape; len(s) > 0 && s[len(s)-1].Symbol != "" && s[len(s)-1].Symbol == b.sequence {
			return b.change(in, wire.FillCount, 0, b.newest(in))
		}
		return b.change(in, wire.FillPast, 0, b.asFed(in))
	default:
		return b.unknown(in)
	}
}

// asFed are the sizes with which an input was fed.
func (b *builder) asFed(in *roles.Port) (out []ort.Axis) {
	for _, n := range b.shape(in.Name) {
		out = append(out, ort.Axis{Size: n})
	}
	return out
}

// newest are the sizes of an input whose last axis is that of the new positions.
func (b *builder) newest(in *roles.Port) []ort.Axis {
	out := b.asFed(in)
	if len(out) > 0 {
		out[len(out)-1] = ort.Axis{Of: wire.OfNew}
	}
	return out
}

// change adds an input that changes from run to run.
func (b *builder) change(in *roles.Port, fill ort.Fill, add int64, axes []ort.Axis) error {
	b.plan.changing = append(b.plan.changing, ort.Changing{Name: in.Name, DType: b.types[in.Name].Elem, Axes: axes, Fill: fill, Add: add})
	return nil
}

// mask adds a mask of all positions, or of the new ones.
func (b *builder) mask(in *roles.Port) error {
	axes := b.asFed(in)
	if len(axes) != 2 {
		return missing("the mask %q has %d axes, and only those of batch × positions can be decoded", in.Name, len(axes))
	}
	s := b.types[in.Name].Shape
	if len(s) == 2 && s[1].IsFixed() && s[1].Value > 1 {
		return b.change(in, wire.FillValid, 0, axes)
	}
	axes[1] = ort.Axis{Of: wire.OfTotal}
	if len(s) == 2 && s[1].Symbol != "" && s[1].Symbol == b.sequence {
		axes[1].Of = wire.OfNew
	}
	return b.change(in, wire.FillZero, 1, axes)
}

// keep adds an input that stays as it is.
func (b *builder) keep(in *roles.Port) error {
	b.plan.fixed[in.Name] = b.fed[in.Name]
	return nil
}

// unknown keeps an input that was not recognized, unless its sizes follow the tokens.
func (b *builder) unknown(in *roles.Port) error {
	for _, d := range b.types[in.Name].Shape {
		if d.Symbol != "" && d.Symbol == b.sequence {
			return missing("it is not known what the input %q is for, whose size follows the tokens: --role %s=ROLE states it", in.Name, in.Name)
		}
	}
	b.plan.Notes = append(b.plan.Notes, fmt.Sprintf("it is not known what the input %s is for: it stays the same in every run", graphops.ShortQuoted(in.Name)))
	return b.keep(in)
}

// past adds the cache that begins with an input.
func (b *builder) past(in *roles.Port) error {
	pair := b.roles.Pairs[in.Pair]
	if named := b.roles.PresentByName(in.Pair); named != "" {
		pair.Present = named // callers go by names, even if a fault of the model makes another value of it
	}
	t, ok := b.fed[in.Name]
	if !ok || !t.IsTensor() {
		return missing("the cache %q is not a tensor", in.Name)
	}
	switch {
	case pair.Growth == roles.Unchanged && (pair.Present == "" || !b.switches()):
		return b.keep(in)
	case pair.Present == "":
		return missing("no output is known to continue the cache %q: --role %s=past:NAME states it", in.Name, in.Name)
	case pair.Form != nil && pair.Form.Name == "paged":
		return missing("the cache %q consists of blocks (PagedAttention), and such caches cannot be decoded yet", in.Name)
	}
	c := cache{Cache: ort.Cache{Past: pair.Past, Present: pair.Present, DType: t.Tensor.DType, Dims: slices.Clone(t.Tensor.Shape)}, pair: pair}
	if pair.Growth == roles.Indexed {
		return b.indexed(c)
	}
	if pair.Axis >= 0 && pair.Axis < len(c.Dims) && pair.Growth != roles.Replaced && pair.Growth != roles.Unchanged {
		c.Axis = int64(pair.Axis) + 1
		c.Dims[pair.Axis] = 0
		if s := b.types[in.Name].Shape; len(s) == len(c.Dims) && s[pair.Axis].IsFixed() {
			if pair.Growth != roles.Slides {
				return missing("the cache %q has a fixed length of %d positions, so that it cannot grow", in.Name, s[pair.Axis].Value)
			}
			c.Axis, c.Dims[pair.Axis] = 0, s[pair.Axis].Value
		}
	}
	b.plan.caches = append(b.plan.caches, c)
	return nil
}

// indexed adds a cache of fixed capacity.
func (b *builder) indexed(c cache) error {
	if c.pair.Axis < 0 || c.pair.Axis >= len(c.Dims) {
		return missing("it is not known along which axis the cache %q is written", c.Past)
	}
	if room := c.Dims[c.pair.Axis]; b.plan.Capacity == 0 || room < b.plan.Capacity {
		b.plan.Capacity = room
	}
	b.plan.caches = append(b.plan.caches, c)
	return nil
}

// switches reports whether an input says whether the cache is used.
func (b *builder) switches() bool {
	return slices.ContainsFunc(b.roles.Inputs, func(p roles.Port) bool { return p.Kind == roles.Branch })
}

// limits notes what operators with a cache do not take.
func (b *builder) limits() {
	for _, c := range b.plan.caches {
		if c.pair.Form != nil && c.pair.Form.Name == "group-query" && b.plan.Batch > 1 {
			b.one("GroupQueryAttention takes one new position of several sequences if its cache is not empty")
		}
	}
}

// DTypes returns the element types of the caches.
func (p *Plan) DTypes() (out []tensor.DType) {
	for _, c := range p.caches {
		if !slices.Contains(out, c.DType) {
			out = append(out, c.DType)
		}
	}
	return out
}
