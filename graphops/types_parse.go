package graphops

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"lathe/graphops/tensor"
)

// Declaration formats a type with its shape in the form that ParseType reads: the type, and the
// dimensions in brackets if the rank is known, such as "f32[batch,3,?]" and "seq(i64[])". For an
// opaque or unknown type it is the same as String.
func (t Type) Declaration() string {
	switch t.Kind {
	case TypeTensor, TypeSparse:
		return t.String() + t.Shape.declaration()
	case TypeSequence:
		return "seq(" + t.held() + ")"
	case TypeOptional:
		return "opt(" + t.held() + ")"
	case TypeMap:
		return "map(" + t.Elem.String() + "," + t.held() + ")"
	default:
		return t.String()
	}
}

func (t Type) held() string {
	if t.Of == nil {
		return "?"
	}
	return t.Of.Declaration()
}

func (s Shape) declaration() string {
	if s == nil {
		return ""
	}
	dims := make([]string, len(s))
	for i, d := range s {
		switch {
		case d.Symbol == "":
			dims[i] = d.String()
		case isPlain(d.Symbol):
			dims[i] = d.Symbol
		default:
			dims[i] = strconv.Quote(d.Symbol)
		}
	}
	return "[" + strings.Join(dims, ",") + "]"
}

// isPlain reports whether a symbol needs no quotes for ParseType to read it unchanged.
func isPlain(symbol string) bool {
	if !utf8.ValidString(symbol) || strconv.Quote(symbol) != `"`+symbol+`"` {
		return false
	}
	const next = ",]" // parses the symbol as if another dimension followed it
	p := typeParser{rest: symbol + next}
	d, err := p.dim()
	return err == nil && p.rest == next && d == SymbolDim(symbol)
}

// ParseType parses a type in one of these forms: an element type with dimensions in brackets, such
// as "f32[batch,3,224]", "i64[]" for a scalar and "f32" for an unknown rank; "seq(f32[n])";
// "opt(seq(f32))"; "map(i64,f32)"; "sparse(f32)[4]"; and "?" for an unknown type. A dimension is a
// size, "?" for an unknown one, or a symbol or an expression of symbols. A symbol that would be
// misread must be quoted, as in Go.
func ParseType(s string) (Type, error) {
	p := typeParser{rest: s}
	t, err := p.typ(0)
	if err == nil && p.rest != "" {
		err = fmt.Errorf("unexpected %q after the end of the type", p.rest)
	}
	if err != nil {
		return Type{}, fmt.Errorf("%q is not a type such as f32[batch,3] or seq(f32): %w", s, err)
	}
	return t, nil
}

// typeParser reads a type from left to right.
type typeParser struct{ rest string }

// accept consumes the given character or text if it comes next, and reports whether it did.
func (p *typeParser) accept(sign string) bool {
	rest, ok := strings.CutPrefix(p.rest, sign)
	p.rest = rest
	return ok
}

func (p *typeParser) expect(sign string) error {
	if p.accept(sign) {
		return nil
	}
	if p.rest == "" {
		return fmt.Errorf("it ends where %q is expected", sign)
	}
	return fmt.Errorf("expected %q before %q", sign, p.rest)
}

