package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/sizing"
)

// maxCases limits the cases, since a case takes more memory than the row of one byte that can ask
// for it.
const maxCases = 100_000

// rowPlan says how rows are distributed to cases.
type rowPlan struct {
	rows  int64 // of every array that is split; of the first one if none is
	per   int64 // rows of a case; 0 if nothing is split
	fixed bool  // a case must have exactly per rows
	split []bool
	notes []string
	// expected are arrays of outputs, which are split like the inputs.
	expected []npz.Entry
}

// role says how the rows of an input's array are used, according to its first axis.
type role uint8

const (
	whole role = iota // every case gets the whole array
	fixed             // the model takes a fixed number of rows at once
	free              // the model takes any number
)

func roleOf(b bound) role {
	if len(b.spec.Shape) == 0 || len(b.values.Shape) == 0 {
		return whole
	}
	switch first := b.spec.Shape[0]; {
	case first.IsFixed():
		return fixed
	case sizing.CountsSamples(first, 0):
		return free
	}
	return whole
}

// planRows finds out which arrays are split and how many rows a case has. An array with exactly the
// rows of a fixed axis is shared by all cases, unless the arrays that are split have as many rows.
func planRows(inputs []bound) (rowPlan, error) {
	p := rowPlan{split: make([]bool, len(inputs))}
	for i, b := range inputs {
		r := roleOf(b)
		if r == free || r == fixed && b.values.Shape[0] != b.spec.Shape[0].Value {
			p.split[i] = true
		}
	}
	from := ""
	for i, b := range inputs {
		if !p.split[i] {
			continue
		}
		if from != "" && b.values.Shape[0] != p.rows {
			return rowPlan{}, fmt.Errorf("array %q has %d rows, %q has %d", from, p.rows, b.array, b.values.Shape[0])
		}
		from, p.rows = b.array, b.values.Shape[0]
	}
	if from == "" {
		p.rows = firstRows(inputs)
		return p, nil
	}
	return p, p.size(inputs)
}

// firstRows returns the number of rows of the first array that has rows.
func firstRows(inputs []bound) int64 {
	for _, b := range inputs {
		if len(b.values.Shape) > 0 {
			return b.values.Shape[0]
		}
	}
	return 0
}

// size decides how many rows a case has.
func (p *rowPlan) size(inputs []bound) error {
	from := ""
	for i, b := range inputs {
		if roleOf(b) != fixed || !p.split[i] && b.values.Shape[0] != p.rows {
			continue
		}
		p.split[i] = true
		want := b.spec.Shape[0].Value
		if from != "" && want != p.per {
			return fmt.Errorf("input %q takes %d rows at once, %q takes %d", from, p.per, b.spec.Name, want)
		}
		from, p.per, p.fixed = b.spec.Name, want, true
	}
	if !p.fixed {
		p.per = freeRows
		return nil
	}
	switch {
	case p.per == 0 || p.rows < p.per:
		return fmt.Errorf("the arrays have %d rows, input %q takes %d at once", p.rows, from, p.per)
	case p.rows%p.per != 0:
		p.notes = append(p.notes, fmt.Sprintf("the last %d of %d rows do not fill a batch of %d and are left out", p.rows%p.per, p.rows, p.per))
	}
	return nil
}

// limit drops rows beyond a number; 0 means no limit. For a fixed batch the number is rounded up to
// whole batches.
func (p *rowPlan) limit(rows int64) {
	if rows > 0 && p.splits() && rows < p.rows {
		if p.fixed {
			rows = (rows + p.per - 1) / p.per * p.per
		}
		p.rows = min(rows, p.rows)
	}
}

// cases distributes the rows.
func (p *rowPlan) cases(inputs []bound, labels []int64, source string) ([]Case, error) {
	if !p.splits() {
		c, err := p.deal(inputs, labels, 0, p.rows)
		c.Name = source
		return []Case{c}, err
	}
	if n := p.rows / p.per; n > maxCases {
		return nil, fmt.Errorf("%d rows are %d cases of %d rows; at most %d cases can be run", p.rows, n, p.per, maxCases)
	}
	var out []Case
	for lo := int64(0); lo < p.rows; lo += p.per {
		hi := min(lo+p.per, p.rows)
		if p.fixed && hi-lo < p.per {
			break
		}
		c, err := p.deal(inputs, labels, lo, hi)
		if err != nil {
			return nil, err
		}
		c.Name = fmt.Sprintf("%s[%d:%d]", source, lo, hi)
		out = append(out, c)
	}
	return out, nil
}

// deal makes a case of the rows from lo up to, not including, hi.
func (p *rowPlan) deal(inputs []bound, labels []int64, lo, hi int64) (Case, error) {
	c := Case{Feeds: graphops.Feeds{}}
	if labels != nil {
		c.Labels = labels[lo:hi]
	}
	for i, b := range inputs {
		t := b.values
		if p.split[i] {
			var err error
			if t, err = t.Rows(lo, hi); err != nil {
				return Case{}, fmt.Errorf("array %q: %w", b.array, err)
			}
		}
		c.Feeds[b.spec.Name] = graphops.TensorValue(t)
	}
	return c, p.expect(&c, p.expected, lo, hi)
}
