package onnxtext

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// tensor reads the part of a tensor after its type and name. It may be its elements in braces, the
// location of external data in brackets, or nothing.
func (p *parser) tensor(t typed) error {
	if t.elem == tensor.Undefined || t.open {
		return p.errorAt(t.at, "a tensor's type with numbers for all dimensions")
	}
	for _, d := range t.dims {
		p.setInt(fieldnum.TensorDims, d)
	}
	p.setInt(fieldnum.TensorDataType, int64(t.elem))
	switch p.next() {
	case '[':
		p.setInt(fieldnum.TensorLocation, locationExternal)
		return p.entries(fieldnum.TensorExternal)
	case '{':
		p.pos++
		return p.elements(t.elem)
	}
	return nil
}

func (p *parser) elements(d tensor.DType) error {
	if d == tensor.String {
		return p.list('}', `"," or "}"`, func() error { return p.putText(fieldnum.TensorStringData) })
	}
	if p.accept('}') {
		return nil
	}
	p.out = protowire.AppendTag(p.out, fieldnum.TensorRawData, protowire.BytesType)
	start := len(p.out)
	read := readers[d]
	err := p.list('}', `"," or "}"`, func() error { return read(p) })
	p.prefix(start)
	return err
}

// readers read a number of each element type and write its bytes.
var readers = map[tensor.DType]func(p *parser) error{
	tensor.F32: (*parser).float32, tensor.C64: (*parser).float32,
	tensor.F64: (*parser).float64, tensor.C128: (*parser).float64,
	tensor.I8: integer(1, math.MinInt8, math.MaxInt8), tensor.I16: integer(2, math.MinInt16, math.MaxInt16),
	tensor.I32: integer(4, math.MinInt32, math.MaxInt32), tensor.I64: integer(8, math.MinInt64, math.MaxInt64),
	tensor.U8: integer(1, 0, math.MaxUint8), tensor.U16: integer(2, 0, math.MaxUint16),
	tensor.U32: integer(4, 0, math.MaxUint32), tensor.U64: (*parser).uint64,
	tensor.F16: integer(2, 0, math.MaxUint16), tensor.BF16: integer(2, 0, math.MaxUint16),
	tensor.Bool: integer(1, 0, math.MaxUint8), tensor.F8E4M3FN: integer(1, 0, math.MaxUint8),
	tensor.F8E4M3FNUZ: integer(1, 0, math.MaxUint8), tensor.F8E5M2: integer(1, 0, math.MaxUint8),
	tensor.F8E5M2FNUZ: integer(1, 0, math.MaxUint8), tensor.F8E8M0: integer(1, 0, math.MaxUint8),
	tensor.U4: integer(1, math.MinInt8, math.MaxUint8), tensor.I4: integer(1, math.MinInt8, math.MaxUint8),
	tensor.U2: integer(1, math.MinInt8, math.MaxUint8), tensor.I2: integer(1, math.MinInt8, math.MaxUint8),
	tensor.F4E2M1: integer(1, math.MinInt8, math.MaxUint8),
}

// integer returns a reader for integers from lowest to highest, which are written in size bytes.
func integer(size int, lowest, highest int64) func(p *parser) error {
	return func(p *parser) error {
		p.skip()
		at := p.pos
		v, err := p.int("an integer")
		if err != nil {
			return err
		}
		if v < lowest || v > highest {
			return p.errorAt(at, "an integer from "+strconv.FormatInt(lowest, 10)+" to "+strconv.FormatInt(highest, 10))
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		p.out = append(p.out, b[:size]...)
		return nil
	}
}

// int reads a 64-bit integer.
func (p *parser) int(what string) (int64, error) {
	p.skip()
	at := p.pos
	s, whole, err := p.number(what)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if !whole {
		return 0, p.errorAt(at, what+", without a point or an exponent")
	}
	if err != nil {
		return 0, p.errorAt(at, what+" that fits into 64 bits")
	}
	return v, nil
}

func (p *parser) uint64() error {
	p.skip()
	at := p.pos
	s, _, err := p.number("an integer")
	if err != nil {
		return err
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return p.errorAt(at, "an integer from 0 to 18446744073709551615")
	}
	p.out = binary.LittleEndian.AppendUint64(p.out, v)
	return nil
}

func (p *parser) float32() error {
	v, err := p.float("a number", 32)
	p.out = binary.LittleEndian.AppendUint32(p.out, float32bits(v))
	return err
}

func (p *parser) float64() error {
	v, err := p.float("a number", 64)
	p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(v))
	return err
}

// float reads a number and rounds it to a float of width bits. A number above the range of the type
// is an error. A number that is too small becomes zero.
func (p *parser) float(what string, width int) (float64, error) {
	p.skip()
	at := p.pos
	s, _, err := p.number(what)
	if err != nil {
		return 0, err
	}
	digits, negative := strings.CutPrefix(s, "-")
	if strings.EqualFold(digits, "nan") {
		if negative {
			return math.Float64frombits(quietNaN64 | 1<<63), nil
		}
		return math.Float64frombits(quietNaN64), nil
	}
	v, err := strconv.ParseFloat(s, width)
	if err != nil {
		return 0, p.errorAt(at, what+" that fits into "+strconv.Itoa(width)+" bits")
	}
	return v, nil
}

// float32bits returns the bits of a number as float32. For NaN these are the bits that "nan" means.
func float32bits(v float64) uint32 {
	if v != v {
		return quietNaN32 | uint32(math.Float64bits(v)>>32)&(1<<31)
	}
	return math.Float32bits(float32(v))
}
