package inputs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/sizing"
	"lathe/session/text"
)

// Request says which inputs a model is to be run on: the user's data, generated values, or both.
type Request struct {
	Data  string   // path for ReadCases; empty for generated values
	Said  []string // values and rules for single inputs, as NAME=WHAT, for readGiven
	Seeds int      // number of generated cases in the family Seeds, with consecutive seeds
	// Families are the families of cases to generate; empty means only Seeds. Skip has families
	// among them that are not generated after all, with the reason.
	Families []Family
	Skip     map[Family]string
	// Rare is set if the user named the families. They then include cases that few models can run.
	Rare bool
	// Purpose decides which sizes are chosen for axes whose size nobody gives, such as small ones
	// for a check.
	Purpose sizing.Purpose
	// Fit is the search for sizes. The cases get the sizes that it proposed last. If it has made no
	// proposal yet, it is asked for one. If Fit is nil, a new search is started.
	Fit *sizing.Search
	Options
	Files FileOptions
}

// Prepare returns the cases to run a model with these inputs on: those of the user's data, or
// generated ones. A value or rule for a single input applies to every case.
func Prepare(types []graphops.NamedType, r Request) (Cases, error) {
	given, err := r.given(types)
	if err != nil {
		return Cases{}, err
	}
	var out Cases
	if r.Data != "" {
		for _, t := range types {
			if f, ok := given.Fills[t.Name]; ok {
				return Cases{}, fmt.Errorf("input %q: %s is a rule for generated values, but the data has a value for every input", t.Name, f)
			}
		}
		r.Files.Given = given.Values
		out, err = r.read(types, given)
	} else {
		out, err = r.generate(types, given)
	}
	if err != nil {
		return Cases{}, err
	}
	notes, err := checkGivenDims(types, out.Cases, r.Dims)
	if err != nil {
		return Cases{}, err
	}
	out.Notes = slices.Concat(given.Notes, out.Notes, notes)
	for i := range out.Cases {
		c := &out.Cases[i]
		c.Fed = inOrder(append(slices.Clone(given.Fed), c.Fed...), types)
	}
	return out, nil
}

// given reads what the user gave for single inputs, and checks the requested sizes. Values in Options
// apply to inputs for which the user gave nothing.
func (r Request) given(types []graphops.NamedType) (Given, error) {
	if err := checkDims(leaves(types), r.Dims); err != nil {
		return Given{}, err
	}
	g, err := readGiven(r.Said, types, r.Files)
	for name, v := range r.Options.Given {
		_, said := g.Values[name]
		if _, ruled := g.Fills[name]; err == nil && !said && !ruled {
			g.Values[name] = v
		}
	}
	return g, err
}

// Read reads what the user gave, and generates nothing: the values and rules for single inputs, and
// the cases of the data. Without data there are no cases.
func Read(types []graphops.NamedType, r Request) (Given, Cases, error) {
	given, err := r.given(types)
	if err != nil {
		return given, Cases{}, err
	}
	if r.Data != "" {
		cases, err := Prepare(types, r)
		return given, cases, err
	}
	_, err = checkGivenDims(types, []Case{{Feeds: given.Values}}, r.Dims)
	return given, Cases{}, err
}

// leaves returns all inputs, each with the tensor that it is or contains.
func leaves(types []graphops.NamedType) []Spec {
	specs := make([]Spec, len(types))
	for i, t := range types {
		specs[i] = Spec{Name: t.Name, Shape: leafOf(t.Type).Shape}
	}
	return specs
}

// read returns the cases of the data. If families were requested too, it adds their cases.
func (r Request) read(types []graphops.NamedType, given Given) (Cases, error) {
	out, err := ReadCases(r.Data, types, r.Files)
	if err != nil || len(r.Families) == 0 {
		return out, err
	}
	made, err := r.generate(types, given)
	out.Cases = append(out.Cases, made.Cases...)
	out.Notes, out.NotRun, out.Fit = append(out.Notes, made.Notes...), made.NotRun, made.Fit
	return out, err
}

// inOrder sorts by the order of the inputs.
func inOrder(fed []Fed, types []graphops.NamedType) []Fed {
	at := map[string]int{}
	for i, t := range types {
		at[t.Name] = i
	}
	slices.SortStableFunc(fed, func(a, b Fed) int { return at[a.Name] - at[b.Name] })
	return fed
}

// WriteFed writes a table of the values of inputs, with the reasons if there are any.
func WriteFed(w io.Writer, fed []Fed) error {
	t := text.Table{Titles: []string{"input", "type", "shape", "given", ""}}
	if slices.ContainsFunc(fed, func(f Fed) bool { return f.Why != "" }) {
		t.Titles[4] = "why"
	}
	for _, f := range fed {
		what := f.What
		if f.Source != "generated" && f.Source != "" && !strings.HasPrefix(what, f.Source) {
			what = f.Source + ", " + what
		}
		shape := ""
		if f.Shape != nil {
			shape = f.Shape.String()
		}
		t.Add(text.Clean(f.Name), f.Type, shape, text.CleanLine(what), text.CleanLine(f.Why))
	}
	return t.WriteText(w, "  ")
}
