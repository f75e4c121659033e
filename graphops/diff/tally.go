package diff

import "slices"

// Tally counts differences by kind. It excludes differences in documentation and metadata, and what
// Diff.Notes counts.
type Tally struct {
	IO                      int // changes of inputs and outputs
	Changed, Added, Removed int // nodes
	Places                  int // bodies and functions that only one model has
	Weights                 int // constants that differ
	// constants that only one model has, and that are a difference of their own (see
	// Weight.Follows)
	NewWeights, LostWeights int
	Types                   int // inner values with different types
	Fields                  int // versions and signatures

	// Follows counts nodes that differ only because other nodes were added or removed. Total does
	// not include them.
	Follows int
}

// Total returns the number of differences of all kinds, without Follows.
func (t Tally) Total() int {
	return t.IO + t.Changed + t.Added + t.Removed + t.Places + t.Weights + t.NewWeights + t.LostWeights + t.Types + t.Fields
}

// Tally counts the differences.
func (d *Diff) Tally() Tally {
	t := Tally{IO: len(d.IO)}
	for _, f := range d.Model {
		t.Fields += one(f.Counts())
	}
	for _, w := range d.Weights {
		switch {
		case !w.Counts():
		case w.IsAdded():
			t.NewWeights++
		case w.IsRemoved():
			t.LostWeights++
		default:
			t.Weights++
		}
	}
	for _, p := range d.Places {
		t.Places += one(p.A == nil || p.B == nil)
		t.Added += len(p.Added)
		t.Removed += len(p.Removed)
		t.Types += len(p.Types)
		for _, c := range p.Changed {
			t.Changed += one(c.Counts())
			t.Follows += one(c.Follows)
		}
		for _, f := range p.Fields {
			t.Fields += one(f.Counts())
		}
	}
	return t
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Counts reports whether the property affects what the model computes.
func (f Field) Counts() bool { return !f.Describes }

// Counts reports whether the nodes differ in what they compute, and not only because another node
// was added or removed.
func (c NodeChange) Counts() bool { return !c.Describes && !c.Follows }

// Counts reports whether the constant is a difference of its own. It is not if it was added or
// removed together with all its readers.
func (w Weight) Counts() bool { return !w.Follows }

// IsAdded reports whether only B has the constant.
func (w Weight) IsAdded() bool { return w.A < 0 && w.NodeA < 0 }

// IsRemoved reports whether only A has the constant.
func (w Weight) IsRemoved() bool { return w.B < 0 && w.NodeB < 0 }

// Counts reports whether a row is a difference of its own. A row with only a Constant node is not,
// because constants are reported in Diff.Weights.
func (d *PlaceDiff) Counts(r Row) bool {
	switch {
	case r.Change >= 0:
		return d.Changed[r.Change].Counts()
	case r.B < 0:
		_, is := slices.BinarySearch(d.Removed, r.A)
		return is
	case r.A < 0:
		_, is := slices.BinarySearch(d.Added, r.B)
		return is
	}
	return false
}
