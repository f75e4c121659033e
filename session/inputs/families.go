package inputs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
	"lathe/session/sizing"
)

// maxOfFamily limits the number of cases of one family. A model with many symbols could
// otherwise have any number of cases.
const maxOfFamily = 8

// caseMaker generates the cases of the requested families.
type caseMaker struct {
	r     Request
	types []graphops.NamedType
	given Given
	fit   *sizing.Search // nil if the inputs have no free sizes
	left  int64          // bytes that the remaining cases may take
	seed  uint64
	out   Cases
}

// generate generates the cases of the requested families. An error in the family Seeds is returned.
// If a case of another family cannot be generated, it is listed in NotRun.
func (r Request) generate(types []graphops.NamedType, given Given) (Cases, error) {
	r.Options.Given, r.Each = given.Values, given.Fills
	k := &caseMaker{r: r, types: types, given: given, left: cmp.Or(r.MaxBytes, DefaultMaxBytes), seed: r.Seed}
	families := r.Families
	if len(families) == 0 || len(given.Values) == len(types) {
		families = []Family{Seeds}
	}
	if err := k.settle(); err != nil {
		return k.out, err
	}
	without := map[string][]string{} // families without a case, by reason
	var reasons []string
	for _, f := range Families {
		if !slices.Contains(families, f) {
			continue
		}
		plans, why := k.plans(f)
		if why != "" {
			if without[why] == nil {
				reasons = append(reasons, why)
			}
			without[why] = append(without[why], string(f))
		}
		if why, skip := r.Skip[f]; skip && len(plans) > 0 {
			k.out.NotRun = append(k.out.NotRun, NotRun{Case: plans[0].name, Family: f, Reason: why})
			continue
		}
		for i, p := range plans {
			if i >= maxOfFamily && f != Seeds {
				k.out.NotRun = append(k.out.NotRun, NotRun{Case: p.name, Family: f, Reason: fmt.Sprintf("the limit of %d cases of %s is reached; set sizes of axes with --dim", maxOfFamily, f)})
				continue
			}
			if err := k.make(f, p); err != nil {
				return k.out, err
			}
		}
	}
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", strings.Join(without[why], " and "), why)
	}
	if len(reasons) > 0 {
		k.out.Notes = append(k.out.Notes, "no cases of "+strings.Join(reasons, ", "))
	}
	return k.out, nil
}

// settle chooses the sizes that cases have unless their family sets its own.
func (k *caseMaker) settle() error {
	k.r.Given = k.given.Values
	if k.fit = k.r.Fit; k.fit == nil {
		var err error
		if k.fit, err = Fit(context.Background(), k.types, k.r.Options, k.r.Purpose); err != nil {
			return err
		}
	}
	k.out.Fit = k.fit
	sizes, ok := k.fit.Last(context.Background())
	if !ok {
		return k.fit.Err()
	}
	k.r.Sizes = sizes
	k.out.Notes = append(k.out.Notes, k.fit.Notes(sizes)...)
	return nil
}

// sizes returns the cases of the family Sizes: with usual sizes, with sizes that have no common
// factor, and with the largest sizes known to work. If there is none, it returns the reason.
func (k *caseMaker) sizes() ([]plan, string) {
	if len(k.fit.Free()) == 0 {
		return nil, "no axis is dynamic"
	}
	var out []plan
	for _, v := range k.fit.Variants() {
		out = append(out, plan{name: v.Name, sizes: v.Sizes})
	}
	return out, ""
}

// plan says how to generate the inputs of one case.
type plan struct {
	name  string
	sizes map[string]int64 // sizes of symbols; nil means those of the other cases
	reach reach
	empty bool
}

// plans returns the cases of a family. If there is none, it returns the reason.
func (k *caseMaker) plans(f Family) ([]plan, string) {
	switch f {
	case Seeds:
		return k.seeds(), ""
	case Sizes:
		return k.sizes()
	case Zeros:
		return k.having(isNumber, "no input holds numbers", plan{name: "zeros", reach: zero})
	case Large:
		if k.r.Fill.kind != fillNone {
			return nil, "--fill says what is in floating-point inputs"
		}
		return k.having(isFloat, "no input holds floating-point numbers", plan{name: "large magnitudes", reach: large})
	case Integers:
		return k.having(isInteger, "no input holds whole numbers", plan{name: "smallest integers", reach: least}, plan{name: "largest integers", reach: most})
	case Prefill, Continued, Decode:
		return k.decoding(f)
	case Masks:
		return k.masks(k.paddings()...)
	case Smallest:
		return k.smallest()
	case Steps:
		return nil, ""
	case Hidden:
		return k.masks(plan{name: "a row that is masked completely", reach: hidden})
	}
	return k.empties()
}

func (k *caseMaker) smallest() ([]plan, string) {
	if len(k.fit.Free()) == 0 {
		return nil, "no axis is dynamic"
	}
	v, ok := k.fit.Smallest()
	if !ok {
		return nil, "small sizes do not run"
	}
	return []plan{{name: v.Name, sizes: v.Sizes}}, ""
}

func (k *caseMaker) masks(plans ...plan) ([]plan, string) {
	for i := range plans {
		plans[i].sizes, _ = k.fit.Moderate()
	}
	return k.having(func(t graphops.NamedType) bool {
		named := strings.Contains(strings.ToLower(t.Name), "mask") && len(leafOf(t.Type).Shape) > 0
		_, read := masksOf(k.r.Model)[t.Name]
		return named || read || k.isMask(t.Name)
	}, "no input is named a mask, or masks scores of attention", plans...)
}

