package edit

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/inputs"
)

// warnGone returns warnings about removed constants: that their values are lost or, if they are
// saved, which types are converted for numpy.
func (s *Constants) warnGone(gone []*graphops.Tensor) []string {
	if len(gone) == 0 || s.Optional {
		return nil
	}
	if s.Values == "" {
		return []string{fmt.Sprintf("the values of %d constants are not in the result; keep them with --save NPZ", len(gone))}
	}
	var out []string
	var told []tensor.DType
	for _, t := range gone {
		d := t.DType()
		if held, ok := npz.HeldAs(d); ok && held != d && !slices.Contains(told, d) {
			told = append(told, d)
			out = append(out, fmt.Sprintf("numpy has no type %s: its values are saved as %s, without loss", d, held))
		}
	}
	return out
}

// saveTensors writes tensors to an .npz archive. It reads one tensor at a time, so that only one is
// in memory.
func saveTensors(ctx context.Context, env session.Env, path string, force bool, list []*graphops.Tensor) error {
	total := int64(0)
	for _, t := range list {
		n, err := t.ByteLen()
		if err != nil {
			return err
		}
		total += n
	}
	o := graphops.WriteOptions{Overwrite: force, Progress: func(n int64) {
		env.Progress(session.Progress{Phase: "saving values", Done: n, Total: total, Unit: "B"})
	}}
	return graphops.WriteFile(ctx, path, o, func(w io.Writer) error {
		archive := npz.NewWriter(w)
		for _, t := range list {
			if err := saveTensor(archive, t); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

func saveTensor(archive *npz.Writer, t *graphops.Tensor) error {
	if t.DType() == tensor.String {
		s, err := t.Strings()
		if err != nil {
			return err
		}
		return archive.Tensor(t.Name(), tensor.FromStrings(s, t.Dims()...))
	}
	data, err := t.Data()
	if err != nil {
		return err
	}
	return archive.Elements(t.Name(), t.DType(), t.Dims(), data.Reader())
}

// fix replaces inputs by constants with the values of --data and --set.
func (s *Constants) fix(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
	o := edit.FixOptions{Inputs: s.Value}
	var notes []string
	if s.Data != "" {
		arrays, err := npz.Open(s.Data, npz.Options{})
		if err != nil {
			return nil, nil, err
		}
		specs, err := s.specs(m.Graph(), arrays)
		if err != nil {
			return nil, nil, err
		}
		if o.Data, notes, err = inputs.Whole(s.asked(arrays, specs), specs); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Data, err)
		}
	}
	set, err := inputs.Fixed(s.Set, graphops.NamedTypes(m.Graph().Inputs()))
	if err != nil {
		return nil, nil, fmt.Errorf("--set: %w", err)
	}
	if len(set) > 0 && o.Data == nil {
		o.Data = map[string]tensor.Tensor{}
	}
	maps.Copy(o.Data, set)
	if len(s.Value) > 0 {
		o.Inputs = slices.Concat(s.Value, slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(name string) bool { return slices.Contains(s.Value, name) }))
	}
	next, r, err := edit.InputsToInitializers(m, at, o)
	if err == nil {
		r.Warnings = append(r.Warnings, notes...)
	}
	return next, r, err
}

// specs returns the inputs that get a value from the arrays. If inputs are named, these are the
// named ones that need a value or have an array. Otherwise they are the inputs whose name an array
// has; a single array also fits a single required input.
func (s *Constants) specs(g *graphops.Graph, arrays []npz.Entry) ([]inputs.Spec, error) {
	fed := g.FeedInputs()
	has, needs, named := nameSet(arrayNames(arrays)), nameSet(graphops.ValueNames(fed)), nameSet(s.Value)
	var out []graphops.NamedType
	for _, v := range graphops.NamedTypes(g.Inputs()) {
		if named[v.Name] && (has[v.Name] || needs[v.Name]) || len(s.Value) == 0 && has[v.Name] {
			out = append(out, v)
		}
	}
	if len(out) == 0 && len(s.Value) == 0 {
		if len(arrays) != 1 || len(fed) != 1 {
			return nil, fmt.Errorf("%s: no array has the name of an input; arrays are %s, inputs %s", s.Data, graphops.QuoteNames(arrayNames(arrays)), graphops.QuoteNames(graphops.ValueNames(g.Inputs())))
		}
		out = graphops.NamedTypes(fed)
	}
	return inputs.Specs(out)
}

// asked returns only the arrays for the inputs that --value names, so that other arrays in the file
// cannot cause an error. If an input has no array of its name, it returns all arrays.
func (s *Constants) asked(arrays []npz.Entry, specs []inputs.Spec) []npz.Entry {
	want := map[string]bool{}
	for _, x := range specs {
		want[x.Name] = true
	}
	var out []npz.Entry
	for _, e := range arrays {
		if want[e.Name] {
			out = append(out, e)
		}
	}
	if len(s.Value) == 0 || len(out) < len(specs) {
		return arrays
	}
	return out
}

func arrayNames(arrays []npz.Entry) []string {
	names := make([]string, len(arrays))
	for i, e := range arrays {
		names[i] = e.Name
	}
	return names
}

func nameSet(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}
