package origin

import "strings"

// pyKind is a kind of printed Python object.
type pyKind int

const (
	pyAtom   pyKind = iota // a number, a name, None, <InputKind.BUFFER: 3>
	pyString               // 'text', with resolved escapes
	pyList                 // [a, b], (a, b), {a, b}
	pyCall                 // Name(a, key=b)
	pyPair                 // key=value, or key: value
)

// pyValue is a parsed Python object. text is the text of an atom, the content of a string, the name
// of a call, or the key of a pair. part are the items of a list, the arguments of a call, or the
// value of a pair.
type pyValue struct {
	kind pyKind
	text string
	part []pyValue
}

// maxPyDepth is the maximum nesting of brackets. Signatures need 4 levels.
const maxPyDepth = 32

// pyReader parses Python objects as Python prints them (repr). It rejects all other text.
type pyReader struct {
	s     string
	at    int
	depth int
}

// parsePy parses a text that consists of one object.
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

// take consumes a byte if it comes next, and reports whether it did.
func (r *pyReader) take(b byte) bool {
	r.space()
	if r.at < len(r.s) && r.s[r.at] == b {
		r.at++
		return true
	}
	return false
}

// value reads an object. If "=" or ":" follows, it reads a pair.
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

// angle reads text in angle brackets, such as <InputKind.BUFFER: 3>. Python prints objects without
// a literal in this form.
func (r *pyReader) angle() (pyValue, bool) {
	end := strings.IndexByte(r.s[r.at:], '>')
	if end < 0 {
		return pyValue{}, false
	}
	v := pyValue{kind: pyAtom, text: r.s[r.at+1 : r.at+end]}
	r.at += end + 1
	return v, true
}

// word reads a name or number. If a call or an index follows it, it reads that too.
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

// named returns the value of the keyword argument key of a call.
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
