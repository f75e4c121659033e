package apply

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/parameters"
)

// Options say how the tensors of a file are matched with the values of a model.
type Options struct {
	// Parameters treats the tensors as the parameters of a training checkpoint: they replace only
	// inputs of the model, and each input that is a parameter must get a tensor.
	Parameters bool
	// Strict makes it an error if a tensor of the file is not used.
	Strict bool
	// Whole is the complete model if m is a part that was extracted from it; otherwise nil. Tensors
	// that the complete model uses but m does not are then listed as Unneeded and not as
	// Superfluous.
	Whole *graphops.Model
	// Aliases lists further names of a value, for example of a parameter that two modules share.
	// The file may have its tensor under any of these names.
	Aliases map[string][]string
}

// To returns the model m with the tensors of the file set in it, and which tensor went where. If a
// tensor does not fit or is missing, the error is a *MisfitError that lists all problems.
func To(m *graphops.Model, set *parameters.Set, o Options) (*graphops.Model, *Fitting, error) {
	if set.Training != nil && set.Training.Nominal {
		return nil, nil, fmt.Errorf("%s: the checkpoint has names and types of parameters but no values (it is nominal); load the parameters in training, save the checkpoint again, and export from that", set.Path)
	}
	f := &fitter{options: o, set: set, entries: map[string]*parameters.Entry{}, taken: map[string]bool{}}
	for i := range set.Entries {
		f.entries[set.Entries[i].Name] = &set.Entries[i]
	}
	if o.Parameters {
		if err := f.needsInputs(cmpOr(o.Whole, m)); err != nil {
			return nil, nil, err
		}
	}
	f.slots = slots(m)
	f.fitAll()
	f.sum()
	if err := f.problems(); err != nil {
		return nil, nil, err
	}
	next, err := f.put(m)
	return next, &f.result, err
}

func cmpOr(a, b *graphops.Model) *graphops.Model {
	if a != nil {
		return a
	}
	return b
}

// fitter determines which tensor of the file goes to which slot of the model.
type fitter struct {
	options Options
	set     *parameters.Set
	entries map[string]*parameters.Entry
	slots   []*slot
	open    []*slot         // those for which no tensor was found yet
	taken   map[string]bool // tensors that are used
	result  Fitting
	errs    []string

	pythonic map[string]string // see safe
	// number of initializers that no tensor replaced although they are weights (see slot.isWeight)
	keptFloats int
}

// needsInputs returns an error if m has initializers with the names of parameters. In an eval
// model, parameters are inputs.
func (f *fitter) needsInputs(m *graphops.Model) error {
	var clash []string
	for _, t := range m.Graph().Initializers() {
		if f.entries[t.Name()] != nil {
			clash = append(clash, fmt.Sprintf("%q", t.Name()))
		}
	}
	if len(clash) > 0 {
		return fmt.Errorf("%s: the model stores a value for this parameter of the checkpoint, but an eval model has an input instead; to replace stored values, use --weights", strings.Join(clash, ", "))
	}
	return nil
}

// fitAll finds the tensors of all slots. Each rule is tried on all remaining slots before the next
// rule, so that a weak rule never takes a tensor that a stronger one could use.
func (f *fitter) fitAll() {
	for _, s := range f.slots {
		if !f.options.Parameters || s.kind == ofInput {
			f.open = append(f.open, s)
		}
	}
	for _, rule := range []Rule{sameName, sharedWith, originalName, foldedFrom, ofModule} {
		if rule != sameName && f.options.Parameters {
			return
		}
		f.open = slices.DeleteFunc(f.open, func(s *slot) bool {
			for _, a := range f.aliases(s) {
				if a.rule == rule && f.fit(s, a.name, a, "") {
					return true
				}
			}
			return false
		})
	}
	f.prefixed()
}

// alias is a name that the tensor of a slot may have in the file, and the rule by which it was
// derived.
type alias struct {
	name       string
	rule       Rule
	transposed bool
}

