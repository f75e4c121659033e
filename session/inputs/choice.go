package inputs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// choice is a way to generate the elements of one tensor. what describes the elements, and why
// gives the reason for the choice. numbers or words returns the next element.
type choice struct {
	what, why string
	numbers   func() float64
	words     func() string
	meaning   meaning
}

// meaning is what an input means according to its name, or to the nodes that read it.
type meaning uint8

const (
	asAny         meaning = iota
	asMask                // 1 for elements that count
	asPaddingMask         // 1 for elements that do not count
	asPositions
	asParts // segments of a pair of texts
	asLength
)

// as returns the choice with a meaning.
func (c choice) as(r meaning) choice { c.meaning = r; return c }

// noReader is the reason that is shown if the choice follows only from the element type, and other
// values might be better. If any value is as good as another, no reason is shown.
const noReader = "no node limits it"

// words are the elements of text inputs if no node that reads them shows which texts it knows.
var words = []string{"lathe", "a", "node", "Größe", "42", "", "two words"}

// chooser decides how the elements of a tensor are generated.
type chooser struct {
	name    string // of the input
	dtype   tensor.DType
	shape   []int64
	allowed bounds.Allowed
	mask    bounds.Mask // empty if no node is known to use the input as a mask
	around  surroundings
	rng     *rand.Rand
	reach   reach
	signed  bool
}

// asked returns the choice for a rule that the user gave for this input.
func (c chooser) asked(f Fill) (choice, error) {
	if c.dtype == tensor.String {
		return choice{}, fmt.Errorf("input %q: %s cannot make texts; give a file", c.name, f)
	}
	return choice{what: f.String(), why: "as asked", numbers: f.source(c.shape, c.rng)}, nil
}

// choose decides how the elements are generated. First it considers what the nodes that read the
// input allow, then the input's name, then its type. Then it adapts the result to the case's
// family: for example, the family Zeros replaces it by zeros if these are allowed. real is the rule
// for floating-point numbers if nothing else decides.
func (c chooser) choose(real Fill) choice {
	if c.allowed.Kind == bounds.ByColumn {
		return c.columns(real)
	}
	return c.reached(c.usual(real))
}

func (c chooser) usual(real Fill) choice {
	if c.dtype == tensor.String {
		return c.texts()
	}
	if pick, ok := c.byReader(); ok && !c.allowed.Suggested {
		return pick
	}
	if pick, ok := c.byName(); ok {
		return pick
	}
	if pick, ok := c.byReader(); ok {
		return pick
	}
	if c.allowed.Kind == bounds.Between {
		return c.ended(c.between(c.allowed.Lo, c.allowed.Hi, c.allowed.Why))
	}
	if pick, ok := c.byDomain(); ok && real.kind == fillNone {
		return pick
	}
	return c.ended(c.byType(real))
}

func (c chooser) texts() choice {
	if c.allowed.Kind == bounds.Words {
		return choice{what: "words that the node knows", why: c.allowed.Why, words: choose(c.rng, c.allowed.Words)}
	}
	return choice{what: "words", why: noReader, words: choose(c.rng, words)}
}

// byReader returns a choice if the nodes that read the input leave no room for another one, so that
// the name does not matter.
func (c chooser) byReader() (choice, bool) {
	switch a := c.allowed; a.Kind {
	case bounds.Exactly:
		return choice{what: list(a.Values), why: a.Why, numbers: repeat(a.Values)}, true
	case bounds.OneOf:
		if len(a.Values) == 1 {
			return choice{what: fmt.Sprintf("all %d", a.Values[0]), why: a.Why, numbers: repeat(a.Values)}, true
		}
		pick := choose(c.rng, a.Values)
		return choice{what: "any of " + list(a.Values), why: a.Why, numbers: func() float64 { return float64(pick()) }}, true
	case bounds.Within:
		f := Fill{fillUniform, float64(a.Lo), float64(a.Hi)}
		return choice{what: f.String(), why: a.Why, numbers: f.source(c.shape, c.rng)}, true
	case bounds.InDomain:
		f := Fill{fillUniform, a.Domain.Lo, a.Domain.Hi}
		return choice{what: f.String(), why: a.Why, numbers: c.inDomain(*a.Domain)}, true
	}
	return choice{}, false
}

