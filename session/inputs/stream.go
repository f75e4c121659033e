package inputs

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// Stream reads the cases of the user's data one at a time, so that they need not all be in memory.
// It must not be used by several goroutines at once. If the cases are read in order, each file is
// read once.
type Stream struct {
	Notes []string // as in Cases
	// Classes are the names of the classes if the data is a folder of classes, and ClassOrder says what
	// their order is.
	Classes    []string
	ClassOrder string

	n     int
	rows  int64 // rows of a case; 0 if the samples are files
	all   int64 // rows of all arrays, also those that do not fill a batch; 0 if it is not known
	read  func(i int) (Case, error)
	close func() error
	given graphops.Feeds
}

// Len returns the number of cases.
func (s *Stream) Len() int { return s.n }

// Rows returns how many rows the data has, also those that are left out because they do not fill a batch.
// It is 0 if this is not known before all cases are read.
func (s *Stream) Rows() int64 { return s.all }

// Case reads one case. For arrays it does not include expected outputs.
func (s *Stream) Case(i int) (Case, error) {
	c, err := s.read(i)
	if err != nil {
		return c, ofData(err)
	}
	maps.Copy(c.Feeds, s.given)
	return c, nil
}

// Close closes the files.
func (s *Stream) Close() error { return s.close() }

