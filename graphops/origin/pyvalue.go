package origin

import "strings"

// pyKind is the form of a Python representation.
type pyKind int

const (
	pyAtom   pyKind = iota // a number, a name, None, <InputKind.BUFFER: 3>
	pyString               // 'text', with resolved escapes
	pyList                 // [a, b], (a, b), {a, b}
	pyCall                 // Name(a, key=b)
	pyPair                 // key=value, or key: value
)

// pyValue is a part of a Python representation. text is that of an atom, the content of a string,
// the name of a call, or the key of a pair.
type pyValue struct {
	kind pyKind
	text string
	part []pyValue
}

// maxPyDepth bounds the nesting of brackets; signatures need 4.
const maxPyDepth = 32

// pyReader reads representations of Python objects in the usual form, and rejects everything else.
type pyReader struct {
	s     string
	at    int
	depth int
}

// parsePy reads one object that is the whole text.
func parsePy(s string) (pyValue, bool) {
	r := pyReader{s: s}
	v, ok := r.value()
	r.space()
	return v, ok && r.at == len(s)
}

func (r *pyReader) space() {
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.at]) >= 0 {
		r.at++
	}
}

// take reads a byte if it comes next.
func (r *pyReader) take(b byte) bool {
	r.space()
	if r.at < len(r.s) && r.s[r.at] == b {
		r.at++
		return true
	}
	return false
}

// value reads an object; if = or : follows, it reads a pair.
func (r *pyReader) value() (pyValue, bool) {
	if r.depth++; r.depth > maxPyDepth {
		return pyValue{}, false
	}
	defer func() { r.depth-- }()
	v, ok := r.single()
	if !ok || !r.take('=') && !r.take(':') {
		return v, ok
	}
	value, ok := r.value()
	return pyValue{pyPair, v.text, []pyValue{value}}, ok
}

func (r *pyReader) single() (pyValue, bool) {
	r.space()
	if r.at == len(r.s) {
		return pyValue{}, false
	}
	switch c := r.s[r.at]; c {
	case '\'', '"':
		text, ok := r.quoted()
		return pyValue{kind: pyString, text: text}, ok
	case '[', '(', '{':
		r.at++
		part, ok := r.items(closing(c))
		return pyValue{pyList, "", part}, ok
	case '<':
		return r.angle()
	}
	return r.word()
}

func closing(open byte) byte {
	switch open {
	case '[':
		return ']'
	case '(':
		return ')'
	}
	return '}'
}

func (r *pyReader) items(end byte) ([]pyValue, bool) {
	var out []pyValue
	for !r.take(end) {
		if len(out) > 0 && !r.take(',') {
			return out, false
		}
		if r.take(end) { // (a,)
			return out, true
		}
		v, ok := r.value()
		if !ok {
			return out, false
		}
		out = append(out, v)
	}
	return out, true
}

// angle reads <…>, the form of objects without a literal.
func (r *pyReader) angle() (pyValue, bool) {
	end := strings.IndexByte(r.s[r.at:], '>')
	if end < 0 {
		return pyValue{}, false
	}
	v := pyValue{kind: pyAtom, text: r.s[r.at+1 : r.at+end]}
	r.at += end + 1
	return v, true
}

// word reads a name or number, and the call or index after it.
func (r *pyReader) word() (pyValue, bool) {
	rest := r.s[r.at:]
	n := strings.IndexAny(rest, " \t\r\n,=:'\"()[]{}<>")
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return pyValue{}, false
	}
	v := pyValue{kind: pyAtom, text: rest[:n]}
	r.at += n
	if r.at < len(r.s) && (r.s[r.at] == '(' || r.s[r.at] == '[') {
		r.at++
		part, ok := r.items(closing(r.s[r.at-1]))
		return pyValue{pyCall, v.text, part}, ok
	}
	return v, true
}

// named returns the value of a keyword argument of a call.
func (v pyValue) named(key string) (pyValue, bool) {
	for _, p := range v.part {
		if p.kind == pyPair && p.text == key {
			return p.part[0], true
		}
	}
	return pyValue{}, false
}

// stringList reads a list of strings.
func stringList(s string) ([]string, bool) {
	v, ok := parsePy(s)
	if !ok || v.kind != pyList {
		return nil, false
	}
	out := make([]string, len(v.part))
	for i, p := range v.part {
		if p.kind != pyString {
			return nil, false
		}
		out[i] = p.text
	}
	return out, true
}