// list writes the first numbers of a list.
func list(values []int64) string {
	const most = 8
	var b strings.Builder
	for i, v := range values[:min(len(values), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, v)
	}
	if len(values) > most {
		b.WriteString(", …")
	}
	return b.String()
}

// byName returns a choice if the input has a name that exporters commonly use, or if the graph
// shows that the input is a mask.
func (c chooser) byName() (choice, bool) {
	name := strings.ToLower(c.name)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(name, p) {
				return true
			}
		}
		return false
	}
	lo, hi := c.limits()
	isInt := c.dtype.Kind() == tensor.KindSigned || c.dtype.Kind() == tensor.KindUnsigned
	switch {
	case c.mask.Padding && c.allowed.Kind == bounds.Anything && lo <= 0:
		return choice{what: "all 0", why: c.mask.Why + ", where it is true", numbers: repeat([]int64{0}), meaning: asPaddingMask}, true
	case c.mask.Why != "" && c.allowed.Kind == bounds.Anything && 1 <= hi:
		return choice{what: "all 1", why: c.mask.Why, numbers: repeat([]int64{1}), meaning: asMask}, true
	// In PyTorch's own modules, true in a padding mask marks an element to ignore.
	case has("padding_mask", "pad_mask") && c.dtype == tensor.Bool:
		return choice{what: "all 0", why: c.named("what is padding"), numbers: repeat([]int64{0}), meaning: asPaddingMask}, true
	case c.around.role.Kind == roles.Mask && lo <= 1 && 1 <= hi:
		return choice{what: "all 1", why: c.because("a mask"), numbers: repeat([]int64{1}), meaning: asMask}, true
	case has("bbox") && lastAxis(c.shape) == 4 && (isInt || c.isFree()) && hi > 1:
		return c.boxes(lo, hi, isInt), true
	case has("timestep") && (isInt || c.isFree()) && lo <= 0:
		return c.between(0, min(lastTimestep, hi), c.named("steps of a diffusion")), true
	case c.around.role.Kind == roles.Branch && c.isFree() && c.around.next > 0:
		return choice{what: fmt.Sprintf("all %d", min(c.around.past, 1)), why: c.because("whether there is a past"), numbers: repeat([]int64{min(c.around.past, 1)}), meaning: asLength}, true
	case !isInt && has("scale", "speed", "temperature", "sigma") && c.isFree() && len(c.shape) <= 1 && lastAxis(c.shape) <= few:
		f := Fill{fillUniform, 0.5, 1}
		return choice{what: f.String(), why: c.named("a factor"), numbers: f.source(c.shape, c.rng)}, true
	case !isInt && c.isFree() && len(c.shape) <= 1 && isLength(name):
		return choice{what: "all 1", why: c.named("a length as a fraction of the longest"), numbers: repeat([]int64{1}), meaning: asLength}, true
	case !isInt:
		return choice{}, false
	case c.around.role.Kind != roles.Unknown:
		if pick, ok := c.byRole(lo, hi); ok {
			return pick, true
		}
	}
	switch {
	case c.around.length > 0 && c.isFree():
		n := c.around.length
		return choice{what: fmt.Sprintf("all %d", n), why: fmt.Sprintf("its name suggests that it is the length of %q", c.around.measured), numbers: repeat([]int64{n}), meaning: asLength}, true
	case has("length", "_len", "num_", "steps", "count") && c.isFree():
		return c.between(1, 5, "its name suggests a length").as(asLength), true
	}
	return choice{}, false
}

// byRole returns a choice for an input of integers that counts positions.
func (c chooser) byRole(lo, hi int64) (choice, bool) {
	past, next := c.around.past, c.around.next
	switch c.around.role.Kind {
	case roles.Positions:
		if lo <= 0 {
			return c.positions(hi), true
		}
	case roles.Segments:
		if lo <= 0 {
			return c.between(0, min(1, hi), c.because("the two texts of a pair")).as(asParts), true
		}
	case roles.CacheIndex:
		if lo <= 0 && lastAxis(c.shape) == next && next > 0 && next-1 <= hi {
			return choice{what: fmt.Sprintf("counting from 0 to %d", next-1), why: c.because("an index into the cache"), meaning: asPositions, numbers: count(next)}, true
		}
	case roles.Lengths:
		return c.counted(past+next+int64(c.around.role.Offset), "the length of past and present")
	case roles.Total:
		return c.counted(past+next, "the length of past and present")
	case roles.PastLength:
		return c.counted(past, "the length of the past")
	default:
	}
	return choice{}, false
}

