package layers

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/graphops/region"
	"lathe/session/text"
)

// Divergence is where the models start to differ.
type Divergence struct {
	Layer int // index into the layers
	// Local is set if the region itself makes the error. Otherwise the error accumulates: no region
	// fails but an output is off, and this layer adds the largest share of noise.
	Local bool
	// Inputs are the values that the region reads, except constants.
	Inputs []Input
	// Source is the line of the program that the node was exported from, or "" if the file does not
	// contain it.
	Source string
	// Begins is set if one side produces a NaN or an infinity here from finite inputs.
	Begins bool
}

// Input is a value that the region of a divergence reads.
type Input struct {
	A, B  string // names; equal for an input of the model
	Layer int    // index into the layers; -1 for an input of the model
}

// judge judges all layers and sorts them in the order of A.
func (c *comparison) judge() error {
	at := map[*layer]int{}
	slices.SortStableFunc(c.layers, func(x, y *layer) int { return x.at - y.at })
	for i, l := range c.layers {
		at[l] = i
	}
	for _, l := range c.layers {
		l.Judgement, l.Reason = l.judge()
		for _, w := range c.cutB.Inputs(l.Pair.B) {
			if from := c.of[w]; from != nil {
				l.Inputs = append(l.Inputs, at[from])
			}
		}
	}
	c.pardonForm()
	pardon(c.layers)
	c.pardonScaled()
	return c.attribute()
}

// result returns what was found, including the first divergence.
func (c *comparison) result() *Result {
	r := &Result{
		A: c.m.A, B: c.m.B, inA: c.a.In, inB: c.b.In, Map: c.m, Segments: c.segments, Notes: c.notes(),
		OnlyA: c.only(c.m.A, c.m.OnlyA, func(l *layer) graphops.ValueID { return l.Pair.A }),
		OnlyB: c.only(c.m.B, c.m.OnlyB, func(l *layer) graphops.ValueID { return l.Pair.B }),
	}
	for _, l := range c.layers {
		r.Layers = append(r.Layers, l.Layer)
	}
	i, local := first(c.layers, c.multiple)
	if i < 0 && slices.ContainsFunc(r.Layers, r.isWrongOutput) {
		i = mostNoise(c.layers)
	}
	if i >= 0 {
		r.First = c.divergence(r, i, local)
	}
	return r
}

// notes lists what was left out and how much memory was needed.
func (c *comparison) notes() []string {
	out := slices.Clone(c.unseen)
	if c.skipped > 0 {
		out = append(out, fmt.Sprintf("%s of optional type cannot be read and %s not compared", text.Plural(c.skipped, "value"), isAre(c.skipped)))
	}
	if c.large > 0 {
		out = append(out, fmt.Sprintf("%s more than the memory for values allows, the largest about %s: run alone, and some rows at a time where that gives the same", needs(c.large), text.Bytes(c.largest)))
	}
	if took := c.took.most(c.a.On, c.b.On); took > c.memory() {
		out = append(out, fmt.Sprintf("memory rose by up to %s, past the %s of --compare-memory: beside the values there are the graphs and what the runtime makes of them, and a node that cannot be divided", text.Bytes(took), text.Bytes(c.memory())))
	}
	if n := c.store.wrote; n > 0 {
		out = append(out, fmt.Sprintf("%s of values were kept in a file in %s, %s at a time; more --compare-memory keeps them in memory", text.Bytes(n), os.TempDir(), text.Bytes(c.store.size)))
	}
	return out
}

