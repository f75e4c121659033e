// Package tensor defines element types and has functions for elements: decoding, statistics and
// comparisons. No other package interprets the bytes of elements.
package tensor

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// DType is an element type, with the numbers of TensorProto.DataType.
type DType int32

// The element types of ONNX.
const (
	Undefined  DType = 0
	F32        DType = 1
	U8         DType = 2
	I8         DType = 3
	U16        DType = 4
	I16        DType = 5
	I32        DType = 6
	I64        DType = 7
	String     DType = 8
	Bool       DType = 9
	F16        DType = 10
	F64        DType = 11
	U32        DType = 12
	U64        DType = 13
	C64        DType = 14
	C128       DType = 15
	BF16       DType = 16
	F8E4M3FN   DType = 17
	F8E4M3FNUZ DType = 18
	F8E5M2     DType = 19
	F8E5M2FNUZ DType = 20
	U4         DType = 21
	I4         DType = 22
	F4E2M1     DType = 23
	F8E8M0     DType = 24
	U2         DType = 25
	I2         DType = 26
	F6E2M3     DType = 27
	F6E3M2     DType = 28
)

// Kind groups element types by the kind of their values, such as signed integers.
type Kind uint8

// The kinds of element.
const (
	KindNone Kind = iota
	KindFloat
	KindSigned
	KindUnsigned
	KindBool
	KindString
	KindComplex
)

type facts struct {
	name string // as commands write it
	onnx string // as in TensorProto.DataType
	bits int    // of one element; 0 for strings, whose size varies
	kind Kind
}

var dtypes = [...]facts{
	Undefined:  {"undefined", "UNDEFINED", 0, KindNone},
	F32:        {"f32", "FLOAT", 32, KindFloat},
	U8:         {"u8", "UINT8", 8, KindUnsigned},
	I8:         {"i8", "INT8", 8, KindSigned},
	U16:        {"u16", "UINT16", 16, KindUnsigned},
	I16:        {"i16", "INT16", 16, KindSigned},
	I32:        {"i32", "INT32", 32, KindSigned},
	I64:        {"i64", "INT64", 64, KindSigned},
	String:     {"str", "STRING", 0, KindString},
	Bool:       {"bool", "BOOL", 8, KindBool},
	F16:        {"f16", "FLOAT16", 16, KindFloat},
	F64:        {"f64", "DOUBLE", 64, KindFloat},
	U32:        {"u32", "UINT32", 32, KindUnsigned},
	U64:        {"u64", "UINT64", 64, KindUnsigned},
	C64:        {"c64", "COMPLEX64", 64, KindComplex},
	C128:       {"c128", "COMPLEX128", 128, KindComplex},
	BF16:       {"bf16", "BFLOAT16", 16, KindFloat},
	F8E4M3FN:   {"f8e4m3fn", "FLOAT8E4M3FN", 8, KindFloat},
	F8E4M3FNUZ: {"f8e4m3fnuz", "FLOAT8E4M3FNUZ", 8, KindFloat},
	F8E5M2:     {"f8e5m2", "FLOAT8E5M2", 8, KindFloat},
	F8E5M2FNUZ: {"f8e5m2fnuz", "FLOAT8E5M2FNUZ", 8, KindFloat},
	U4:         {"u4", "UINT4", 4, KindUnsigned},
	I4:         {"i4", "INT4", 4, KindSigned},
	F4E2M1:     {"f4e2m1", "FLOAT4E2M1", 4, KindFloat},
	F8E8M0:     {"f8e8m0", "FLOAT8E8M0", 8, KindFloat},
	U2:         {"u2", "UINT2", 2, KindUnsigned},
	I2:         {"i2", "INT2", 2, KindSigned},
	F6E2M3:     {"f6e2m3", "FLOAT6E2M3", 6, KindFloat},
	F6E3M2:     {"f6e3m2", "FLOAT6E3M2", 6, KindFloat},
}

func (d DType) facts() facts {
	if d < 0 || int(d) >= len(dtypes) {
		return facts{name: fmt.Sprintf("type(%d)", int32(d))}
	}
	return dtypes[d]
}

// String returns the short name of the type, such as "f32"; for a number that ONNX does not define,
// "type(99)".
func (d DType) String() string { return d.facts().name }

// ONNXName returns the name in TensorProto.DataType, such as "FLOAT", or "" for a number that ONNX
// does not define.
func (d DType) ONNXName() string { return d.facts().onnx }

// Kind returns the kind of the type.
func (d DType) Kind() Kind { return d.facts().kind }

// Bits returns the size of one element; 0 for strings and unknown types.
func (d DType) Bits() int { return d.facts().bits }

// Valid reports whether ONNX defines the type and it is not Undefined.
func (d DType) Valid() bool { return d.Kind() != KindNone }

// others has further names of element types, as used by NumPy, PyTorch and other programs.
var others = map[string]DType{
	"float32": F32, "fp32": F32, "single": F32, "float64": F64, "fp64": F64,
	"fp16": F16, "half": F16, "boolean": Bool, "string": String,
	"float8_e4m3fn": F8E4M3FN, "float8_e5m2": F8E5M2, "float8_e4m3fnuz": F8E4M3FNUZ, "float8_e5m2fnuz": F8E5M2FNUZ,
}

// ParseDType returns the type with a short name, such as "f16", or another common name, such as
// "float16", "fp16", "half" or "FLOAT16". It ignores case.
func ParseDType(name string) (DType, error) {
	lower := strings.ToLower(name)
	for d, f := range dtypes {
		if (f.name == lower || strings.ToLower(f.onnx) == lower) && DType(d) != Undefined {
			return DType(d), nil
		}
	}
	if d, ok := others[lower]; ok {
		return d, nil
	}
	return Undefined, fmt.Errorf("%q is not an element type; expected one of f32 f16 bf16 f64 i8 u8 i16 u16 i32 u32 i64 u64 i4 u4 i2 u2 bool str …", name)
}

// ByteLen returns the packed size of n elements in bytes. Elements smaller than a byte share bytes,
// and the last byte is padded. Strings, unknown types and sizes above int64 are errors.
func (d DType) ByteLen(n int64) (int64, error) {
	b := int64(d.Bits())
	if b == 0 {
		return 0, fmt.Errorf("elements of type %s have no fixed size", d)
	}
	if n < 0 {
		return 0, fmt.Errorf("negative element count %d", n)
	}
	hi, lo := bits.Mul64(uint64(n), uint64(b))
	if hi != 0 || lo > math.MaxInt64-7 {
		return 0, fmt.Errorf("%d elements of type %s overflow the size of a tensor", n, d)
	}
	return int64(lo+7) / 8, nil
}
