package wire

import "lathe/graphops/tensor"

// Value describes a value whose bytes follow as Data.
type Value struct {
	Name string `cbor:"1,keyasint,omitempty"`
	// Kind is "tensor", or the type of anything else: "seq(map(i64,f32))".
	Kind  string       `cbor:"2,keyasint,omitempty"`
	DType tensor.DType `cbor:"3,keyasint,omitempty"`
	// Bare says that the elements were not requested and do not follow.
	Bare bool    `cbor:"4,keyasint,omitempty"`
	Dims []int64 `cbor:"5,keyasint,omitempty"`
	// Bytes is the length of the elements. They are in row-major order, little endian, packed if
	// smaller than a byte; strings are in the form of EncodeStrings.
	Bytes int64 `cbor:"6,keyasint,omitempty"`
	// Items are the elements of a sequence, keys and values of a map, or the content of an
	// optional. Their bytes follow in order.
	Items []Value `cbor:"7,keyasint,omitempty"`
	// PartBytes is the length of what follows the bytes of the value and its items: everything
	// requested besides the elements, in the form of EncodeParts.
	PartBytes int64 `cbor:"8,keyasint,omitempty"`
}
