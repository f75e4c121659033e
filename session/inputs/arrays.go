package inputs

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/sizing"
)

// Case is one run of a model: a value for every input.
type Case struct {
	Name  string
	Feeds graphops.Feeds
	// Labels are the correct classes, one for each row; nil if unknown.
	Labels []int64
	// Classes is the number of classes. 0 means that it follows from the labels of all cases.
	Classes int64
	// Expected are the values that the outputs should have, by name. It has no entry for an output
	// whose value is not in the files.
	Expected graphops.Feeds
	// Fed describes the value of each input.
	Fed []Fed
	// Family is the kind of a generated case, and None for the user's data. A generated case that
	// is saved and read again keeps its family.
	Family Family
	// Counted says which positions a mask leaves out, if the model has a cache. What comes out there
	// is not defined. It is nil if all positions count, or for models without a cache.
	Counted *Counted
}

// Counted are the positions that count in each sequence.
type Counted struct {
	Sequences, Positions int64
	At                   []bool // one for each position of each sequence
}

// freeRows is how many rows of the arrays form one case if the model takes any number of rows at
// once.
const freeRows = 64

// Cases are the cases that a model is run on, with notes on how they were made.
type Cases struct {
	Cases []Case
	Notes []string // what was converted, assumed or left out
	// Fit is the search that proposed the sizes of the generated cases. It is nil if no case was
	// generated.
	Fit *sizing.Search
	// NotRun are cases that should have been generated but could not be.
	NotRun []NotRun
}

// fromArrays makes cases from the arrays of a file or folder. source is the name of the file or
// folder; the cases are named after it: "digits_test.npz[0:64]".
//
// Every input gets the array with its name. If one array and one input are left over, the input
// gets that array. An integer array with the name "label", "labels", "target", "targets" or "y" has
// the labels, unless an input has that name. An array with the name of an output, and with a
// suitable type and rank, has its expected values.
//
// If the arrays have more rows than the model takes at once, they are split into several cases. A
// case has as many rows as the model's first axis, or 64 if that is a dynamic batch. If the last
// rows do not fill a fixed batch, they are left out, with a note.
func fromArrays(arrays []npz.Entry, specs []Spec, o FileOptions, source string) (Cases, error) {
	labels, rest := takeLabels(arrays, specs)
	expected := expectedAmong(arrays, specs, o.Outputs)
	m := &matcher{left: without(rest, expected)}
	bound, err := m.match(specs)
	if err != nil {
		return Cases{}, err
	}
	plan, err := planRows(bound)
	if err != nil {
		return Cases{}, err
	}
	m.notes = append(m.notes, plan.notes...)
	classes, err := m.labels(labels, plan)
	if err != nil {
		return Cases{}, err
	}
	plan.expected = m.dealt(expected, plan)
	plan.limit(o.Samples)
	cases, err := plan.cases(bound, classes, source)
	return Cases{Cases: cases, Notes: m.notes}, err
}

// bound is an input and the array from which it gets its values.
type bound struct {
	spec   Spec
	array  string
	values tensor.Tensor
}

// matcher assigns arrays to inputs. left are the arrays that are not assigned yet.
type matcher struct {
	left  []npz.Entry
	notes []string
}

