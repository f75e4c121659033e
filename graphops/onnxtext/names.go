package onnxtext

import (
	"strings"
	"unicode/utf8"

	"lathe/graphops/tensor"
)

// elementTypes maps the names of element types in the syntax to the types.
var elementTypes = map[string]tensor.DType{
	"float": tensor.F32, "uint8": tensor.U8, "int8": tensor.I8, "uint16": tensor.U16, "int16": tensor.I16,
	"int32": tensor.I32, "int64": tensor.I64, "string": tensor.String, "bool": tensor.Bool, "float16": tensor.F16,
	"double": tensor.F64, "uint32": tensor.U32, "uint64": tensor.U64, "complex64": tensor.C64, "complex128": tensor.C128,
	"bfloat16": tensor.BF16, "float8e4m3fn": tensor.F8E4M3FN, "float8e4m3fnuz": tensor.F8E4M3FNUZ,
	"float8e5m2": tensor.F8E5M2, "float8e5m2fnuz": tensor.F8E5M2FNUZ, "float8e8m0": tensor.F8E8M0,
	"uint4": tensor.U4, "int4": tensor.I4, "float4e2m1": tensor.F4E2M1, "uint2": tensor.U2, "int2": tensor.I2,
}

// elementWords maps element types to their names in the syntax.
var elementWords = func() map[tensor.DType]string {
	m := map[tensor.DType]string{}
	for word, d := range elementTypes {
		m[d] = word
	}
	return m
}()

// isTypeWord reports whether a word can start a type.
func isTypeWord(s string) bool {
	switch s {
	case "seq", "map", "optional", "sparse_tensor", "opaque":
		return true
	}
	_, ok := elementTypes[s]
	return ok
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func inWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// isIdentifier reports whether a name can be written without quotes.
func isIdentifier(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if !inWord(s[i]) {
			return false
		}
	}
	return true
}

// isDotted reports whether a name consists of identifiers separated by dots.
func isDotted(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isIdentifier(part) {
			return false
		}
	}
	return true
}

// startsFloat reports whether the parser reads a word as a float if it expects a value. Such a word
// starts with "inf", "infinity" or "nan", not followed by a letter or digit.
func startsFloat(s string) bool {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	switch strings.ToLower(s[:n]) {
	case "inf", "infinity", "nan":
		return n == len(s) || !isDigit(s[n])
	}
	return false
}

// namesBody reports whether a graph that is the value of an attribute can have this name. In that
// position there are no quotes, and words with another meaning are not possible.
func namesBody(s string) bool { return isIdentifier(s) && !isTypeWord(s) && !startsFloat(s) }

// identifier returns the name with each character that is not allowed in an identifier replaced by
// "_".
func identifier(s string) string {
	b := []byte(s)
	for i, c := range b {
		if !inWord(c) {
			b[i] = '_'
		}
	}
	if !namesBody(string(b)) {
		return "_" + string(b)
	}
	return string(b)
}

// dotted does the same as identifier for a name that consists of identifiers separated by dots.
func dotted(s string) string {
	parts := strings.Split(s, ".")
	for i, part := range parts {
		if !isIdentifier(part) {
			parts[i] = identifier(part)
		}
	}
	return strings.Join(parts, ".")
}

// appendQuoted appends a string. The syntax escapes only the quote and the backslash.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

func (p *printer) quoted(s string) {
	p.buf = appendQuoted(p.buf[:0], s)
	p.bytes(p.buf)
}

// note records a Loss if the parser for Python cannot read the string.
func (p *printer) note(s string) {
	if !utf8.ValidString(s) {
		p.unread("text that is not UTF-8, in Python")
	}
	if strings.Contains(s, "\x00") {
		p.unread("what follows a NUL, in Python")
	}
}

// name writes a name, in quotes if it is not an identifier.
func (p *printer) name(s string) {
	if isIdentifier(s) {
		p.text(s)
		return
	}
	p.quoted(s)
}

// untyped writes a name in a position where the parser would also accept a type. It quotes a name
// that is also the name of a type.
func (p *printer) untyped(s string) {
	if isTypeWord(s) {
		p.quoted(s)
		return
	}
	p.name(s)
}

func (p *printer) names(list []string, write func(string)) {
	for i, s := range list {
		if i > 0 {
			p.text(", ")
		}
		write(s)
	}
}
