package axes

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Axis names one dimension of an input or output of the main graph.
type Axis struct {
	Value string
	Axis  int // counted from 0; negative from the end
	// Symbol that the dimension gets; "" makes one up from value and axis.
	Symbol string
}

// Size is the number that a symbol becomes.
type Size struct {
	Symbol string
	Size   int64
}

// Options say which axes change.
type Options struct {
	Free []Axis
	Fix  []Size
	// Repair mends the pins that can be mended.
	Repair bool
}

// Pin is a constant that holds a freed axis at a number.
type Pin struct {
	Place *graphops.Place // of the model as it was
	Node  int             // that reads the constant, by position
	Value string          // the constant
	// Axis is the element of the constant that is the number, or, if Stored, the
	// axis of the constant that has that size.
	Axis     int
	Stored   bool
	Constant int64
	// Needs is what would have to stand there, as an expression.
	Needs string
	// Repair tells what mends it, or why nothing does.
	Repair   string
	Mendable bool
}

// Report tells what a change of axes did.
type Report struct {
	// Changed are the names of the values whose declared type differs, those of the
	// main graph first.
	Changed []string
	// Symbols are the symbols written, in the order asked for.
	Symbols  []string
	Pins     []Pin // those that are left
	Repaired []Pin
	// Folded is how many nodes became constants.
	Folded int
	// Sizes are what the freed symbols were: of axes that had a symbol before, or
	// nothing, what constants that do not fit every size would fit.
	Sizes    map[string]int64
	Warnings []string
}

// Change names, frees and fixes axes. A symbol that is renamed or fixed is so
// wherever it occurs. What follows from a change is inferred, and written to the
// outputs and to the value_info that the file has.
func Change(ctx context.Context, m *graphops.Model, o Options) (*graphops.Model, *Report, error) {
	c := &changer{ctx: ctx, original: m, report: &Report{Sizes: map[string]int64{}}, to: map[string]dim.Dim{}, set: map[string]map[int]graphops.Dim{}}
	if err := c.request(o); err != nil {
		return nil, nil, err
	}
	before, err := shape.Infer(ctx, m, shape.Options{Fresh: true})
	if err != nil {
		return nil, nil, err
	}
	c.before = before
	c.model = c.renamed()
	if err := c.assumeSizes(); err != nil {
		return nil, nil, err
	}
	plain := c.model
	if len(c.report.Sizes) > 0 {
		if err := c.withoutPositions(); err != nil {
			return nil, nil, err
		}
		if err := c.findPins(); err != nil {
			return nil, nil, err
		}
		c.reportPins(o.Repair)
	}
	if o.Repair {
		c.repair()
	} else {
		c.model = plain
	}
	if err := c.finish(); err != nil {
		return nil, nil, err
	}
	return c.model, c.report, nil
}

// changer is one change of axes.
type changer struct {
	ctx      context.Context
	original *graphops.Model
	model    *graphops.Model                 // as far as it is changed
	before   *shape.Result                   // of the original
	to       map[string]dim.Dim              // by symbol: what it becomes
	set      map[string]map[int]graphops.Dim // by input or output: the axes that are named
	unsized  []string                        // symbols whose old size the file does not tell
	named    map[string][]string             // by symbol: the axes that were given it
	tagger   *tagger
	gathers  map[int]bool // nodes of the main graph that are a Reshape for now
	plan     []*mend
	repaired bool // the plan is carried out
	build    *builder
	report   *Report
}

func (c *changer) warn(format string, args ...any) {
	c.report.Warnings = append(c.report.Warnings, fmt.Sprintf(format, args...))
}
