package precision

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/calibrate"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// drafting is a step that can say in advance which nodes it would change.
type drafting interface {
	session.Step
	// Draft returns which nodes the step would change, and the size of the result. A quick draft
	// may lack the size.
	Draft(ctx context.Context, m *graphops.Model, quick bool) (*quant.Draft, error)
	// Spread returns the distribution of a value over the step's data.
	Spread(ctx context.Context, env session.Env, m *graphops.Model, value string) (*calibrate.Spread, error)
}

// quantizeFound is the draft of a quantization with all nodes selected. The dialog lists its
// candidates. It is immutable.
type quantizeFound struct {
	*quant.Draft
	// names has the names of the candidates that would change, each once. Several candidates may
	// have the same name, and are selected together. called has the index of each candidate's name,
	// or -1. groups has the candidates of each name.
	names   []string
	Called  []int32
	groups  [][]int32
	ticks   int // how many candidates can be ticked
	unnamed int // candidates that change but cannot be deselected, because they have no name
	Weights []*quant.DraftWeight
	Uses    [][]int32 // for each candidate, the indices of its weights
	bytes   int64     // total size of all weights
	out     string    // the suggested output file, which does not exist yet
	model   *graphops.Model
	// Here maps names to nodes of the model's main graph. It is nil unless the draft is about a
	// prepared copy of the model, so that its nodes are not those of the visible model.
	here map[string]int
	// need and columns are the widths of the longest name and of the columns beside names.
	need    int
	columns []cells.Column
}

// NewQuantizeFound makes the rows of a draft.
func NewQuantizeFound(m *graphops.Model, d *quant.Draft) *quantizeFound {
	f := &quantizeFound{model: m, Draft: d, Called: make([]int32, len(d.Candidates)), Uses: make([][]int32, len(d.Candidates))}
	at, number := map[string]int32{}, map[*quant.DraftWeight]int32{}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		f.Called[i] = -1
		if c.Reason != "" {
			continue
		}
		if name := c.Node().Name(); name != "" {
			f.ticks++
			if _, known := at[name]; !known {
				at[name] = int32(len(f.names))
				f.names, f.groups = append(f.names, name), append(f.groups, nil)
			}
			f.Called[i] = at[name]
			f.groups[at[name]] = append(f.groups[at[name]], int32(i))
		} else {
			f.unnamed++
		}
		for _, w := range c.Weights {
			if _, known := number[w]; !known {
				number[w] = int32(len(f.Weights))
				f.Weights = append(f.Weights, w)
				f.bytes += w.Before
			}
			f.Uses[i] = append(f.Uses[i], number[w])
		}
	}
	f.need, f.columns = f.quantizeColumns()
	if d.Elsewhere {
		f.here = map[string]int{}
		for i, n := range m.Graph().Nodes() {
			if n.Name() != "" {
				f.here[n.Name()] = i
			}
		}
	}
	return f
}

// none says why no node would change; "" if one would.
func (f *quantizeFound) none() string {
	if len(f.Candidates) == 0 || f.ticks+f.unnamed > 0 {
		return ""
	}
	return fmt.Sprintf("none of %s can change: the first %s", text.Plural(len(f.Candidates), "node"), f.Candidates[0].Reason)
}

// Where returns the place of a candidate in the model, and its index there.
func (f *quantizeFound) Where(c *quant.Candidate) (p *graphops.Place, index int, ok bool) {
	if !f.Elsewhere {
		return c.Place, c.Index, true
	}
	index, ok = f.here[c.Node().Name()]
	return f.model.Places()[0], index, ok
}

// QuantizeTicks is which candidates are selected, and what that changes in the size of the result.
type QuantizeTicks struct {
	Found *quantizeFound
	off   []bool // for each name, whether it is deselected
	Out   int    // how many names are deselected
	On    int    // candidates that are ticked
	Users []int  // how many nodes that change read a weight
	Lost  int64  // how much larger the weights are than with all nodes ticked
	// Absent has the names that were deselected in another mode and that do not change in this one.
	// They are deselected again if the mode is.
	Absent map[string]bool
}

// NewQuantizeTicks returns the selection for a new draft. Names that were deselected before stay
// deselected.
func NewQuantizeTicks(f *quantizeFound, before *QuantizeTicks) *QuantizeTicks {
	t := &QuantizeTicks{Found: f, off: make([]bool, len(f.names)), On: f.ticks, Users: make([]int, len(f.Weights)), Absent: map[string]bool{}}
	for i := range f.Candidates {
		for _, w := range f.Uses[i] {
			t.Users[w]++
		}
	}
	left := before.names()
	for i, name := range f.names {
		if left[name] {
			t.Toggle(i)
			delete(left, name)
		}
	}
	t.Absent = left
	return t
}

