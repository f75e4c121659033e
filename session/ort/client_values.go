package ort

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// KindTensor is the kind of a value that is a dense tensor. Any other kind is a
// type spelled out: "seq(map(i64,f32))".
const KindTensor = "tensor"

// Value is a result of a run.
type Value struct {
	Name string
	Kind string
	// Tensor holds the elements; it is zero where Kind is not KindTensor.
	Tensor tensor.Tensor
}

// incoming collects values whose bytes arrive in pieces.
type incoming struct {
	values []Value
	sink   *wire.Sink // of the last value; nil while none is open
	count  int64      // elements of the last value
}

// begin opens the next value. What was announced must make sense before a byte
// of it is believed.
func (in *incoming) begin(v *wire.Value) error {
	if !in.complete() {
		return fmt.Errorf("value %q begins inside the one before", v.GetName())
	}
	value := Value{Name: v.GetName(), Kind: v.GetKind()}
	if value.Kind == KindTensor {
		value.Tensor = tensor.Tensor{DType: tensor.DType(v.GetDtype()), Shape: v.GetDims()}
	}
	in.values = append(in.values, value)
	if value.Kind != KindTensor {
		return nil
	}
	if err := in.open(value.Tensor, v.GetBytes()); err != nil {
		return fmt.Errorf("value %q: %w", v.GetName(), err)
	}
	return in.closeIfFull()
}

func (in *incoming) open(t tensor.Tensor, size int64) (err error) {
	if in.count, err = tensor.Elements(t.Shape); err != nil {
		return err
	}
	if t.DType != tensor.String {
		want, err := t.DType.ByteLen(in.count)
		if err != nil {
			return err
		}
		if size != want {
			return fmt.Errorf("%s %s takes %d bytes, %d were announced", t.DType, tensor.FormatShape(t.Shape), want, size)
		}
	}
	in.sink, err = wire.NewSink(size)
	return err
}

// take reads a piece of the open value.
func (in *incoming) take(r *wire.Reader) error {
	if in.sink == nil {
		return errors.New("data without a value to put it in")
	}
	if err := in.sink.Take(r); err != nil {
		return err
	}
	return in.closeIfFull()
}

func (in *incoming) closeIfFull() (err error) {
	if !in.sink.Full() {
		return nil
	}
	t := &in.values[len(in.values)-1].Tensor
	if t.DType == tensor.String {
		t.Strings, err = wire.DecodeStrings(in.sink.Bytes(), in.count)
	} else {
		t.Data = in.sink.Bytes()
	}
	in.sink = nil
	return err
}

func (in *incoming) complete() bool { return in.sink == nil }

type feed struct {
	name   string
	tensor tensor.Tensor
}

// sorted orders feeds by name, so that the same run is the same bytes.
func sorted(feeds map[string]tensor.Tensor) []feed {
	out := make([]feed, 0, len(feeds))
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		out = append(out, feed{name, feeds[name]})
	}
	return out
}

// outgoing announces tensors and returns their bytes, in the same order.
func outgoing(feeds []feed) (announced []*wire.Value, data [][]byte, err error) {
	for _, f := range feeds {
		if err := f.tensor.Check(); err != nil {
			return nil, nil, fmt.Errorf("input %q: %w", f.name, err)
		}
		content := f.tensor.Data
		if f.tensor.DType == tensor.String {
			content = wire.EncodeStrings(f.tensor.Strings)
		}
		announced = append(announced, &wire.Value{
			Name: f.name, Kind: KindTensor,
			Dtype: int32(f.tensor.DType), Dims: f.tensor.Shape, Bytes: int64(len(content)),
		})
		data = append(data, content)
	}
	return announced, data, nil
}
