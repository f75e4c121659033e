package mutate

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// maxFilled is the maximum number of elements that a tensor gets when its shape changes. With more,
// the content no longer matches the shape.
const maxFilled = 1 << 16

// constant returns a random constant. It prefers short integer tensors, because they are usually
// parameters such as an axis, a shape or a count.
func (m *mutator) constant() *onnxpb.TensorProto {
	all := m.tensors()
	parameters := slices.DeleteFunc(slices.Clone(all), func(t *onnxpb.TensorProto) bool {
		kind := tensor.DType(t.GetDataType()).Kind()
		return kind == tensor.KindFloat || len(t.GetRawData()) > 128
	})
	if len(parameters) > 0 && m.rng.IntN(3) > 0 {
		return pick(m, parameters)
	}
	return pick(m, all)
}

// element changes one element, or sets all elements to the same value.
func (m *mutator) element() string {
	t := m.constant()
	if t == nil {
		return ""
	}
	raw(t)
	if len(t.GetStringData()) > 0 {
		word := pick(m, words)
		t.StringData[m.rng.IntN(len(t.StringData))] = []byte(word)
		return fmt.Sprintf("an element of %s is %q", t.GetName(), word)
	}
	size := width(t)
	count := len(t.RawData) / size
	if count == 0 {
		return ""
	}
	first, last := m.rng.IntN(count), count
	if m.rng.IntN(4) > 0 {
		last = first + 1
	} else {
		first = 0
	}
	text := ""
	for i := first; i < last; i++ {
		if text == "" {
			text = m.put(t, t.RawData[i*size:(i+1)*size])
			continue
		}
		copy(t.RawData[i*size:(i+1)*size], t.RawData[first*size:])
	}
	return fmt.Sprintf("elements %d to %d of %s are %s", first, last-1, t.GetName(), text)
}

// put writes a number that often causes errors to the element at, and returns the number as text.
func (m *mutator) put(t *onnxpb.TensorProto, at []byte) string {
	switch tensor.DType(t.GetDataType()) {
	case tensor.F32:
		x := float32(pick(m, floats))
		binary.LittleEndian.PutUint32(at, math.Float32bits(x))
		return fmt.Sprint(x)
	case tensor.F64:
		x := pick(m, floats)
		binary.LittleEndian.PutUint64(at, math.Float64bits(x))
		return fmt.Sprint(x)
	}
	var wide [8]byte
	copy(wide[:], at)
	was := int64(binary.LittleEndian.Uint64(wide[:]))
	if len(at) == 4 {
		was = int64(int32(was))
	}
	n := m.whole(was)
	binary.LittleEndian.PutUint64(wide[:], uint64(n))
	copy(at, wide[:])
	return fmt.Sprint(n)
}

// width returns the number of bytes of an element. It is 1 if several elements share a byte.
func width(t *onnxpb.TensorProto) int {
	if d := tensor.DType(t.GetDataType()); d.Valid() && d != tensor.String {
		return max(d.Bits()*d.Components()/8, 1)
	}
	return 1
}

// raw moves the elements of a tensor from fields such as float_data to raw_data.
func raw(t *onnxpb.TensorProto) {
	size := width(t)
	var out []byte
	add := func(bits uint64) {
		var wide [8]byte
		binary.LittleEndian.PutUint64(wide[:], bits)
		out = append(out, wide[:min(size, 8)]...)
	}
	for _, x := range t.GetFloatData() {
		add(uint64(math.Float32bits(x)))
	}
	for _, x := range t.GetDoubleData() {
		add(math.Float64bits(x))
	}
	for _, x := range t.GetInt32Data() {
		add(uint64(int64(x)))
	}
	for _, x := range t.GetInt64Data() {
		add(uint64(x))
	}
	for _, x := range t.GetUint64Data() {
		add(x)
	}
	if out != nil {
		t.RawData, t.FloatData, t.DoubleData, t.Int32Data, t.Int64Data, t.Uint64Data = out, nil, nil, nil, nil, nil
	}
}

// tensorShape changes the dimensions of a constant. Usually it adapts the elements too.
func (m *mutator) tensorShape() string {
	t := m.constant()
	if t == nil {
		return ""
	}
	t.Dims = m.shape(t.GetDims())
	if m.rng.IntN(5) > 0 {
		resize(t)
	}
	return fmt.Sprintf("%s has shape %v", t.GetName(), t.GetDims())
}

// shape returns a random shape that differs a little from the given one.
func (m *mutator) shape(was []int64) []int64 {
	out := slices.Clone(was)
	switch {
	case m.rng.IntN(5) == 0:
		return append(out, pick(m, sizes))
	case len(out) == 0 || m.rng.IntN(6) == 0:
		return nil
	case m.rng.IntN(5) == 0:
		return out[:len(out)-1]
	}
	out[m.rng.IntN(len(out))] = pick(m, sizes)
	return out
}

// resize gives a tensor as many elements as its shape requires.
func resize(t *onnxpb.TensorProto) {
	raw(t)
	n, err := tensor.Elements(t.GetDims())
	if err != nil || n > maxFilled {
		return
	}
	if tensor.DType(t.GetDataType()) == tensor.String {
		t.StringData = repeated(t.GetStringData(), int(n), []byte("s"))
		return
	}
	size := int64(width(t))
	if d := tensor.DType(t.GetDataType()); d.Valid() {
		if bytes, err := d.ByteLen(n); err == nil {
			size = bytes
			n = 1
		}
	}
	t.RawData = repeated(t.GetRawData(), int(n*size), 1)
}

// repeated returns a list of n elements by repeating a list. If that list is empty, all elements
// are filler.
func repeated[T any](list []T, n int, filler T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = filler
		if len(list) > 0 {
			out[i] = list[i%len(list)]
		}
	}
	return out
}

// types are the element types that a tensor can be changed to.
var types = []tensor.DType{
	tensor.F32, tensor.F16, tensor.BF16, tensor.F64, tensor.I8, tensor.U8, tensor.I16, tensor.U16, tensor.I32, tensor.U32, tensor.I64, tensor.U64,
	tensor.Bool, tensor.I4, tensor.U4, tensor.F8E4M3FN, tensor.String, tensor.C64, 99,
}

func (m *mutator) tensorType() string {
	t := m.constant()
	if t == nil {
		return ""
	}
	raw(t)
	typ := pick(m, types)
	t.DataType = proto.Int32(int32(typ))
	if typ == tensor.String {
		t.RawData = nil
	}
	resize(t)
	return fmt.Sprintf("%s is of type %d", t.GetName(), typ)
}
