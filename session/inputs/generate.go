package inputs

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
	"lathe/session/sizing"
)

// DefaultMaxBytes is how much memory generated inputs may use by default. There must be a limit,
// since a model can declare inputs of any size. Inputs exist twice, here and in the worker, and
// outputs of the same size do so, too. So a model that makes no more of its inputs stays below 1 GiB.
const DefaultMaxBytes = 128 << 20

// modest is how many bytes the inputs of a check preferably take. A check runs on several inputs,
// and joins some of them.
const modest = 16 << 20

// Options say which inputs are to be generated, and how.
type Options struct {
	Seed uint64
	// Dims are the sizes that the user gave. A key is a symbol, an expression that is the size of
	// an axis, or "NAME:AXIS" for an axis without either.
	Dims map[string]int64
	// Batch is the size of the batch axes that Dims does not set; 0 leaves them to the search for
	// sizes. If no input has a batch axis that could get this size, that is an error.
	Batch int64
	// Sizes are the sizes of all symbols, as a search that Fit started has proposed. If it is nil,
	// sizes are chosen that suit a quick check.
	Sizes map[string]int64
	// Learned stores which sizes searches have found to work or not to work, for later searches.
	Learned  sizing.Store
	MaxBytes int64 // for all inputs together; 0 means DefaultMaxBytes
	// Model is the model to run. Its nodes show which values the inputs may have. It is nil if only
	// the types of the inputs are known.
	Model *graphops.Model
	// Stated are roles of inputs and outputs that the user states. Roles are those that a search for
	// sizes has found; if it is nil, they are found again.
	Stated []roles.Given
	Roles  *roles.Roles
	// Fill is the rule for floating-point inputs for which nothing else decides. Each has rules for
	// single inputs, by name. They override even what the nodes allow. A rule cannot be given for
	// an input of texts.
	Fill Fill
	Each map[string]Fill
	// Signed makes integers positive and negative if no node that reads them limits them.
	Signed bool
	// Given are the inputs that have values already. They are not generated. If one of their axes
	// has a symbol, its size also applies to the other inputs.
	Given graphops.Feeds

	reach reach // which part of the range elements come from
	empty bool  // sequences have no elements
}

// Fed describes the value of an input in reports.
type Fed struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"` // null for values that are not tensors
	// Source is "generated", or the name of a file. What describes the value, for example "integers
	// 0 to 30521". Why gives the reason, for example "index into 30522 rows of …".
	Source string `json:"source"`
	What   string `json:"what"`
	Why    string `json:"why"`
}

// Generated are values for inputs and their descriptions, in the order of the inputs.
type Generated struct {
	Feeds graphops.Feeds
	Fed   []Fed
}

// Generate generates a value for every input that has none. First, the values follow from what the
// nodes that read them allow: an index stays within the axis that it points into, a length is
// small, a shape is valid. Then the role (see package roles) or the name decides: a mask is all
// ones, positions count up, segments are 0 or 1. Then the type decides: floating-point numbers have
// the standard normal distribution unless Fill says otherwise, integers of at most 8 bits are any
// that are not negative, wider ones 0 to 9, bools are random. A sequence has three elements, an
// optional has a value, and a map has keys that the node reading it knows.
//
// The values of an input depend on the seed, on its name, type and size, on the nodes that read it,
// and on the names and sizes of the other inputs. They do not depend on the values of the other
// inputs.
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
	if g.roles = o.Roles; g.roles == nil && o.Model != nil {
		if g.roles, err = roles.Find(context.Background(), o.Model, roles.Options{Given: o.Stated}); err != nil {
			return Generated{}, err
		}
	}
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

// open returns the inputs to generate. For each, it also returns a Spec of the tensor that the
// input is, or of the tensors that it contains. If the rank of tensors in a sequence is not
// declared, they get two axes.
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

// leafOf returns the type of a tensor itself, or of the tensors in a sequence, optional or map.
func leafOf(t graphops.Type) graphops.Type {
	for t.Of != nil && t.Kind != graphops.TypeTensor {
		t = *t.Of
	}
	return t
}

// generator generates the values of inputs, one after another.
type generator struct {
	o Options
	budget
	types []graphops.NamedType
	roles *roles.Roles // nil if there is no model
	fed   bounds.Inputs
	// positions in a cache, and those that a run adds; nil until they are needed
	pastLength, nextLength *int64
	bounds                 *bounds.Finder
	masks                  map[string]bounds.Mask
	out                    Generated
}

func (g *generator) input(in graphops.NamedType, shape []int64) error {
	name := fnv.New64a()
	name.Write([]byte(in.Name))
	c := chooser{name: in.Name, shape: shape, around: g.surroundings(in), reach: g.o.reach, signed: g.o.Signed, rng: rand.New(rand.NewPCG(g.o.Seed, name.Sum64()))}
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

// tensor generates one tensor.
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
