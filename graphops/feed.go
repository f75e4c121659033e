package graphops

import (
	"fmt"
	"io"
	"iter"

	"lathe/graphops/tensor"
)

// Value is an input or output of a run: a tensor, a sequence, a map or an optional.
type Value struct {
	// Type is the complete type. For a tensor it includes the actual shape.
	Type Type
	// Tensor is the tensor if Type.Kind is TypeTensor.
	Tensor tensor.Tensor
	// Items depends on the kind. A sequence has its elements. A map has two items, the keys and the
	// values: two tensors of rank 1, or a tensor and a sequence. An optional has its content, or no
	// item if it is empty.
	Items []Value
	// Stored, if not nil, has the elements of a numeric tensor in place of Tensor.Data. A large
	// value can then be sent to a worker without having it in memory. It is usually nil.
	Stored io.ReaderAt
}

// TensorValue returns a tensor as a value.
func TensorValue(t tensor.Tensor) Value {
	return Value{Type: Type{Kind: TypeTensor, Elem: t.DType, Shape: FixedShape(t.Shape)}, Tensor: t}
}

// SequenceValue returns a sequence of items of the type of.
func SequenceValue(of Type, items ...Value) Value {
	return Value{Type: Type{Kind: TypeSequence, Of: &of}, Items: items}
}

// OptionalValue returns an optional whose content has the type of. Without an item it is empty.
func OptionalValue(of Type, items ...Value) Value {
	return Value{Type: Type{Kind: TypeOptional, Of: &of}, Items: items}
}

// MapValue returns a map from keys to values, two tensors of rank 1 with the same length.
func MapValue(keys, values tensor.Tensor) Value {
	of := Type{Kind: TypeTensor, Elem: values.DType, Shape: Shape{}}
	return Value{
		Type:  Type{Kind: TypeMap, Elem: keys.DType, Of: &of},
		Items: []Value{TensorValue(keys), TensorValue(values)},
	}
}

// IsTensor reports whether the value is a dense tensor.
func (v Value) IsTensor() bool { return v.Type.Kind == TypeTensor }

// Check returns an error if the parts of the value do not match its type.
func (v Value) Check() error {
	switch v.Type.Kind {
	case TypeTensor:
		if v.Stored != nil {
			_, err := v.Tensor.DType.ByteLen(0)
			return err
		}
		return v.Tensor.Check()
	case TypeMap:
		if len(v.Items) != 2 {
			return fmt.Errorf("a map has %d parts, expected two: keys and values", len(v.Items))
		}
	case TypeOptional:
		if len(v.Items) > 1 {
			return fmt.Errorf("an optional has %d values, expected at most one", len(v.Items))
		}
	case TypeSequence:
	default:
		return fmt.Errorf("a value of type %s cannot be passed to a run", v.Type)
	}
	for i, item := range v.Items {
		if err := item.Check(); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

// Tensors yields the tensors that the value consists of, in order. The string is what must be
// appended to the value's name to name the tensor: "" for a tensor, "[3]" in a sequence, ".keys"
// and ".values" for a map, or several of these such as "[0].keys".
func (v Value) Tensors() iter.Seq2[string, tensor.Tensor] {
	return func(yield func(string, tensor.Tensor) bool) { v.tensors("", yield) }
}

func (v Value) tensors(at string, yield func(string, tensor.Tensor) bool) bool {
	if v.IsTensor() {
		return yield(at, v.Tensor)
	}
	for i, item := range v.Items {
		if !item.tensors(at+v.part(i), yield) {
			return false
		}
	}
	return true
}

// part returns what Tensors appends to the value's name for item i.
func (v Value) part(i int) string {
	switch {
	case v.Type.Kind == TypeOptional:
		return ""
	case v.Type.Kind == TypeMap && i == 0:
		return ".keys"
	case v.Type.Kind == TypeMap:
		return ".values"
	}
	return fmt.Sprintf("[%d]", i)
}

// InMemory returns the value with all elements in Tensor.Data, read from Stored if necessary.
func (v Value) InMemory() (Value, error) {
	if v.Stored == nil {
		return v, nil
	}
	n, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return v, err
	}
	size, err := v.Tensor.DType.ByteLen(n)
	if err != nil {
		return v, err
	}
	v.Tensor.Data = make([]byte, size)
	_, err = v.Stored.ReadAt(v.Tensor.Data, 0)
	v.Stored = nil
	return v, err
}

// Feeds are the input values of a run, by input name.
type Feeds map[string]Value
