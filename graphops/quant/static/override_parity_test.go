//go:build parity

package static

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// drawing draws overrides of a model's values.
type drawing struct {
	*rand.Rand
	k *marker
}

func one[T any](d drawing, of []T) T { return of[d.IntN(len(of))] }

func some[T any](d drawing, x T) *T {
	if d.IntN(2) == 0 {
		return nil
	}
	return &x
}

// value draws overrides of one value; nil where nothing fits.
func (d drawing) value(name string) []Override {
	t := d.k.inits[name]
	if t == nil {
		v := d.range_(Override{Type: TypeName(one(d, append([]tensor.DType{0}, activationTypes...)))})
		if readers := d.k.readers[name]; d.IntN(3) == 0 && len(readers) > 0 {
			v.Convert = d.conversion(v, readers)
		}
		return []Override{v}
	}
	v := d.range_(Override{Type: TypeName(one(d, append([]tensor.DType{0}, weightTypes...)))})
	if v.Scale == nil {
		v.ReduceRange = some(d, d.IntN(2) == 0)
		if tensor.DType(v.Type).Bits() == 4 {
			v.ReduceRange = nil // the reference has no such range
		}
	}
	rank := len(t.Dims())
	if rank == 0 || d.IntN(2) == 0 {
		return []Override{v}
	}
	axis := d.IntN(2*rank) - rank
	v.Axis = &axis
	if (v.Min == nil) != (v.Max == nil) {
		v.Min, v.Max = nil, nil
	}
	if v.Scale == nil && v.Min == nil {
		return []Override{v}
	}
	list := []Override{v}
	for range t.Dims()[(axis+rank)%rank] - 1 {
		next := d.range_(Override{})
		for next.Scale == nil != (v.Scale == nil) || (next.Min == nil) != (v.Min == nil) || (next.Max == nil) != (v.Max == nil) || next.Symmetric != nil {
			next = d.range_(Override{})
		}
		list = append(list, next)
	}
	return list
}

// range_ draws what there is to say of the numbers.
func (d drawing) range_(v Override) Override {
	if d.IntN(3) == 0 {
		scale, zero := float32(d.IntN(9)+1)/64, int64(d.IntN(8))
		v.Scale, v.Zero = &scale, &zero
		return v
	}
	v.Symmetric = some(d, d.IntN(2) == 0)
	v.Min, v.Max = some(d, float32(-d.IntN(20))/8), some(d, float32(d.IntN(20))/8)
	return v
}

func (d drawing) conversion(v Override, readers []int) *Conversion {
	own := d.k.o.typeOf(v)
	others := slices.DeleteFunc(slices.Clone(activationTypes), func(t tensor.DType) bool { return t == own })
	x := d.range_(Override{Type: TypeName(one(d, others))})
	c := &Conversion{Type: x.Type, Scale: x.Scale, Zero: x.Zero, Symmetric: x.Symmetric, Min: x.Min, Max: x.Max}
	if d.IntN(2) == 0 {
		c.Receivers = []string{d.k.nodes[one(d, readers)].Name()}
	}
	return c
}

// TestOverridesParity quantizes each model with drawn overrides of one value, and of
// several where the reference looks at all of them, and compares as TestParity does.
func TestOverridesParity(t *testing.T) {
	python := reference.Start(t, "testdata/reference.py")
	var hello answer
	python.Read(t, &hello)
	dir := t.TempDir()
	compared, departed := 0, map[Departure]int{}
	for _, m := range models {
		for _, opset := range []int{17, 21} {
			path := filepath.Join(dir, strings.ReplaceAll(fmt.Sprint(m.name, opset), " ", "_")+".onnx")
			if err := os.WriteFile(path, graphtest.Bytes(t, fmt.Sprintf("opset %d\n", opset)+m.text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprint(m.name, " ", opset), func(t *testing.T) {
				opened, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				c := comparison{python, path, filepath.Join(dir, "ours.onnx"), filepath.Join(dir, "theirs.onnx"), path + ".json"}
				for seed := range uint64(40) {
					o := DefaultOptions()
					o.PerChannel = seed%2 == 1
					k, err := markerOf(context.Background(), opened, nil, o, &Report{})
					if err != nil {
						t.Fatal(err)
					}
					d := drawing{rand.New(rand.NewPCG(seed, 7)), k}
					var names []string
					for name, kind := range k.types {
						if kind == tensor.F32 {
							names = append(names, name)
						}
					}
					slices.Sort(names)
					o.Overrides = Overrides{}
					for range 1 + d.IntN(2) {
						name := one(d, names)
						o.Overrides[name] = d.value(name)
					}
					for _, x := range c.run(t, o) {
						departed[x]++
					}
					if compared++; t.Failed() {
						t.Logf("seed %d, overrides %s", seed, forReference(o).Overrides)
						return
					}
				}
			})
		}
	}
	t.Logf("%d comparisons, departures %v", compared, departed)
}
