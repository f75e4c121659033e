package stepwise

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// Run runs a model and returns all its outputs.
type Run func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)

// Options are the options of Check.
type Options struct {
	// Types are the inputs of the model, as the runtime reports them.
	Types []graphops.NamedType
	// Inputs says how values are generated. Its model is set by Check.
	Inputs inputs.Options
	// Open loads another model, such as a copy that rounds differently. It may be nil; then what
	// needs it is not measured.
	Open func(ctx context.Context, m *graphops.Model) (Run, func(), error)
	// AtOnce runs all tokens at once for a model that takes one token in a run, such as the PyTorch
	// model that it was exported from. AtOnceBy says what that is. If AtOnce is nil, a copy of the
	// model is tried.
	AtOnce   Run
	AtOnceBy string
	// RTol and ATol replace the tolerance of the type. They may be nil.
	RTol, ATol *float64
	// Precision is the coarsest type in which the model computes, or Undefined.
	Precision tensor.DType
	// Quantized is set if the model quantizes while it runs.
	Quantized bool
}

// The number of tokens of the comparison, those among them that come first, and the number of
// sequences.
const (
	usualTokens = 12
	usualPrefix = 6
	usualBatch  = 2
	// after is how many tokens follow those of a window, if it is at most maxWindow wide.
	after     = 4
	maxWindow = 512
)

// way is how the tokens of a cache are kept.
type way uint8

const (
	growing  way = iota // the present is longer by the new positions
	roomy               // it has room for all positions
	sliding             // it has room for a window, and the operator decides about the order
	replaced            // a state of fixed size
	constant            // it is only read, or written by the first run only
)

// cache is a past with the present that continues it.
type cache struct {
	past, present string
	layer         int
	content       roles.Content
	way           way
	axis          int // with the positions, or -1
	window        int64
}

// decoder is a model with the values that it is fed.
type decoder struct {
	run    Run
	types  []graphops.NamedType
	roles  *roles.Roles
	ids    string // the input that says how many tokens a run has
	caches []cache
	rows   []string       // outputs with a row for each position
	all    graphops.Feeds // the inputs for all tokens
	tokens int64          // number of them
	prefix int64          // number of them that the first of several runs gets
	batch  int64          // number of sequences
	fit    *sizing.Search // the search that chose the other sizes
}

// refusal is the reason why a model cannot be compared with itself.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, a ...any) error { return refusal(fmt.Sprintf(format, a...)) }

// Has reports whether a model with these roles has a cache that a run continues, so that Check has
// something to do.
func Has(r *roles.Roles) bool {
	if r == nil {
		return false
	}
	for i, p := range r.Pairs {
		if p.Past != "" && !p.Cross && (p.Present != "" || r.PresentByName(i) != "") {
			return true
		}
	}
	return false
}

// newDecoder finds out how a model is fed. The error is a refusal if it cannot be.
func newDecoder(found *roles.Roles, types []graphops.NamedType) (*decoder, error) {
	d := &decoder{types: types, roles: found, batch: usualBatch, tokens: usualTokens, prefix: usualPrefix}
	if err := d.findTokens(); err != nil {
		return nil, err
	}
	if err := d.findCaches(); err != nil {
		return nil, err
	}
	for i := range found.Outputs {
		if k := found.Outputs[i].Kind; k == roles.Logits || k == roles.Hidden {
			d.rows = append(d.rows, found.Outputs[i].Name)
		}
	}
	return d, d.checkInputs()
}

// findTokens finds the input that has the tokens.
func (d *decoder) findTokens() error {
	for _, kind := range []roles.Kind{roles.IDs, roles.Embeddings} {
		for i := range d.roles.Inputs {
			if p := &d.roles.Inputs[i]; p.Kind == kind && d.ids == "" {
				d.ids = p.Name
			}
		}
	}
	if d.ids == "" {
		return refuse("no input is known to have the tokens; --role NAME=ids says which")
	}
	if shape := d.typeOf(d.ids).Shape; len(shape) < 2 {
		return refuse("input %q has the tokens, but no axes for sequences and positions", d.ids)
	}
	return nil
}

