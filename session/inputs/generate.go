package inputs

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
	"lathe/session/sizing"
)

// DefaultMaxBytes is how much memory generated inputs may take unless Options
// says otherwise. A model is free to declare inputs of any size.
const DefaultMaxBytes = 1 << 30

// Options say what to generate.
type Options struct {
	Seed uint64
	// Dims are the sizes that the user gives: of symbols, of expressions that stand in a
	// type, and of axes without either as "NAME:AXIS".
	Dims map[string]int64
	// Batch is the size of batch axes that Dims does not set; 0 leaves them open.
	// It is an error if there is no such axis and the inputs are not that size
	// anyway.
	Batch int64
	// Sizes are those of all symbols, as a search that Fit starts proposes them. If it is
	// nil, sizes for a check are chosen.
	Sizes map[string]int64
	// Learned is where searches for sizes keep what they learned.
	Learned  sizing.Store
	MaxBytes int64 // of all inputs together; 0 is DefaultMaxBytes
	// Model tells who reads the inputs, and thereby what they may be; nil where
	// only their types are known.
	Model *graphops.Model
	// Fill is the rule for floating-point inputs, Each that for an input of any
	// type but text, whatever its readers want.
	Fill Fill
	Each map[string]Fill
	// Signed has integers that no reader limits drawn from both signs.
	Signed bool
	// Given are values that are at hand: those inputs are not made, and the sizes
	// that they give to symbols are those of the others.
	Given graphops.Feeds

	reach reach // of the elements
	empty bool  // sequences have no elements
}

// Fed tells what an input was given.
type Fed struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"` // null for what is no tensor
	// Source is "generated" or the file; What tells what is in it, as "integers 0
	// to 30521", and Why for what reason, as "index into 30522 rows of …".
	Source string `json:"source"`
	What   string `json:"what"`
	Why    string `json:"why"`
}

// Generated are values for inputs, with what they are, in the order of the inputs.
type Generated struct {
	Feeds graphops.Feeds
	Fed   []Fed
}

// Generate makes a value for every input that none is given for. What its readers
// allow goes first: an index stays within the axis that it points into, a length is
// small, a shape fits. Then a name speaks: a mask is all ones, positions count,
// segments are 0 or 1. Floating-point numbers are drawn from the standard normal
// distribution, unless Fill says otherwise; integers of 8 bits and less from all
// that are not negative, wider ones from 0 to 9; bools by coin. A sequence has
// three elements, an optional has a value, a map the keys that its reader knows.
//
// The values of an input depend on the seed, its name, type and size, its readers, and
// the names and sizes of the other inputs, and not on what those hold.
func Generate(types []graphops.NamedType, o Options) (Generated, error) {
	if err := checkEach(types, o.Each); err != nil {
		return Generated{}, err
	}
	made, specs, err := open(types, o)
	if err != nil {
		return Generated{}, err
	}
	shapes, err := sized(types, made, specs, o)
	if err != nil {
		return Generated{}, err
	}
	g := &generator{o: o, fed: bounds.Inputs{}, out: Generated{Feeds: graphops.Feeds{}}}
	g.most = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	g.left = g.most
	for i, in := range made {
		if in.Type.Kind == graphops.TypeTensor {
			g.fed[in.Name] = shapes[i]
		}
	}
	for name, v := range o.Given {
		if v.IsTensor() {
			g.fed[name] = v.Tensor.Shape
		}
	}
	g.types, g.bounds, g.masks = types, bounds.For(o.Model, g.fed), masksOf(o.Model)
	for i, in := range made {
		if err := g.input(in, shapes[i]); err != nil {
			return Generated{}, err
		}
	}
	return g.out, nil
}

func checkEach(types []graphops.NamedType, each map[string]Fill) error {
	for _, name := range slices.Sorted(maps.Keys(each)) {
		if !slices.ContainsFunc(types, func(t graphops.NamedType) bool { return t.Name == name }) {
			return unknownInput(name, types)
		}
	}
	return nil
}

// open are the inputs to be made, each with the tensor that is or is in it. A tensor
// in a sequence may have any rank: it gets two axes.
func open(types []graphops.NamedType, o Options) ([]graphops.NamedType, []Spec, error) {
	var made []graphops.NamedType
	var specs []Spec
	for _, t := range types {
		if _, given := o.Given[t.Name]; given {
			continue
		}
		leaf := leafOf(t.Type)
		if leaf.Kind != graphops.TypeTensor || !leaf.Elem.Valid() {
			return nil, nil, fmt.Errorf("input %q takes %s, which cannot be generated; only tensors, sequences, maps and optionals can be fed", t.Name, t.Type)
		}
		if t.Type.Kind != graphops.TypeTensor && leaf.Shape == nil {
			leaf.Shape = graphops.FixedShape([]int64{2, 3})
		}
		made = append(made, t)
		specs = append(specs, Spec{Name: t.Name, DType: leaf.Elem, Shape: leaf.Shape})
	}
	return made, specs, nil
}

// leafOf is the type of the tensors that a value is or holds.
func leafOf(t graphops.Type) graphops.Type {
	for t.Of != nil && t.Kind != graphops.TypeTensor {
		t = *t.Of
	}
	return t
}

// generator makes values one after another.
type generator struct {
	o Options
	budget
	types  []graphops.NamedType
	fed    bounds.Inputs
	bounds *bounds.Finder
	masks  map[string]bounds.Mask
	out    Generated
}

func (g *generator) input(in graphops.NamedType, shape []int64) error {
	name := fnv.New64a()
	name.Write([]byte(in.Name))
	c := chooser{name: in.Name, shape: shape, around: surroundingsOf(in, g.types, g.fed), reach: g.o.reach, signed: g.o.Signed, rng: rand.New(rand.NewPCG(g.o.Seed, name.Sum64()))}
	if g.o.Model != nil {
		c.allowed, c.mask = g.bounds.Of(in.Name), g.masks[in.Name]
	}
	v, pick, err := g.value(in.Type, c)
	if err != nil {
		return err
	}
	g.out.Feeds[in.Name] = v
	g.out.Fed = append(g.out.Fed, Fed{
		Name: in.Name, Type: in.Type.String(), Shape: v.Type.Shape, Source: "generated", What: pick.what, Why: pick.why,
	})
	return nil
}

// tensor makes one tensor by the choice for it.
func (g *generator) tensor(c chooser) (tensor.Tensor, choice, error) {
	n, err := g.claim(Spec{Name: c.name, DType: c.dtype}, c.shape)
	if err != nil {
		return tensor.Tensor{}, choice{}, err
	}
	pick := c.choose(g.o.Fill)
	if f, ok := g.o.Each[c.name]; ok {
		if pick, err = c.asked(f); err != nil {
			return tensor.Tensor{}, choice{}, err
		}
	}
	t, err := fill(c.dtype, c.shape, n, pick)
	if err != nil {
		return t, pick, fmt.Errorf("input %q: %w", c.name, err)
	}
	return t, pick, nil
}
