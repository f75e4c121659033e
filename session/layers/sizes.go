package layers

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// unknownBytes is the size that is assumed at first for a value whose size is not known.
const unknownBytes = 1 << 20

// inferSizes infers how many bytes each value of A takes with the given inputs.
func (c *comparison) inferSizes() error {
	e := graphops.Edit(c.m.A)
	for i, v := range e.Inputs {
		if fed, ok := c.a.In[v.Name()]; ok {
			e.Inputs[i] = graphops.NewValueInfo(v.Name(), fed.Type)
		}
	}
	sized := e.Model()
	types, err := shape.Infer(c.ctx, sized, shape.Options{Fresh: true})
	if err != nil {
		return err
	}
	main, x := sized.Places()[0], c.m.A.Graph().Index()
	c.bytesA = map[graphops.ValueID]int64{}
	for v := range graphops.ValueID(x.Values()) {
		id, ok := main.Graph.Index().Value(x.Name(v))
		if n, known := byteLen(types.Type(main, id)); ok && known {
			c.bytesA[v] = n
		}
	}
	return nil
}

// byteLen returns how many bytes a tensor takes. It returns false if the type does not fix all
// sizes.
func byteLen(t graphops.Type) (int64, bool) {
	sizes, fixed := sizesOf(t)
	if !fixed || t.Elem.Bits() == 0 {
		return 0, false
	}
	count, err := tensor.Elements(sizes)
	if err != nil {
		return 0, false
	}
	n, err := t.Elem.ByteLen(count)
	return n, err == nil
}

// sizesOf returns the sizes of a tensor type. It returns false if the rank is unknown or a size is
// not fixed.
func sizesOf(t graphops.Type) ([]int64, bool) {
	if t.Kind != graphops.TypeTensor || t.Shape == nil {
		return nil, false
	}
	sizes := make([]int64, len(t.Shape))
	for i, d := range t.Shape {
		if !d.IsFixed() {
			return nil, false
		}
		sizes[i] = d.Value
	}
	return sizes, true
}

func (c *comparison) bytesOf(v graphops.ValueID) int64 {
	if n, ok := c.bytesA[v]; ok {
		return n
	}
	return c.guess
}

// bytesIn returns how many bytes the elements of a value take.
func bytesIn(v graphops.Value) int64 {
	if e := extentOf(v); e != nil {
		return e.n
	}
	n := int64(0)
	for _, t := range v.Tensors() {
		n += int64(len(t.Data))
		for _, s := range t.Strings {
			n += int64(len(s))
		}
	}
	return n
}

// storedFrom returns the size, in bytes, from which on a value is stored in a file and is never as
// a whole in this process.
func (c *comparison) storedFrom() int64 { return c.memory() / storedPart }

// memory returns how many bytes may be used for values.
func (c *comparison) memory() int64 {
	if c.o.Memory > 0 {
		return c.o.Memory
	}
	return defaultMemory
}
