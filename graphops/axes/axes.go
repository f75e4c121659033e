package axes

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Axis identifies one dimension of an input or output of the main graph.
type Axis struct {
	Value string
	Axis  int // counted from 0; negative from the end
	// Symbol is the symbol that the axis gets. If it is "", a symbol is made from the names of
	// value and axis.
	Symbol string
}

// Size says that a number replaces a symbol.
type Size struct {
	Symbol string
	Size   int64
}

// Options say which axes get symbols (Free), and which symbols become numbers (Fix).
type Options struct {
	Free []Axis
	Fix  []Size
	// Repair repairs the pins for which a repair is known.
	Repair bool
}

// Pin is a constant that fits only one size of an axis that was to become dynamic.
type Pin struct {
	Place *graphops.Place // of the original model
	Node  int             // position of the node that reads the constant
	Value string          // the name of the constant
	// Axis is the index of the element in the constant. If Stored is set, the size of the constant
	// itself does not fit, and Axis is the axis with that size.
	Axis     int
	Stored   bool
	Constant int64
	// Needs is the expression that should stand in place of the number, such as "4*batch".
	Needs string
	// Repair describes the repair, or says why no repair exists.
	Repair   string
	Mendable bool
	// Demand is what the node needs, if another node computes the value: "axis 1 of its inputs "a" and
	// "b" must be equal". Either that node or this one may then be wrong. Otherwise it is "".
	Demand string
}

// Report says what a change of axes did.
type Report struct {
	// Changed has the names of the values whose declared type was changed, first those of the main
	// graph.
	Changed []string
	// Symbols are the symbols that the freed axes got, in the order of Options.Free.
	Symbols  []string
	Pins     []Pin // those that remain
	Repaired []Pin
	// Folded is the number of nodes that were replaced by constants, or removed because only such
	// nodes needed them.
	Folded int
	// Sizes has, by symbol, the numbers that the freed axes had before. For an axis that had no
	// number, it has the size at which the constants of the model were judged.
	Sizes    map[string]int64
	Warnings []string
}

// Change replaces sizes of axes by symbols (Options.Free) and symbols by numbers (Options.Fix). If
// a symbol is renamed or fixed, this applies wherever the main graph and its bodies use it. Change
// then infers the shapes, and writes them to the outputs and to value_info. It reports the pins of
// the freed axes.
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

// changer is the state of one call of Change.
type changer struct {
	ctx      context.Context
	original *graphops.Model
	model    *graphops.Model                 // as changed so far
	before   *shape.Result                   // of the original
	to       map[string]dim.Dim              // by symbol: its replacement
	set      map[string]map[int]graphops.Dim // by input or output: the axes that get a size
	edges    map[string]edge                 // inputs and outputs of the main graph; nil until it is needed
	taken    map[string]bool                 // symbols that are in use; nil until it is needed
	unsized  []string                        // symbols whose old size the file does not have
	named    map[string][]string             // by symbol: the axes that get it
	tagger   *tagger
	gathers  map[int]bool // nodes of the main graph that are temporarily a Reshape
	plan     []*mend
	repaired bool // the repairs have been made
	build    *builder
	report   *Report
}

func (c *changer) warn(format string, args ...any) {
	c.report.Warnings = append(c.report.Warnings, fmt.Sprintf(format, args...))
}