// aliases returns the names that the tensor of a slot may have in the file. The first is the slot's
// own name.
func (f *fitter) aliases(s *slot) []alias {
	out := []alias{{name: s.name}}
	for _, other := range f.options.Aliases[s.name] {
		out = append(out, alias{name: other, rule: sharedWith})
	}
	if s.original != "" {
		out = append(out, alias{name: s.original, rule: originalName})
		// torch.export puts these prefixes before the names of parameters and of buffers
		for _, kind := range []string{"p_", "b_"} {
			if rest, ok := strings.CutPrefix(s.original, kind); ok && f.safe()[rest] != "" {
				out = append(out, alias{name: f.safe()[rest], rule: originalName})
			}
		}
	}
	if s.folded != "" && s.isFactor {
		out = append(out, alias{s.folded, foldedFrom, true})
	}
	if s.module != "" && s.isFactor {
		out = append(out, alias{s.module + ".weight", ofModule, true})
	}
	return out
}

// safe maps the result of pythonName to the name of the tensor in the file, or to "" if several
// tensors have the same result.
func (f *fitter) safe() map[string]string {
	if f.pythonic == nil {
		f.pythonic = map[string]string{}
		for i := range f.set.Entries {
			name := f.set.Entries[i].Name
			safe := pythonName(name)
			if _, twice := f.pythonic[safe]; twice {
				name = ""
			}
			f.pythonic[safe] = name
		}
	}
	return f.pythonic
}

// fit assigns the tensor called name to s and reports whether there is one. A tensor that s cannot
// hold is assigned too, with an error. A tensor without exactly two axes cannot be transposed and
// counts as not found.
func (f *fitter) fit(s *slot, name string, by alias, prefix string) bool {
	e := f.entries[name]
	if e == nil || f.taken[name] || by.transposed && len(e.Dims) != 2 {
		return false
	}
	f.taken[name] = true
	fit := Fit{
		Value: s.name, Tensor: name, Slot: s.kind, Rule: by.rule, Prefix: prefix, Transposed: by.transposed,
		DType: e.DType, Dims: e.Dims, Bytes: e.Bytes, Wants: s.typ, entry: e,
	}
	if prefix != "" {
		fit.Rule = prefixed
	}
	if by.transposed {
		fit.Dims = []int64{e.Dims[1], e.Dims[0]}
	}
	switch err := e.Unusable(); {
	case err != nil:
		fit.Wrong = err.Error()
		f.errs = append(f.errs, fmt.Sprintf("%q: %v", s.name, err))
	case !s.takes(fit.DType, fit.Dims):
		fit.Wrong = "another type or shape"
		f.errs = append(f.errs, fmt.Sprintf("%q holds %s, the file has %s%s for it", s.name, shaped(s.typ), shaped(typeFrom(fit.DType, fit.Dims)), called(fit)))
	}
	f.result.Fits = append(f.result.Fits, fit)
	return true
}

// shaped returns a type and its shape as text, such as "f32 3×4".
func shaped(t graphops.Type) string { return t.String() + " " + t.Shape.String() }

// called returns text such as ` as "w"` if the tensor's name differs from that of the value;
// otherwise "".
func called(fit Fit) string {
	if fit.Tensor == fit.Value {
		return ""
	}
	return fmt.Sprintf(" as %q", fit.Tensor)
}

// pythonName replaces each character that a Python identifier cannot contain by an underscore, as
// exporters do.
func pythonName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// problems returns nil, or a MisfitError with everything that does not fit.
func (f *fitter) problems() error {
	if f.options.Parameters && len(f.result.Fits) == 0 && len(f.set.Entries) > 0 && len(f.errs) == 0 {
		f.errs = append(f.errs, fmt.Sprintf("none of the %d parameters of the checkpoint is an input of the model", len(f.set.Entries)))
	}
	for _, s := range f.open {
		why := ""
		switch {
		case f.options.Parameters && s.kind == ofInput && s.isParameter:
			why = "is a parameter and the checkpoint has none of this name"
		case !f.options.Parameters && s.kind == ofNothing:
			why = "has no value in the model and none in the file"
		default:
			continue
		}
		near := f.near(s.name)
		f.result.Missing = append(f.result.Missing, Missing{s.name, s.kind, s.typ, near})
		if len(near) > 0 {
			why += "; nearest: " + graphops.QuoteNames(near)
		}
		f.errs = append(f.errs, fmt.Sprintf("%q %s", s.name, why))
	}
	if f.options.Strict {
		for _, name := range f.result.Superfluous {
			f.errs = append(f.errs, fmt.Sprintf("%q is in the file and nothing takes it", name))
		}
	}
	if len(f.errs) == 0 {
		return nil
	}
	return &MisfitError{f.set.Path, &f.result, f.errs}
}

