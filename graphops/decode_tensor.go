package graphops

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// tensorOf reads a tensor of n bytes. It copies the tensor's name and small fields: if they
// referred to the window, a short name could keep a large window in memory.
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
	var packed uint64 // one bit for each field
	err := each(c, &t.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case fieldnum.TensorRawData:
			*t.elementField(num) = c.payload(n)
			return true, nil
		case fieldnum.TensorFloatData, fieldnum.TensorInt32Data, fieldnum.TensorInt64Data, fieldnum.TensorDoubleData, fieldnum.TensorUint64Data:
			if n == 0 {
				return true, nil
			}
			packed |= 1 << num
			return true, packedPiece(c, t.elementField(num), n)
		case fieldnum.TensorStringData:
			t.textBytes += n
			words.add(c, n)
			return true, nil
		case fieldnum.TensorExternal:
			return false, c.check(n)
		}
		return false, nil
	})
	if err == nil {
		err = words.store(c, t)
	}
	if err == nil {
		err = gatherUnpacked(t, packed)
	}
	if err == nil {
		d.finishTensor(t)
	}
	return err
}

// stringFields are the ranges of a file that contain the string_data fields of a tensor, including
// tags and lengths. Adjacent fields form one range, so nearly every tensor has only one.
type stringFields struct{ runs [][2]int64 }

// add skips a string_data field whose content is the next n bytes, and records its range.
func (s *stringFields) add(c *cursor, n int64) {
	from := c.from
	c.skip(n)
	if last := len(s.runs) - 1; last >= 0 && s.runs[last][1] == from {
		s.runs[last][1] = c.at()
		return
	}
	s.runs = append(s.runs, [2]int64{from, c.at()})
}

// store makes the recorded fields the elements of a tensor.
func (s *stringFields) store(c *cursor, t *Tensor) error {
	if len(s.runs) == 0 {
		return nil
	}
	words := t.elementField(fieldnum.TensorStringData)
	if len(s.runs) == 1 && words.Len() == 0 {
		*words = c.span(s.runs[0][0], s.runs[0][1])
		return nil
	}
	joined, err := words.Bytes() // empty, unless the tensor is merged from several messages
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
	*words = BytesPayload(joined)
	return nil
}

// packedPiece reads one packed occurrence of a field with elements, such as float_data. If the
// field occurs several times, the contents are concatenated, as protobuf requires.
func packedPiece(c *cursor, field *Payload, n int64) error {
	if field.Len() == 0 {
		*field = c.payload(n)
		return nil
	}
	first, err := field.Bytes()
	if err != nil {
		return err
	}
	more, err := c.take(n)
	// The first append copies what was read before, because that slice has no spare capacity. Later
	// appends have spare capacity, so they only cost the added bytes.
	*field = BytesPayload(append(first, more...))
	return err
}

// finishTensor sets the name, type, shape and elements of a tensor after its fields were read.
func (d *decoder) finishTensor(t *Tensor) {
	t.name = lastString(t.head, fieldnum.TensorName)
	elem, _ := lastVarint(t.head, fieldnum.TensorDataType)
	t.dtype = tensor.DType(elem)
	t.dims = repeatedVarints(t.head, fieldnum.TensorDims)
	t.chooseElements()
	if loc, _ := lastVarint(t.head, fieldnum.TensorLocation); loc == locationExternal && d.files != nil {
		t.files = d.files
		d.files.refer(t)
	}
}

// gatherUnpacked moves elements that were written as one field each from the tensor's head to a
// packed payload. packed is the set of fields that also have packed elements. Their order relative
// to single elements is no longer known, so this is an error.
func gatherUnpacked(t *Tensor, packed uint64) error {
	for _, num := range []protowire.Number{fieldnum.TensorFloatData, fieldnum.TensorInt32Data, fieldnum.TensorInt64Data, fieldnum.TensorDoubleData, fieldnum.TensorUint64Data} {
		var single []byte
		for f := range fieldsOf(t.head) {
			if f.num == num && f.typ == elementWire(num) {
				single = append(single, f.value...)
			}
		}
		if single == nil {
			continue
		}
		if packed>>num&1 == 1 {
			return fmt.Errorf("tensor %q has both packed and single elements in %s, so their order is unknown", lastString(t.head, fieldnum.TensorName), elementFields[num])
		}
		field := t.elementField(num)
		first, err := field.Bytes() // empty, unless the tensor is merged from several messages
		if err != nil {
			return err
		}
		*field = BytesPayload(append(slices.Clip(first), single...))
		t.head = withoutWire(t.head, num, elementWire(num))
	}
	return nil
}

// elementWire returns the wire type of one unpacked element in a field such as float_data. For
// protobuf, a field with another wire type is an unknown field, so it stays in the head.
func elementWire(num protowire.Number) protowire.Type {
	switch num {
	case fieldnum.TensorFloatData:
		return protowire.Fixed32Type
	case fieldnum.TensorDoubleData:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

func (d *decoder) sparse(c *cursor, s *SparseTensor) error {
	return each(c, &s.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case fieldnum.SparseValues:
			s.values = &Tensor{}
			return true, d.tensorOf(c, n, s.values)
		case fieldnum.SparseIndices:
			s.indices = &Tensor{}
			return true, d.tensorOf(c, n, s.indices)
		}
		return false, nil
	})
}
