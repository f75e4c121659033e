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

// Divergence is where two models begin to differ.
type Divergence struct {
	Layer int // index into the layers
	// Local is set if the nodes of this layer make the error themselves. Otherwise no layer fails
	// by itself, but an output is wrong: the errors of many layers add up, and this layer adds the
	// largest one relative to its signal.
	Local bool
	// Inputs are the values from which B computes the layer, without constants.
	Inputs []Input
	// Source is the line of the Python program from which the node was exported, or "" if the model
	// file does not contain it.
	Source string
	// Begins is set if a NaN or an infinity appears here on one side although the inputs are
	// finite.
	Begins bool
}

// Input is a value from which the layer of a Divergence is computed.
type Input struct {
	A, B  string // names; equal for an input of the model
	Layer int    // index into the layers; -1 for an input of the model
}

// judge judges all layers. It sorts them in the order in which A computes them.
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

// notes returns notes about values that were not compared, and about memory that was needed in
// addition to the limit.
func (c *comparison) notes() []string {
	out := slices.Clone(c.unseen)
	if c.skipped > 0 {
		out = append(out, fmt.Sprintf("%s of optional type cannot be read and %s not compared", text.Plural(c.skipped, "value"), isAre(c.skipped)))
	}
	if c.large > 0 {
		out = append(out, fmt.Sprintf("%s more memory than there is for values, the largest about %s: each ran alone, and on some rows at a time if that gives the same result", needs(c.large), text.Bytes(c.largest)))
	}
	if took := c.took.most(c.a.On, c.b.On); took > c.memory() {
		out = append(out, fmt.Sprintf("memory grew by up to %s, above the %s of --compare-memory: that limits the values, but not the graphs, the runtime's copies of them, or a node that needs all rows at once", text.Bytes(took), text.Bytes(c.memory())))
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

// only returns the names of the computed values in lone that are not compared in any layer.
func (c *comparison) only(m *graphops.Model, lone []graphops.ValueID, of func(*layer) graphops.ValueID) []string {
	has := map[graphops.ValueID]bool{}
	for _, l := range c.layers {
		has[of(l)] = true
	}
	lone = slices.DeleteFunc(slices.Clone(lone), func(v graphops.ValueID) bool { return has[v] })
	return names(m, lone)
}

// first returns the layer to blame for the error, or -1 if no layer is wrong. Layers that compute
// in floating point are considered before layers that quantize. Constants are never blamed, because
// the layers that read them show the error. Layers that differ only by a factor are considered
// last. If B has another scale than A in some part, and a fault in that part, the fault hides that
// B would have returned to A's scale; then the fault is to be blamed, and not the scale.
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

// mostNoise returns the layer with the lowest local signal-to-noise ratio, or -1 if no layer makes
// any noise.
func mostNoise(list []*layer) int {
	most := -1
	for i, l := range list {
		if l.Local != nil && !math.IsInf(l.Local.SNR, 1) && (most < 0 || l.Local.SNR < list[most].Local.SNR) {
			most = i
		}
	}
	return most
}

// isWrongOutput reports whether a layer is an output of A whose value in B is wrong.
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

// source returns the line of the Python program for a region: that of the last node for which it is
// known.
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

// Region returns the part of B that computes the value of one layer from the values of the layers
// before it. It is a model whose inputs have the names of these values in B. Running it on A's
// values gives the layer's local error. It is nil if the layer is a constant.
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
