package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
)

// magic is at the start of each .npy file. Two bytes with the version follow.
const magic = "\x93NUMPY"

// maxHeader is the maximum length of a header. numpy refuses more than 10,000 bytes by default. A
// file of version 2.0 or later could claim a header of 4 GiB.
const maxHeader = 10_000

// maxRank is the maximum number of dimensions, which is numpy's own limit.
const maxRank = 64

// header describes the array in a .npy file. In the file it is the text of a Python dictionary with
// the keys "descr", "fortran_order" and "shape".
type header struct {
	descr   string
	fortran bool
	shape   []int64
}

// readHeader reads the header of a .npy file. size is the number of bytes before the first element.
func readHeader(r io.Reader) (h header, size int64, err error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != magic {
		return header{}, 0, errors.New("not an .npy file: its first bytes are not those of one")
	}
	prefix := 2
	switch major := start[6]; major {
	case 1:
	case 2, 3:
		prefix = 4
	default:
		return header{}, 0, fmt.Errorf(".npy version %d is unknown; versions 1 to 3 can be read", major)
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:prefix]); err != nil {
		return header{}, 0, fmt.Errorf("the header is cut off: %w", io.ErrUnexpectedEOF)
	}
	n := binary.LittleEndian.Uint32(length[:]) // the two bytes of version 1 give the same number
	if n > maxHeader {
		return header{}, 0, fmt.Errorf("a header of %d bytes; at most %d are read", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, 0, fmt.Errorf("the header is cut off: %w", io.ErrUnexpectedEOF)
	}
	h, err = parseHeader(string(text))
	return h, int64(len(start) + prefix + int(n)), err
}

// parseHeader parses the dictionary. It supports only the Python syntax that numpy writes: strings,
// bools and tuples of integers.
func parseHeader(text string) (header, error) {
	p := &parser{rest: text}
	var h header
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		key := p.str()
		p.expect(":")
		if seen[key] {
			p.fail("key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			h.descr = p.descr()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.err == nil && strings.Trim(p.rest, " \n\x00") != "" {
		p.fail("text after the dictionary")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("expected the keys \"descr\", \"fortran_order\" and \"shape\"")
	}
	return h, p.err
}

// parser reads the tokens of a header. After the first error it reads nothing more.
type parser struct {
	rest string
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("header: "+format, args...)
		p.rest = ""
	}
}

func (p *parser) skipBlanks() { p.rest = strings.TrimLeft(p.rest, " \n") }

// accept skips white space and then the token, if it is there.
func (p *parser) accept(token string) bool {
	p.skipBlanks()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.fail("expected %q at %.20q", token, p.rest)
	}
}

// str reads a quoted string without escapes, which no key or type needs.
func (p *parser) str() string {
	for _, quote := range []string{"'", `"`} {
		if !p.accept(quote) {
			continue
		}
		s, rest, ok := strings.Cut(p.rest, quote)
		if !ok || strings.Contains(s, `\`) {
			break
		}
		p.rest = rest
		return s
	}
	p.fail("expected a string at %.20q", p.rest)
	return ""
}

func (p *parser) descr() string {
	if p.accept("[") {
		p.fail("a structured type; save each field as an array of its own")
		return ""
	}
	return p.str()
}

func (p *parser) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads integers in parentheses. An integer may end with "L", as Python 2 wrote long
// integers.
func (p *parser) tuple() []int64 {
	shape := []int64{}
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		shape = append(shape, p.integer())
		if len(shape) > maxRank {
			p.fail("more than %d dimensions", maxRank)
		}
		if !p.accept(",") {
			p.expect(")")
			break
		}
	}
	return shape
}

func (p *parser) integer() int64 {
	p.skipBlanks()
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
	if err != nil {
		p.fail("expected a dimension at %.20q", p.rest)
		return 0
	}
	p.rest = strings.TrimPrefix(p.rest[digits:], "L")
	return n
}

// kind is an element type of numpy.
type kind struct {
	dtype     tensor.DType
	bigEndian bool
	part      int  // bytes of one number, to which the byte order applies
	size      int  // bytes of one element
	text      byte // 'U' or 'S' for fixed-width text, otherwise 0
}

var codes = map[string]tensor.DType{
	"b1": tensor.Bool, "f2": tensor.F16, "f4": tensor.F32, "f8": tensor.F64,
	"i1": tensor.I8, "i2": tensor.I16, "i4": tensor.I32, "i8": tensor.I64,
	"u1": tensor.U8, "u2": tensor.U16, "u4": tensor.U32, "u8": tensor.U64,
	"c8": tensor.C64, "c16": tensor.C128,
}

// parseDescr parses a type such as "<f4", which consists of byte order, letter and size in bytes.
func parseDescr(descr string) (kind, error) {
	if len(descr) < 3 || !strings.Contains("<>|=", descr[:1]) {
		return kind{}, unread(descr)
	}
	order, code := descr[0], descr[1:]
	if d, ok := codes[code]; ok {
		size := d.Bits() / 8
		return kind{dtype: d, bigEndian: order == '>', part: size / d.Components(), size: size}, nil
	}
	switch code[0] {
	case 'O':
		return kind{}, errors.New("an array of Python objects, which is a pickle and may run code; save it with a numeric type")
	case 'U', 'S':
		return parseText(order, code)
	case 'V':
		return kind{}, fmt.Errorf("type %q has no meaning outside the program that wrote it (numpy has no bfloat16 or float8 of its own); save it as float32", descr)
	}
	return kind{}, fmt.Errorf("type %q has no counterpart in ONNX", descr)
}

// parseText parses a fixed-width string type. The width counts bytes for 'S', and code points of
// four bytes for 'U'.
func parseText(order byte, code string) (kind, error) {
	n, err := strconv.ParseInt(code[1:], 10, 32)
	if err != nil || n < 1 {
		return kind{}, fmt.Errorf("type %q: expected a width of at least 1", code)
	}
	k := kind{dtype: tensor.String, bigEndian: order == '>', part: 1, size: int(n), text: code[0]}
	if k.text == 'U' {
		k.part, k.size = 4, 4*k.size
	}
	return k, nil
}

// unread returns the error for an unsupported type.
func unread(descr string) error {
	if strings.HasSuffix(descr, "O") {
		return fmt.Errorf("type %q: pickled Python objects are not read; save numbers, or texts as x.astype(str)", descr)
	}
	return fmt.Errorf("type %q is not one of numpy's", descr)
}