func (d *decoder) typeOf(input string) graphops.Type {
	if i := slices.IndexFunc(d.types, func(t graphops.NamedType) bool { return t.Name == input }); i >= 0 {
		return d.types[i].Type
	}
	return graphops.Type{}
}

// findCaches finds the caches, and how each is kept. A present belongs to the past of the same name,
// because callers go by names.
func (d *decoder) findCaches() error {
	for i, p := range d.roles.Pairs {
		if p.Past == "" {
			continue
		}
		c := cache{past: p.Past, present: p.Present, layer: p.Layer, content: p.Content, axis: p.Axis, window: p.Window}
		if other := d.roles.PresentByName(i); other != "" {
			c.present = other
		}
		switch {
		case p.Cross:
			c.way = constant
		case p.Growth == roles.Grows, p.Growth == roles.MayShare, p.Axis >= 0 && p.Form.Name == "named":
			c.way = growing
		case p.Form.Name == "paged", p.Growth == roles.Slides && (len(p.Form.Operators()) == 0 || p.Window == 0):
			return refuse("the cache %q (%s) cannot be filled here: %s", p.Past, p.Form.Title, p.Growth)
		case p.Growth == roles.Slides:
			c.way = sliding
		case p.Growth == roles.Shares, p.Growth == roles.Indexed:
			c.way = roomy
		case p.Growth == roles.Unchanged:
			c.way = constant
		default:
			c.way = replaced
		}
		if c.present == "" && c.way != constant {
			return refuse("no output continues the cache %q", p.Past)
		}
		if c.axis < 0 && (c.way == growing || c.way == roomy || c.way == sliding) {
			return refuse("it is not known which axis of the cache %q has the positions", p.Past)
		}
		d.caches = append(d.caches, c)
		if w := c.window; w > d.tokens-after && w <= maxWindow {
			d.tokens, d.prefix = w+after, w-2
		}
	}
	if !slices.ContainsFunc(d.caches, func(c cache) bool { return c.way != constant }) {
		return refuse("it has no cache that a run continues")
	}
	return nil
}

// checkInputs returns an error if it is not known how to feed an input.
func (d *decoder) checkInputs() error {
	for i := range d.roles.Inputs {
		p := &d.roles.Inputs[i]
		shape := d.typeOf(p.Name).Shape
		switch p.Kind {
		case roles.Mask:
			if !p.Cross && len(shape) != 2 {
				return refuse("input %q is a mask of %d axes, whose values the caller has to make", p.Name, len(shape))
			}
		case roles.Beams:
			return refuse("input %q says which sequence each sequence continues", p.Name)
		case roles.Unknown:
			if d.dependsOnTokens(p.Name, shape) {
				return refuse("input %q is not recognized, and its size depends on the number of tokens; --role %s=KIND says what it is", p.Name, p.Name)
			}
		default:
		}
	}
	return nil
}

// dependsOnTokens reports whether an axis has the size of the tokens or of the past.
func (d *decoder) dependsOnTokens(input string, shape graphops.Shape) bool {
	counted := map[string]bool{d.axisName(d.ids, 1): true}
	for _, c := range d.caches {
		if c.way == growing {
			counted[d.axisName(c.past, c.axis)] = true
		}
	}
	found := false
	for axis, n := range shape {
		sizing.Expression(input, axis, n).Symbols(func(name string) { found = found || counted[name] })
	}
	return found
}

// axisName returns the name of the free axis of an input, or "" if its size is fixed.
func (d *decoder) axisName(input string, axis int) string {
	shape := d.typeOf(input).Shape
	if axis < 0 || axis >= len(shape) || shape[axis].IsFixed() {
		return ""
	}
	return sizing.Name(input, axis, shape[axis])
}