// isMask reports whether the role of an input is that of a mask.
func (k *caseMaker) isMask(input string) bool {
	found := k.fit.Roles()
	if found == nil {
		return false
	}
	p := found.Input(input)
	return p != nil && p.Kind == roles.Mask
}

func (k *caseMaker) seeds() []plan {
	n := max(k.r.Seeds, 1)
	if len(k.given.Values) == len(k.types) {
		n = 1
	}
	var out []plan
	for i := range n {
		name := fmt.Sprintf("seed %d", k.r.Seed+uint64(i))
		if len(k.types) > 0 && len(k.given.Values) == len(k.types) {
			name = "inputs as given"
		}
		out = append(out, plan{name: name})
	}
	return out
}

// having returns the plans if at least one of the inputs to generate has the property is. Otherwise
// it returns why as the reason that there are none.
func (k *caseMaker) having(is func(graphops.NamedType) bool, why string, plans ...plan) ([]plan, string) {
	for _, t := range k.types {
		if _, given := k.given.Values[t.Name]; !given && is(t) {
			return plans, ""
		}
	}
	return nil, why
}

func kindOf(t graphops.NamedType) tensor.Kind { return leafOf(t.Type).Elem.Kind() }

func isNumber(t graphops.NamedType) bool { return kindOf(t) != tensor.KindString }

func isFloat(t graphops.NamedType) bool {
	return kindOf(t) == tensor.KindFloat || kindOf(t) == tensor.KindComplex
}

func isInteger(t graphops.NamedType) bool {
	return kindOf(t) == tensor.KindSigned || kindOf(t) == tensor.KindUnsigned
}

// empties returns the cases of the family Empty: with sequences without elements, and with an axis
// of size 0. By default, that is done only to the axes of a cache, which really is empty before the
// first step. Other axes are included if the user requested the family.
func (k *caseMaker) empties() ([]plan, string) {
	var out []plan
	if found, _ := k.having(func(t graphops.NamedType) bool { return t.Type.Kind == graphops.TypeSequence }, "", plan{name: "empty sequences", empty: true}); found != nil {
		out = found
	}
	for _, s := range k.fit.Free() {
		if !k.r.Rare && !k.fit.IsCache(s) {
			continue
		}
		if sizes, ok := k.fit.ModerateWith(s, 0); ok {
			out = append(out, plan{name: "empty " + s, sizes: sizes})
		}
	}
	if len(out) == 0 {
		return nil, "no sequence, and no axis of a cache"
	}
	return out, ""
}

// make generates one case. If an earlier case has the same inputs, no case is added; the earlier
// one gets the name of this one in addition.
func (k *caseMaker) make(f Family, p plan) error {
	o := k.r.Options
	o.Seed, o.reach, o.empty = k.seed, p.reach, p.empty
	if p.sizes != nil {
		o.Sizes = p.sizes
	}
	o.Roles = k.fit.Roles()
	first := len(k.out.Cases) == 0
	made, size, err := k.generated(o, first)
	switch {
	case err != nil && f == Seeds && (first || !errors.Is(err, errNoRoom)):
		return err
	case err != nil:
		k.out.NotRun = append(k.out.NotRun, NotRun{Case: p.name, Family: f, Reason: err.Error()})
		return nil
	}
	if k.known(p.name, made.Feeds) {
		return nil
	}
	k.left -= size
	maps.Copy(made.Feeds, k.given.Values)
	k.out.Cases = append(k.out.Cases, Case{Name: p.name, Family: f, Feeds: made.Feeds, Fed: made.Fed, Counted: k.counted(p, made.Feeds)})
	return nil
}

// errNoRoom is why a case is left out whose inputs would exceed the limit together with those of
// earlier cases.
var errNoRoom = errors.New("its inputs exceed the remaining memory limit of all generated inputs: raise it with --input-limit")

// generated generates the inputs of a case and returns how many bytes they take. The first case has
// the whole limit.
func (k *caseMaker) generated(o Options, first bool) (made Generated, size int64, err error) {
	if !first && sizing.Bytes(ungiven(k.types, o.Given), o.Sizes) > k.left {
		return made, 0, errNoRoom
	}
	if made, err = Generate(k.types, o); err != nil {
		return made, 0, err
	}
	k.seed++
	for _, v := range made.Feeds {
		size += bytesOf(v)
	}
	if !first && size > k.left { // values in sequences and texts are not known before
		return made, size, errNoRoom
	}
	return made, size, nil
}

// known reports whether an earlier case has the same inputs, and then adds the name to that case.
// Cases of the family Seeds are not considered: each of them stays a case of its own.
func (k *caseMaker) known(name string, feeds graphops.Feeds) bool {
	for i, c := range k.out.Cases {
		if c.Family != Seeds && sameFeeds(c.Feeds, feeds) {
			k.out.Cases[i].Name += ", " + name
			return true
		}
	}
	return false
}

func sameFeeds(a, b graphops.Feeds) bool {
	for name, x := range b {
		y, ok := a[name]
		if !ok || !x.IsTensor() || !y.IsTensor() || !slices.Equal(x.Tensor.Shape, y.Tensor.Shape) ||
			!bytes.Equal(x.Tensor.Data, y.Tensor.Data) || !slices.Equal(x.Tensor.Strings, y.Tensor.Strings) {
			return false
		}
	}
	return len(b) > 0
}

func bytesOf(v graphops.Value) int64 {
	size := int64(0)
	for _, t := range v.Tensors() {
		size += int64(len(t.Data)) + 16*int64(len(t.Strings))
	}
	return size
}

// masksOf returns the inputs that the model uses as masks. m may be nil.
func masksOf(m *graphops.Model) map[string]bounds.Mask {
	if m == nil {
		return nil
	}
	return bounds.MasksOf(m)
}