func needs(nodes int) string {
	if nodes == 1 {
		return "1 node needs"
	}
	return text.Plural(nodes, "node") + " need"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// only returns the names of computed values that are not in any layer.
func (c *comparison) only(m *graphops.Model, lone []graphops.ValueID, of func(*layer) graphops.ValueID) []string {
	has := map[graphops.ValueID]bool{}
	for _, l := range c.layers {
		has[of(l)] = true
	}
	lone = slices.DeleteFunc(slices.Clone(lone), func(v graphops.ValueID) bool { return has[v] })
	return names(m, lone)
}

// first returns the layer that makes the error, or -1 if there is none. A region that computes in
// floating point comes before one that quantizes. Constants do not count, since the regions that
// read them show the error. Layers that are off only by a factor come last: if B has other scales
// than A in some part and a fault is there too, nothing proves that the scales would have been
// undone.
func first(list []*layer, multipleOf func(at int) multiple) (at int, local bool) {
	scaled := -1
	for i, l := range list {
		if len(l.RegionA)+len(l.RegionB) == 0 || l.Judgement != Differs && l.Judgement != Stuck {
			continue
		}
		switch kind := multipleOf(i); {
		case kind == isChannelwise && scaled < 0:
			scaled = i
		case kind == noMultiple || kind == anyMultiple && scaled < 0:
			return i, true
		}
	}
	if scaled >= 0 {
		return scaled, true
	}
	noisy := slices.IndexFunc(list, func(l *layer) bool { return l.Judgement == Noisy })
	return noisy, noisy >= 0
}

// mostNoise returns the layer that adds the largest share of noise, or -1 if none adds any.
func mostNoise(list []*layer) int {
	most := -1
	for i, l := range list {
		if l.Local != nil && !math.IsInf(l.Local.SNR, 1) && (most < 0 || l.Local.SNR < list[most].Local.SNR) {
			most = i
		}
	}
	return most
}

// isWrongOutput reports whether a layer is an output of A that is off.
func (r *Result) isWrongOutput(l Layer) bool {
	return r.A.Graph().Index().IsOutput(l.Pair.A) && (l.AccumulatedReason != "" || l.Accumulated != nil && l.Accumulated.Mismatched > 0 && !l.Quantizes)
}

func (c *comparison) divergence(r *Result, i int, local bool) *Divergence {
	l := r.Layers[i]
	d := &Divergence{Layer: i, Local: local, Source: source(r.A, l.RegionA)}
	if d.Source == "" {
		d.Source = source(r.B, l.RegionB)
	}
	d.Begins = l.Local != nil && l.Local.NaNMismatched+l.Local.InfMismatched > 0
	for _, in := range l.Inputs {
		d.Inputs = append(d.Inputs, Input{r.Layers[in].A, r.Layers[in].B, in})
	}
	for _, w := range c.cutB.Inputs(l.Pair.B) {
		if c.of[w] == nil {
			name := r.B.Graph().Index().Name(w)
			d.Inputs = append(d.Inputs, Input{name, name, -1})
		}
	}
	return d
}

// source returns the source line of the last node of a region that has one.
func source(m *graphops.Model, nodes []int) string {
	for _, i := range slices.Backward(nodes) {
		if s := origin.OfNode(m.Graph().Nodes()[i]).Stack(); len(s.Value) > 0 {
			f := s.Value[len(s.Value)-1]
			line := f.File + ":" + strconv.Itoa(f.Line)
			if f.Source != "" {
				line += ": " + f.Source
			}
			return line
		}
	}
	return ""
}

// Region returns the part of B that computes a layer's value from other layers' values, as a model
// that takes these values under their names in B. When fed with A's values, it shows the layer's
// local error. It is nil for a constant.
func (r *Result) Region(layer int) (*graphops.Model, error) {
	l := r.Layers[layer]
	if len(l.RegionB) == 0 {
		return nil, nil
	}
	var cuts []graphops.ValueID
	for _, in := range append(slices.Clone(l.Inputs), layer) {
		if v := r.Layers[in].Pair.B; r.B.Graph().Index().Producer(v) >= 0 {
			cuts = append(cuts, v)
		}
	}
	cut, err := region.At(r.B, cuts)
	if err != nil {
		return nil, err
	}
	types := map[graphops.ValueID]graphops.Type{}
	for _, in := range l.Inputs {
		types[r.Layers[in].Pair.B] = r.Layers[in].TypeB
	}
	return cut.Part([]graphops.ValueID{l.Pair.B}, func(v graphops.ValueID) graphops.Type { return types[v] }).Model, nil
}