// counted returns the choice of one number, if no node limits the input and it is known how many
// positions a run adds.
func (c chooser) counted(n int64, what string) (choice, bool) {
	if !c.isFree() || c.around.next == 0 || n < 0 {
		return choice{}, false
	}
	return choice{what: fmt.Sprintf("all %d", n), why: what + ": " + c.because(what), numbers: repeat([]int64{n}), meaning: asLength}, true
}

// because returns the reason for a choice that follows from the role of the input.
func (c chooser) because(what string) string {
	p := &c.around.role
	if len(p.Evidence) == 0 || slices.ContainsFunc(p.Evidence, func(e roles.Evidence) bool { return e.Source == roles.ByName }) {
		return c.named(what)
	}
	why := p.Evidence[0].Text
	if c.allowed.Why != "" && !c.allowed.Suggested {
		why += "; " + c.allowed.Why
	}
	return why
}

// isFree reports whether no node limits the elements.
func (c chooser) isFree() bool { return c.allowed.Kind == bounds.Anything || c.allowed.Suggested }

// named returns the reason for a choice that follows from the name. If the nodes that read the
// input limit the values too, it adds that.
func (c chooser) named(what string) string {
	why := "its name suggests " + what
	if c.allowed.Why != "" && !c.allowed.Suggested {
		why += "; " + c.allowed.Why
	}
	return why
}

// limits returns the smallest and largest integer that the type can represent and that the nodes
// reading the input allow.
func (c chooser) limits() (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64-1
	if c.allowed.Kind == bounds.Between && !c.allowed.Suggested {
		lo, hi = c.allowed.Lo, c.allowed.Hi
	}
	if bits := c.dtype.Bits(); bits < 63 {
		top := int64(1)<<bits - 1
		if c.dtype.Kind() == tensor.KindSigned {
			top >>= 1
		}
		if c.dtype.Kind() != tensor.KindFloat {
			hi = min(hi, top)
		}
	}
	return lo, hi
}

// between chooses integers from lo to hi. If the type does not reach up to hi, the largest number
// of the type takes its place.
func (c chooser) between(lo, hi int64, why string) choice {
	_, top := c.limits()
	hi = max(min(hi, top), lo)
	what := fmt.Sprintf("integers %d to %d", lo, hi)
	if lo == hi {
		what = fmt.Sprintf("all %d", lo)
	}
	return choice{what: what, why: why, numbers: wholeNumbers(c.rng, lo, hi)}
}

// byType is the choice if only the type is known. Floating-point numbers follow the rule real.
// Integers of at most 8 bits take all values that are not negative. Wider integers take 0 to 9,
// since most are an index into something of unknown size. Bools are random.
func (c chooser) byType(real Fill) choice {
	why := "as asked"
	if real.kind == fillNone {
		real, why = Fill{fillNormal, 0, 1}, ""
	}
	switch kind := c.dtype.Kind(); {
	case kind == tensor.KindBool:
		return choice{what: "true or false at random", numbers: wholeNumbers(c.rng, 0, 1)}
	case c.dtype == tensor.F8E8M0: // F8E8M0 has neither sign nor zero
		next := real.source(c.shape, c.rng)
		return choice{what: real.String() + " without sign", why: why, numbers: func() float64 { return math.Abs(next()) }}
	case kind == tensor.KindFloat || kind == tensor.KindComplex:
		return choice{what: real.String(), why: why, numbers: real.source(c.shape, c.rng)}
	case c.signed && kind == tensor.KindSigned:
		lo := max(-9, -int64(1)<<(c.dtype.Bits()-1))
		return c.between(lo, -lo, noReader)
	case c.dtype.Bits() <= 8:
		return c.between(0, math.MaxInt64-1, noReader)
	}
	return c.between(0, 9, noReader)
}
