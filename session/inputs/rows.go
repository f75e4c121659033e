package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/sizing"
)

// maxCases limits the number of cases. A case takes much more memory than a row, which may be a
// single byte, so a small file could otherwise use up the memory.
const maxCases = 100_000

// rowPlan says how the rows of arrays are split into cases.
type rowPlan struct {
	rows  int64 // rows of every array that is split, or of the first array if none is
	per   int64 // rows of a case; 0 if nothing is split
	fixed bool  // a case must have exactly per rows
	split []bool
	notes []string
	// expected are the arrays with expected values of outputs. They are split like the inputs.
	expected []npz.Entry
}

// role says how the rows of an input's array become cases. It follows from the first axis of the
// input.
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

// planRows decides which arrays are split into cases by rows, and how many rows a case has. If an
// input takes a fixed number of rows and its array has exactly that many, every case gets the whole
// array. The exception is an array with as many rows as the arrays that are split: it is split too.
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

// limit drops the rows after the first ones; 0 means no limit. If a case must have a fixed number
// of rows, the limit is rounded up to whole cases.
func (p *rowPlan) limit(rows int64) {
	if rows > 0 && p.splits() && rows < p.rows {
		if p.fixed {
			rows = (rows + p.per - 1) / p.per * p.per
		}
		p.rows = min(rows, p.rows)
	}
}

// cases splits the rows into cases. source is the beginning of their names.
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

// deal makes a case from rows lo to hi-1.
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