// word consumes the text up to the next parenthesis, bracket or comma.
func (p *typeParser) word() string {
	i := strings.IndexAny(p.rest, "()[],")
	if i < 0 {
		i = len(p.rest)
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func (p *typeParser) typ(depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, fmt.Errorf("it nests deeper than %d", maxTypeDepth)
	}
	word := p.word()
	if !p.accept("(") {
		if word == "?" {
			return Type{}, nil
		}
		return p.tensor(TypeTensor, word)
	}
	t, err := p.form(word, depth)
	if err != nil {
		return Type{}, err
	}
	if err := p.expect(")"); err != nil || t.Kind != TypeSparse {
		return t, err
	}
	t.Shape, err = p.shape()
	return t, err
}

// form reads what is in the parentheses after a word such as "seq".
func (p *typeParser) form(word string, depth int) (Type, error) {
	switch word {
	case "sparse":
		elem, err := tensor.ParseDType(p.word())
		return Type{Kind: TypeSparse, Elem: elem}, err
	case "seq":
		return p.holding(Type{Kind: TypeSequence}, depth)
	case "opt":
		return p.holding(Type{Kind: TypeOptional}, depth)
	case "map":
		key, err := tensor.ParseDType(p.word())
		if err != nil {
			return Type{}, err
		}
		switch key.Kind() {
		case tensor.KindSigned, tensor.KindUnsigned, tensor.KindString:
		default:
			return Type{}, fmt.Errorf("a map's key is an integer or a string, not %s", key)
		}
		if err := p.expect(","); err != nil {
			return Type{}, err
		}
		return p.holding(Type{Kind: TypeMap, Elem: key}, depth)
	default:
		return Type{}, fmt.Errorf("%q is not one of seq, opt, map, sparse", word)
	}
}

// holding reads the type inside a sequence or optional and returns outer with it as element type.
// An unknown element type stays nil.
func (p *typeParser) holding(outer Type, depth int) (Type, error) {
	of, err := p.typ(depth + 1)
	if err != nil {
		return Type{}, err
	}
	if of.Kind != TypeUnknown {
		outer.Of = &of
	}
	return outer, nil
}

func (p *typeParser) tensor(kind TypeKind, word string) (Type, error) {
	elem, err := tensor.ParseDType(word)
	if err != nil {
		return Type{}, err
	}
	shape, err := p.shape()
	return Type{Kind: kind, Elem: elem, Shape: shape}, err
}

// shape reads the dimensions in brackets, if there are any.
func (p *typeParser) shape() (Shape, error) {
	if !p.accept("[") {
		return nil, nil
	}
	s := Shape{}
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.accept("]") {
		return s, nil
	}
	for {
		d, err := p.dim()
		if err != nil {
			return nil, err
		}
		s = append(s, d)
		if p.accept("]") {
			return s, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

// dim reads one dimension up to the following comma or bracket. A comma in the parentheses of an
// expression does not end it.
func (p *typeParser) dim() (Dim, error) {
	p.rest = strings.TrimLeft(p.rest, " ")
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	depth, end := 0, -1
	for i, c := range []byte(p.rest) {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ']', c == ',' && depth <= 0:
			end = i
		}
		if end >= 0 {
			break
		}
	}
	if end < 0 {
		return Dim{}, errors.New(`"[" is not closed`)
	}
	word := strings.Trim(p.rest[:end], " ")
	p.rest = p.rest[end:]
	return dimOf(word)
}

func (p *typeParser) quoted() (Dim, error) {
	prefix, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return Dim{}, errors.New("a quoted symbol is not closed")
	}
	symbol, err := strconv.Unquote(prefix)
	if err != nil || symbol == "" {
		return Dim{}, fmt.Errorf("%s is not a symbol", prefix)
	}
	p.rest = strings.TrimLeft(p.rest[len(prefix):], " ")
	return SymbolDim(symbol), nil
}

// dimOf parses an unquoted dimension. It rejects text that looks like a number but is not a size,
// such as "-1" or "1.5", because nobody means it as a symbol.
func dimOf(word string) (Dim, error) {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n >= 0 && word[0] != '+' {
		return FixedDim(n), nil
	}
	switch _, err := strconv.ParseFloat(word, 64); {
	case word == "":
		return Dim{}, errors.New("a dimension is empty; write ? for an unknown one, [] for a scalar")
	case word == "?":
		return Dim{Value: -1}, nil
	case strings.ContainsRune("+-.0123456789", rune(word[0])) && !errors.Is(err, strconv.ErrSyntax):
		return Dim{}, fmt.Errorf("dimension %s is not a size; write ? for an unknown one", word)
	}
	return SymbolDim(word), nil
}
