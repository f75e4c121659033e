package graphops

import (
	"fmt"
	"io"
	"iter"

	"lathe/graphops/tensor"
)

// Value is what a run takes or gives: a tensor, a sequence, a map or an optional.
type Value struct {
	// Type is the whole type; of a tensor, with the shape that it has.
	Type Type
	// Tensor holds the elements where Type.Kind is TypeTensor.
	Tensor tensor.Tensor
	// Items are the elements of a sequence, the keys and the values of a map (two
	// tensors of rank 1, or a tensor and a sequence), the content of an optional:
	// none where it is empty.
	Items []Value
	// Stored has the elements of a tensor of numbers in place of Tensor.Data; nil for
	// most. A worker is fed from it without the value ever being in memory.
	Stored io.ReaderAt
}

// TensorValue is a tensor as a value.
func TensorValue(t tensor.Tensor) Value {
	return Value{Type: Type{Kind: TypeTensor, Elem: t.DType, Shape: FixedShape(t.Shape)}, Tensor: t}
}

// SequenceValue is a sequence whose elements are of a type.
func SequenceValue(of Type, items ...Value) Value {
	return Value{Type: Type{Kind: TypeSequence, Of: &of}, Items: items}
}

// OptionalValue is an optional of a type, empty without an item.
func OptionalValue(of Type, items ...Value) Value {
	return Value{Type: Type{Kind: TypeOptional, Of: &of}, Items: items}
}

// MapValue is a map from keys to values: two tensors of rank 1 and one length.
func MapValue(keys, values tensor.Tensor) Value {
	of := Type{Kind: TypeTensor, Elem: values.DType, Shape: Shape{}}
	return Value{
		Type:  Type{Kind: TypeMap, Elem: keys.DType, Of: &of},
		Items: []Value{TensorValue(keys), TensorValue(values)},
	}
}

// IsTensor reports whether the value is a dense tensor.
func (v Value) IsTensor() bool { return v.Type.Kind == TypeTensor }

// Check is an error where the value contradicts itself.
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
			return fmt.Errorf("a map of %d parts, where keys and values are expected", len(v.Items))
		}
	case TypeOptional:
		if len(v.Items) > 1 {
			return fmt.Errorf("an optional of %d values", len(v.Items))
		}
	case TypeSequence:
	default:
		return fmt.Errorf("type %s cannot be fed", v.Type)
	}
	for i, item := range v.Items {
		if err := item.Check(); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

// Tensors yields the tensors that the value is made of, in order, each with what
// to write after the value's name to tell which it is: "", "[3]", ".keys",
// ".values", "[0].keys".
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

// part is how item i is called.
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

// InMemory is the value with its elements in memory.
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

// Feeds are the values that a run is given, by input name.
type Feeds map[string]Value