// names returns the names of all deselected nodes, including those that change nothing in this
// mode.
func (t *QuantizeTicks) names() map[string]bool {
	out := map[string]bool{}
	if t == nil {
		return out
	}
	maps.Copy(out, t.Absent)
	for i, off := range t.off {
		if off {
			out[t.Found.names[i]] = true
		}
	}
	return out
}

// copy returns a copy of the ticks, to be read in the background.
func (t *QuantizeTicks) copy() *QuantizeTicks {
	if t == nil {
		return nil
	}
	out := *t
	out.off, out.Users = slices.Clone(t.off), nil
	return &out
}

// Toggle selects or deselects all nodes with a name, and updates the estimate of the size.
func (t *QuantizeTicks) Toggle(name int) {
	t.off[name] = !t.off[name]
	by := 1
	if t.off[name] {
		by = -1
	}
	t.Out -= by
	for _, i := range t.Found.groups[name] {
		t.On += by
		for _, k := range t.Found.Uses[i] {
			was, w := t.Users[k], t.Found.Weights[k]
			t.Users[k] += by
			switch {
			case was == 0:
				t.Lost -= w.Before - w.After
			case t.Users[k] == 0:
				t.Lost += w.Before - w.After
			}
		}
	}
}

// IsOn reports whether a candidate, by its position, is ticked.
func (t *QuantizeTicks) IsOn(i int) bool {
	name := t.Found.Called[i]
	return t.Found.Candidates[i].Reason == "" && (name < 0 || !t.off[name])
}

// After estimates the size of the result for the current selection. It assumes that everything
// except the weights is as large as with all nodes selected. It also assumes that no quantized
// weight has to be kept in float32 for a node that is not quantized.
func (t *QuantizeTicks) After() int64 { return t.Found.After + t.Lost }

// Lists returns names for the options "include" or "exclude", whichever needs fewer. A node without
// a name can be in neither, and is therefore always quantized.
func (t *QuantizeTicks) Lists() (include, exclude []string) {
	if t.Out == 0 {
		return nil, nil
	}
	all := len(t.off)
	byOff := t.Found.unnamed > 0 || 2*t.Out <= all || t.Out == all
	for i, off := range t.off {
		switch {
		case off && byOff:
			exclude = append(exclude, t.Found.names[i])
		case !off && !byOff:
			include = append(include, t.Found.names[i])
		}
	}
	return include, exclude
}

// The orders of the list of candidates.
const (
	quantizeByGraph = iota
	QuantizeByBytes
	quantizeByError
	quantizeByCost // at the outputs
	quantizeOrders
)

var quantizeOrderWords = [...]string{quantizeByGraph: "as in the graph", QuantizeByBytes: "by bytes saved", quantizeByError: "by error of the weight, worst on top", quantizeByCost: "by SNR at the outputs, worst on top"}

// Fidelity is the measured error of a quantized weight, or why it could not be measured.
type Fidelity struct {
	quant.Fidelity
	err error
}

// Arranged returns the indices of the candidates in an order. Those that can change come before the
// others.
func (f *quantizeFound) Arranged(order int, known map[*quant.DraftWeight]*Fidelity, costs *graph.NodeSignals) []int32 {
	out := make([]int32, len(f.Candidates))
	figure := make([]float64, len(f.Candidates))
	for i := range f.Candidates {
		out[i] = int32(i)
		c := &f.Candidates[i]
		switch order {
		case QuantizeByBytes:
			for _, w := range c.Weights {
				figure[i] -= float64(w.Before - w.After)
			}
		case quantizeByError:
			figure[i] = math.MaxFloat64
			for _, w := range c.Weights {
				if k := known[w]; k != nil && k.err == nil {
					figure[i] = min(figure[i], k.SNR())
				}
			}
		case quantizeByCost:
			figure[i] = math.MaxFloat64
			if db, known := f.costOf(c, costs); known {
				figure[i] = db
			}
		}
	}
	slices.SortStableFunc(out, func(a, b int32) int {
		if left, right := f.Candidates[a].Reason != "", f.Candidates[b].Reason != ""; left != right {
			if right {
				return -1
			}
			return 1
		}
		switch {
		case figure[a] < figure[b]:
			return -1
		case figure[a] > figure[b]:
			return 1
		}
		return 0
	})
	return out
}