// OpenStream opens the data of a request to be read case by case. It reads the first case to check
// it. An error in a later case is returned when that case is read.
func OpenStream(types []graphops.NamedType, r Request) (*Stream, error) {
	if err := checkDims(leaves(types), r.Dims); err != nil {
		return nil, err
	}
	given, err := readGiven(r.Said, types, r.Files)
	if err != nil {
		return nil, err
	}
	var open []graphops.NamedType
	for _, t := range types {
		if f, ok := given.Fills[t.Name]; ok {
			return nil, fmt.Errorf("input %q: %s is a rule for generated values, but the data has a value for every input", t.Name, f)
		}
		if _, ok := given.Values[t.Name]; !ok {
			open = append(open, t)
		}
	}
	s, err := openStream(r.Data, open, r.Files)
	if err != nil {
		return nil, ofData(err)
	}
	s.given, s.Notes = given.Values, append(given.Notes, s.Notes...)
	if err := s.look(types, r.Dims); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// look reads the first case and compares its sizes with the requested ones.
func (s *Stream) look(types []graphops.NamedType, dims map[string]int64) error {
	if s.n == 0 {
		return nil
	}
	c, err := s.Case(0)
	if err != nil {
		return err
	}
	notes, err := checkGivenDims(types, []Case{c}, dims)
	s.Notes = append(s.Notes, notes...)
	return err
}

func openStream(path string, open []graphops.NamedType, o FileOptions) (*Stream, error) {
	sets, err := dataSets(path)
	if err != nil {
		return nil, err
	}
	if sets != nil {
		return streamOf(len(sets), o, func(i int) (Case, error) {
			c, err := readDataSets(sets[i:i+1], open, o)
			if err != nil {
				return Case{}, err
			}
			return c.Cases[0], nil
		}), nil
	}
	files, err := filesOfCases(path, open, o)
	if err != nil {
		return nil, err
	}
	if files != nil {
		return streamFiles(files, o), nil
	}
	if hasExtension(path, ".pb", ".json") || isOneCase(path) {
		return streamCases(readCases(path, open, o))
	}
	if err := checkKind(path, open); err != nil {
		return nil, err
	}
	return streamArrays(path, open, o)
}

// streamOf returns a stream of n cases, but at most o.Samples. read reads case i.
func streamOf(n int, o FileOptions, read func(int) (Case, error)) *Stream {
	if o.Samples > 0 {
		n = int(min(int64(n), o.Samples))
	}
	return &Stream{n: n, read: read, close: func() error { return nil }}
}

// streamFiles returns a stream of the files of a folder.
func streamFiles(f *fileCases, o FileOptions) *Stream {
	s := streamOf(len(f.files), o, func(i int) (Case, error) { return f.read(f.files[i]) })
	s.Notes, s.all = f.notes, int64(s.n)
	if f.classes != nil {
		s.Classes, s.ClassOrder = f.classes.classes, f.classes.order
	}
	return s
}

// streamCases returns a stream of cases that are in memory. It is for formats that can only be read
// as a whole.
func streamCases(c Cases, err error) (*Stream, error) {
	if err != nil {
		return nil, err
	}
	s := streamOf(len(c.Cases), FileOptions{}, func(i int) (Case, error) {
		out := c.Cases[i]
		out.Feeds = maps.Clone(out.Feeds)
		return out, nil
	})
	s.Notes = c.Notes
	return s, nil
}

// rowsOf are open arrays whose rows are split into cases.
type rowsOf struct {
	bound  []bound // without elements
	arrays []*npz.Array
	whole  map[int]tensor.Tensor // arrays that every case gets whole
	plan   rowPlan
	labels []int64
	source string
}

func streamArrays(path string, types []graphops.NamedType, o FileOptions) (*Stream, error) {
	specs, err := Specs(types)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; keep such values in a folder of input_0.pb, input_1.pb …", path, err)
	}
	for i, t := range types {
		specs[i].Shape = withBatch(t, o.Dims)
	}
	file, err := npz.OpenRows(path)
	if err != nil {
		return nil, err
	}
	d := &rowsOf{whole: map[int]tensor.Tensor{}, source: filepath.Base(path)}
	notes, err := d.match(file.Arrays, specs, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return &Stream{Notes: notes, n: d.cases(), rows: d.plan.per, all: d.plan.rows, close: file.Close, read: func(i int) (Case, error) {
		c, err := d.read(i)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return c, err
	}}, nil
}

// match assigns an array to every input and decides how the rows are split. It needs only the
// headers of the arrays.
func (d *rowsOf) match(arrays []*npz.Array, specs []Spec, o FileOptions) ([]string, error) {
	entries := make([]npz.Entry, len(arrays))
	byName := map[string]*npz.Array{}
	for i, a := range arrays {
		entries[i] = npz.Entry{Name: a.Name, Tensor: tensor.Tensor{DType: a.DType, Shape: a.Shape}}
		byName[a.Name] = a
	}
	labels, rest := takeLabels(entries, specs)
	m := &matcher{left: without(rest, expectedAmong(entries, specs, o.Outputs))}
	var err error
	if d.bound, err = m.pair(specs); err != nil {
		return nil, err
	}
	for i := range d.bound {
		b := &d.bound[i]
		d.arrays = append(d.arrays, byName[b.array])
		if err := m.fitHeader(b); err != nil {
			return nil, err
		}
	}
	if d.plan, err = planRows(d.bound); err != nil {
		return nil, err
	}
	m.notes = append(m.notes, d.plan.notes...)
	if labels != nil {
		if labels.Tensor, err = byName[labels.Name].Whole(); err != nil {
			return nil, err
		}
	}
	if d.labels, err = m.labels(labels, d.plan); err != nil {
		return nil, err
	}
	d.plan.limit(o.Samples)
	if o.Rows > 0 && d.plan.splits() && !d.plan.fixed {
		d.plan.per = o.Rows
	}
	return m.notes, nil
}

// fitHeader does what fit does, for an array whose elements have not been read.
func (m *matcher) fitHeader(b *bound) error {
	shape := b.values.Shape
	b.values.Shape = []int64{0}
	if b.values.DType == tensor.String {
		b.values.Strings = []string{}
	}
	spec := b.spec
	b.spec.Shape = nil
	err := m.fit(b)
	b.spec = spec
	b.values = tensor.Tensor{DType: spec.DType, Shape: shape}
	if err != nil {
		return err
	}
	return m.fit(b)
}

// cases returns the number of cases.
func (d *rowsOf) cases() int {
	if !d.plan.splits() {
		return 1
	}
	n := d.plan.rows / d.plan.per
	if !d.plan.fixed && d.plan.rows%d.plan.per != 0 {
		n++
	}
	return int(n)
}

// read reads case i.
func (d *rowsOf) read(i int) (Case, error) {
	c := Case{Name: d.source, Feeds: graphops.Feeds{}}
	lo, hi := int64(0), d.plan.rows
	if d.plan.splits() {
		lo = int64(i) * d.plan.per
		hi = min(lo+d.plan.per, d.plan.rows)
		c.Name = fmt.Sprintf("%s[%d:%d]", d.source, lo, hi)
	}
	if d.labels != nil {
		c.Labels = d.labels[lo:hi]
	}
	for k, b := range d.bound {
		var err error
		if d.plan.split[k] && d.plan.splits() {
			if b.values, err = d.arrays[k].Rows(lo, hi); err == nil {
				err = b.convert()
			}
		} else {
			b.values, err = d.unsplit(k)
		}
		if err != nil {
			return Case{}, err
		}
		c.Feeds[b.spec.Name] = graphops.TensorValue(b.values)
	}
	return c, nil
}

// unsplit returns the whole array k, which every case gets. It is read once and kept.
func (d *rowsOf) unsplit(k int) (tensor.Tensor, error) {
	if t, ok := d.whole[k]; ok {
		return t, nil
	}
	b := d.bound[k]
	var err error
	if b.values, err = d.arrays[k].Whole(); err != nil {
		return b.values, err
	}
	if err := b.convert(); err != nil {
		return b.values, err
	}
	d.whole[k] = b.values
	return b.values, nil
}

// Fitting returns how many samples fit into most bytes, if all cases are as large as the first. The
// result can be used as FileOptions.Samples: 0 means that all fit.
func (s *Stream) Fitting(most int64) (int64, error) {
	if s.n == 0 {
		return 0, nil
	}
	c, err := s.Case(0)
	if err != nil {
		return 0, err
	}
	size := int64(1)
	for _, v := range c.Feeds {
		for _, t := range v.Tensors() {
			size += int64(len(t.Data))
		}
	}
	if int64(s.n) <= most/size {
		return 0, nil
	}
	return max(most/size, 1) * max(s.rows, 1), nil
}