// near returns the names of unused tensors that are similar to name.
func (f *fitter) near(name string) []string {
	var free []string
	for i := range f.set.Entries {
		if n := f.set.Entries[i].Name; !f.taken[n] {
			free = append(free, n)
		}
	}
	return graphops.NearestNames(name, slices.Values(free))
}

// sum lists the tensors and the initializers that remain without a partner.
func (f *fitter) sum() {
	known := map[string]bool{}
	if f.options.Whole != nil {
		for _, s := range slots(f.options.Whole) {
			known[s.name] = true
		}
	}
	shared := f.shared()
	for i := range f.set.Entries {
		switch name := f.set.Entries[i].Name; {
		case f.taken[name] || shared[name]:
		case known[name], strings.HasSuffix(name, countedBatches):
			f.result.Unneeded = append(f.result.Unneeded, name)
		default:
			f.result.Superfluous = append(f.result.Superfluous, name)
		}
	}
	for _, s := range f.open {
		if s.kind == ofInitializer {
			f.result.Kept = append(f.result.Kept, s.name)
			if s.isWeight() {
				f.keptFloats++
			}
		}
	}
	f.doubt()
}

// shared returns the names in the file under which the tensors of filled values may be stored a
// second time. Such tensors do not count as unused.
func (f *fitter) shared() map[string]bool {
	out := map[string]bool{}
	for _, fit := range f.result.Fits {
		for _, name := range append([]string{fit.Value}, f.options.Aliases[fit.Value]...) {
			if more, ok := strings.CutPrefix(fit.Prefix, "+"); ok {
				name = more + name
			}
			out[strings.TrimPrefix(name, strings.TrimPrefix(fit.Prefix, "-"))] = true
		}
	}
	return out
}

// Suffixes of names that PyTorch gives the buffers of a batch normalization: the running mean, and
// the number of batches seen, which inference does not need.
const (
	runningMean    = ".running_mean"
	countedBatches = ".num_batches_tracked"
)

// doubt adds warnings if the result may mix weights of two models, or if the model has batch
// normalizations folded into its weights and the file does not.
func (f *fitter) doubt() {
	var folded []string
	for _, name := range f.result.Superfluous {
		if strings.HasSuffix(name, runningMean) {
			folded = append(folded, name)
		}
	}
	if lost := len(f.result.Superfluous); lost > 0 && len(f.result.Fits) > 0 && f.keptFloats > 0 {
		f.result.Warnings = append(f.result.Warnings, fmt.Sprintf("the model takes no value from %d tensors of the file, and %d weights of the model are unchanged: the result may be a mixture of two models", lost, f.keptFloats))
	}
	if len(folded) > 0 && len(f.result.Fits) > 0 {
		f.result.Warnings = append(f.result.Warnings, fmt.Sprintf("%s: the file has statistics of batch normalizations that the model does not have; if they were folded into weights of the model, those weights are now replaced by unfolded ones and the result is wrong: validate it, or export the model without folding",
			graphops.QuoteNames(folded)))
	}
}

// put returns the model with the tensors in it.
func (f *fitter) put(m *graphops.Model) (*graphops.Model, error) {
	tensors := map[string]*graphops.Tensor{}
	for _, fit := range f.result.Fits {
		t, err := fit.tensor()
		if err != nil {
			return nil, err
		}
		tensors[fit.Value] = t
	}
	next := m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if p.Function != nil {
			return false
		}
		for i, t := range e.Initializers {
			if own := tensors[t.Name()]; own != nil {
				e.Initializers[i] = own
			}
		}
		if p.Kind == graphops.MainGraph {
			f.add(e, tensors)
		}
		return true
	})
	return f.set.ReadBy(next), nil
}

// add adds initializers for values that were inputs or missing, and removes these inputs.
func (f *fitter) add(e *graphops.GraphEditor, tensors map[string]*graphops.Tensor) {
	became := map[string]bool{}
	for _, fit := range f.result.Fits {
		if fit.Slot != ofInitializer {
			e.Initializers = append(e.Initializers, tensors[fit.Value])
		}
		became[fit.Value] = fit.Slot == ofInput
	}
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool { return became[v.Name()] })
}
