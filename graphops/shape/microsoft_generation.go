package shape

import "lathe/graphops/dim"

// generation has the rules of operators that run a model in a loop to generate text.
var generation = family{
	"BeamSearch": beamSearch, "WhisperBeamSearch": beamSearch, "GreedySearch": greedySearch, "Sampling": greedySearch,
}

func beamSearch(c *call) {
	vocabulary := c.generate()
	c.settings(6)
	batch, most, beams, returned := c.extent(0, 0), c.single(1), c.single(3), c.single(4)
	c.longer(most)
	c.outDims(0, []dim.Dim{batch, returned, most})
	c.outDims(1, []dim.Dim{batch, returned})
	c.outDims(2, []dim.Dim{c.generated(most), batch, beams, vocabulary})
	kept := dim.Unknown()
	if c.has(12) {
		kept = c.extent(12, 0)
	}
	c.outDims(3, []dim.Dim{batch, returned, kept, dim.Unknown(), dim.Unknown()})
	c.outDims(4, []dim.Dim{batch})
}

// longer demands that the maximum length has room for a token after the prompt. For a model with an
// encoder the prompt is not part of the text.
func (c *call) longer(most dim.Dim) {
	if c.attrInt("model_type", 0) == 0 {
		c.atLeast(Source{most, 1, -1}, c.extent(0, 1).Add(dim.Number(1)), "max_length must be at least %s; it is %s")
	}
}

// settings demands that the inputs after the first one, up to index last, are single numbers.
func (c *call) settings(last int) {
	for i := 1; i <= last; i++ {
		c.lists(i, dim.Number(1))
	}
}

// generated returns the number of generated tokens: the maximum length without the prompt, if
// the prompt is the beginning of the text.
func (c *call) generated(most dim.Dim) dim.Dim {
	if c.attrInt("model_type", 0) != 0 {
		return dim.Unknown()
	}
	return most.Sub(c.extent(0, 1))
}

func greedySearch(c *call) {
	vocabulary := c.generate()
	c.settings(3)
	c.rankIn(0, 2)
	c.longer(c.single(1))
	batch := c.extent(0, 0)
	c.outDims(0, []dim.Dim{batch, c.single(1)})
	c.outDims(1, []dim.Dim{batch, vocabulary})
}

// generate infers the graphs that the node runs, and returns the size of the vocabulary.
func (c *call) generate() (vocabulary dim.Dim) {
	var decoded []Value
	for _, name := range []string{"encoder", "init_decoder", "decoder"} {
		f := c.body(name)
		if f == nil {
			continue
		}
		if name == "decoder" {
			f.times = dim.Unknown()
		}
		f.takeDeclared(name)
		f.run()
		decoded = f.outputs()
	}
	if n := c.attrInt("vocab_size", -1); n > 0 {
		return dim.Number(n)
	}
	if d := at(decoded, 0).Dims; len(d) == 3 {
		if _, ok := d[2].Number(); ok {
			return d[2]
		}
	}
	return dim.Unknown()
}

// takeDeclared gives the inputs of a body their declared types. The body's symbols are its own,
// even if the graph around it has the same ones: a decoder has one batch item for each beam.
func (f *frame) takeDeclared(body string) {
	own := func(symbol string) (dim.Dim, bool) { return dim.Symbol(body + "." + symbol), true }
	for _, v := range f.place.Graph.Inputs() {
		id, ok := f.index.Value(v.Name())
		if !ok || f.index.IsInitializer(id) {
			continue
		}
		t := FromFile(v.Type())
		for i, d := range t.Dims {
			t.Dims[i] = d.Subst(own)
		}
		f.values[id] = Value{Type: t}
	}
}
