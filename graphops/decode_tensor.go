package graphops

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/tensor"
)

// tensorOf reads a tensor of n bytes. Its head and names are copied, so that a
// window that passed over weights is not kept alive by them.
func (d *decoder) tensorOf(c *cursor, n int64, t *Tensor) error {
	if n <= d.whole.tensor || c.src == nil {
		b, err := c.take(n)
		if err != nil {
			return err
		}
		return d.tensor(memoryCursor(b), t)
	}
	return c.within(n, func() error { return d.tensor(c, t) })
}

func (d *decoder) tensor(c *cursor, t *Tensor) error {
	var words stringFields
	err := each(c, &t.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case tensorRawData:
			if t.stored != 0 && t.stored != num {
				return false, twice(t, num)
			}
			t.stored, t.data = num, c.payload(n)
			return true, nil
		case tensorFloatData, tensorInt32Data, tensorInt64Data, tensorDoubleData, tensorUint64Data:
			if n == 0 {
				return true, nil
			}
			return true, d.packed(c, t, num, n)
		case tensorStringData:
			t.textBytes += n
			words.add(c, n)
			return true, nil
		case tensorExternal:
			return false, c.check(n)
		}
		return false, nil
	})
	if err == nil {
		err = words.store(c, t)
	}
	if err == nil {
		err = d.finishTensor(t)
	}
	return err
}

// stringFields are the fields of string_data as they lie in the file, tags and
// lengths included: runs of neighbours, nearly always one.
type stringFields struct{ runs [][2]int64 }

// add passes over a field whose content is the next n bytes.
func (s *stringFields) add(c *cursor, n int64) {
	from := c.from
	c.skip(n)
	if last := len(s.runs) - 1; last >= 0 && s.runs[last][1] == from {
		s.runs[last][1] = c.at()
		return
	}
	s.runs = append(s.runs, [2]int64{from, c.at()})
}

// store makes the fields the elements of a tensor.
func (s *stringFields) store(c *cursor, t *Tensor) error {
	if len(s.runs) == 0 {
		return nil
	}
	if t.stored != 0 && t.stored != tensorStringData {
		return twice(t, tensorStringData)
	}
	if len(s.runs) == 1 && t.stored == 0 {
		t.stored, t.data = tensorStringData, c.span(s.runs[0][0], s.runs[0][1])
		return nil
	}
	joined, err := t.data.Bytes() // none, unless the tensor is merged of several
	if err != nil {
		return err
	}
	joined = slices.Clip(joined)
	for _, r := range s.runs {
		b, err := c.span(r[0], r[1]).Bytes()
		if err != nil {
			return err
		}
		joined = append(joined, b...)
	}
	t.stored, t.data = tensorStringData, BytesPayload(joined)
	return nil
}

// packed reads one piece of a typed data field; pieces of one field add up.
func (d *decoder) packed(c *cursor, t *Tensor, num protowire.Number, n int64) error {
	if t.stored == 0 {
		t.stored, t.data = num, c.payload(n)
		return nil
	}
	if t.stored != num {
		return twice(t, num)
	}
	first, err := t.data.Bytes()
	if err != nil {
		return err
	}
	more, err := c.take(n)
	// The first append copies, because what the cursor hands out has no room to
	// grow; the others then cost what they add.
	t.data = BytesPayload(append(first, more...))
	return err
}

func twice(t *Tensor, num protowire.Number) error {
	return fmt.Errorf("tensor %q holds its elements twice, in fields %d and %d", lastString(t.head, tensorName), t.stored, num)
}

// finishTensor reads what the head of a tensor says.
func (d *decoder) finishTensor(t *Tensor) error {
	t.name = lastString(t.head, tensorName)
	elem, _ := lastVarint(t.head, tensorDataType)
	t.dtype = tensor.DType(elem)
	t.dims = repeatedVarints(t.head, tensorDims)
	if err := gatherUnpacked(t); err != nil {
		return err
	}
	if loc, _ := lastVarint(t.head, tensorLocation); loc == locationExternal && d.files != nil {
		t.files = d.files
		d.files.refer(t)
	}
	return nil
}

// gatherUnpacked takes elements that were written one field each out of the
// head and holds them packed.
func gatherUnpacked(t *Tensor) error {
	for _, num := range []protowire.Number{tensorFloatData, tensorInt32Data, tensorInt64Data, tensorDoubleData, tensorUint64Data} {
		var packed []byte
		for f := range fieldsOf(t.head) {
			if f.num == num && f.typ == elementWire(num) {
				packed = append(packed, f.value...)
			}
		}
		if packed == nil {
			continue
		}
		if t.stored != 0 {
			return twice(t, num)
		}
		t.stored, t.data = num, BytesPayload(packed)
		t.head = withoutWire(t.head, num, elementWire(num))
	}
	return nil
}

// elementWire is the wire type of one element of a typed data field. What has
// another is an unknown field to protobuf and stays where it is.
func elementWire(num protowire.Number) protowire.Type {
	switch num {
	case tensorFloatData:
		return protowire.Fixed32Type
	case tensorDoubleData:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

func (d *decoder) sparse(c *cursor, s *SparseTensor) error {
	return each(c, &s.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case sparseValues:
			s.values = &Tensor{}
			return true, d.tensorOf(c, n, s.values)
		case sparseIndices:
			s.indices = &Tensor{}
			return true, d.tensorOf(c, n, s.indices)
		}
		return false, nil
	})
}