func (m *matcher) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// match assigns every input an array and checks type and rank.
func (m *matcher) match(specs []Spec) ([]bound, error) {
	out, err := m.pair(specs)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := m.fit(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pair assigns an array to every input: the one with its name, or the only one that is left over.
// It does not check the type.
func (m *matcher) pair(specs []Spec) ([]bound, error) {
	out := make([]bound, len(specs))
	var open []int
	for i, spec := range specs {
		at := slices.IndexFunc(m.left, func(e npz.Entry) bool { return e.Name == spec.Name })
		if at < 0 {
			open = append(open, i)
			continue
		}
		out[i] = bound{spec, spec.Name, m.left[at].Tensor}
		m.left = slices.Delete(m.left, at, at+1)
	}
	switch {
	case len(open) == 1 && len(m.left) == 1:
		i, e := open[0], m.left[0]
		m.note("array %q is used for input %q: it is the only one left", e.Name, specs[i].Name)
		out[i] = bound{specs[i], e.Name, e.Tensor}
		m.left = nil
	case len(open) > 0:
		return nil, fmt.Errorf("no array for input %q; arrays that no input uses: %s; rename one, or pass it with --input", specs[open[0]].Name, graphops.QuoteNames(namesOf(m.left)))
	}
	for _, e := range m.left {
		m.note("array %q is used by no input", e.Name)
	}
	return out, nil
}

func namesOf(entries []npz.Entry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}

// fit converts an array to its input's type and checks its shape. The first axis may have any size,
// because the array can have more rows than one run takes.
func (m *matcher) fit(b *bound) error {
	from := b.values.DType
	if err := b.convert(); err != nil {
		return err
	}
	if from != b.spec.DType {
		m.note("array %q is converted from %s to %s", b.array, from, b.spec.DType)
	}
	if b.spec.Shape == nil {
		return nil
	}
	fits := len(b.values.Shape) == len(b.spec.Shape)
	for axis := 1; fits && axis < len(b.spec.Shape); axis++ {
		d := b.spec.Shape[axis]
		fits = !d.IsFixed() || d.Value == b.values.Shape[axis]
	}
	if !fits {
		return fmt.Errorf("array %q has shape %s, input %q expects %s", b.array, tensor.FormatShape(b.values.Shape), b.spec.Name, b.spec.Shape)
	}
	return nil
}

// convert converts an array to its input's type.
func (b *bound) convert() error {
	if b.values.DType == b.spec.DType {
		return nil
	}
	converted, err := convert(b.values, b.spec.DType)
	if err != nil {
		return fmt.Errorf("array %q for input %q: %w", b.array, b.spec.Name, err)
	}
	b.values = converted
	return nil
}

// Converted converts a tensor to a type of another width. A float becomes the nearest value of that
// type. An integer stays exact or gives an error.
func Converted(t tensor.Tensor, to tensor.DType) (tensor.Tensor, error) { return convert(t, to) }

// convert changes the width of numbers. It returns an error for conversions that change the
// meaning, such as a float to an integer; the user has to do those.
func convert(t tensor.Tensor, to tensor.DType) (tensor.Tensor, error) {
	from, want := t.DType.Kind(), to.Kind()
	integer := func(k tensor.Kind) bool { return k == tensor.KindSigned || k == tensor.KindUnsigned }
	switch {
	case from == tensor.KindFloat && want == tensor.KindFloat:
		values, err := t.Float64s()
		if err != nil {
			return tensor.Tensor{}, err
		}
		return tensor.FromFloat64s(to, values, t.Shape...)
	case integer(from) && integer(want) && t.DType != tensor.U64 && to != tensor.U64:
		values, err := t.Int64s()
		if err != nil {
			return tensor.Tensor{}, err
		}
		return tensor.FromInt64s(to, values, t.Shape...)
	}
	return tensor.Tensor{}, fmt.Errorf("type %s, expected %s; convert it in the file", t.DType, to)
}

// takeLabels returns the array with labels, or nil, and the other arrays.
func takeLabels(arrays []npz.Entry, specs []Spec) (*npz.Entry, []npz.Entry) {
	isLabels := func(e npz.Entry) bool {
		isInput := slices.ContainsFunc(specs, func(s Spec) bool { return s.Name == e.Name })
		kind := e.Tensor.DType.Kind()
		return !isInput && (kind == tensor.KindSigned || kind == tensor.KindUnsigned) &&
			NamesLabels(e.Name)
	}
	at := slices.IndexFunc(arrays, isLabels)
	if at < 0 {
		return nil, slices.Clone(arrays)
	}
	return &arrays[at], slices.Delete(slices.Clone(arrays), at, at+1)
}

// labels returns the labels in an array. If there is not exactly one label for each row, it leaves
// them out and adds a note.
func (m *matcher) labels(e *npz.Entry, plan rowPlan) ([]int64, error) {
	if e == nil {
		return nil, nil
	}
	shape := e.Tensor.Shape
	flat := len(shape) == 1 || len(shape) == 2 && shape[1] == 1
	if !flat || shape[0] != plan.rows {
		m.note("array %q has shape %s, which is not one label for each of %d rows; it is left out", e.Name, tensor.FormatShape(shape), plan.rows)
		return nil, nil
	}
	labels, err := e.Tensor.Int64s()
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", e.Name, err)
	}
	return labels, nil
}
