package filter

import (
	"slices"
	"strings"
)

// Field is the name of something that a test compares, such as op in "op:Conv".
type Field struct {
	Name string
	Help string // what it compares, in a few words
}

// Fields returns all fields, sorted by name.
func Fields() []Field {
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = Field{f.name, f.help}
	}
	return out
}

// field is a Field with its implementation.
type field struct {
	name   string
	help   string
	wants  string // what must follow it, for messages
	kind   operatorKind
	isName bool // of values, which may end in a colon and digits
	bind   func(*binder, *test) (holds, error)
	offer  func(*completer, string) // offers completions
}

// operatorKind says which comparison operators can follow a field.
type operatorKind uint8

const (
	takesEqual   operatorKind = iota // ":", "=", "!="
	takesColon                       // only ":"
	takesNumbers                     // all
)

func (f *field) takes(op operator) bool {
	switch f.kind {
	case takesColon:
		return op == opHas
	case takesEqual:
		return op == opHas || op == opIs || op == opIsNot
	default:
		return true
	}
}

func (f *field) operators() string {
	switch f.kind {
	case takesColon:
		return `":"`
	case takesEqual:
		return `":", "=" or "!="`
	default:
		return "a comparison"
	}
}

// All fields. init fills the table, because the functions in it refer to the table themselves.
var (
	fields     []*field
	fieldNames []string
	byName     = map[string]*field{}
)

func init() {
	fields = []*field{
		{name: "after", help: "what depends on a node, value or scope", wants: "a name", kind: takesColon, bind: (*binder).after, offer: (*completer).points},
		{name: "attr", help: "has an attribute: axis, axis=1, to=f16", wants: "the name of an attribute", kind: takesColon, bind: (*binder).attr, offer: (*completer).attributes},
		{name: "before", help: "what a node, value or scope depends on", wants: "a name", kind: takesColon, bind: (*binder).before, offer: (*completer).points},
		{name: "between", help: "on a way from A..B", wants: "two names as A..B", kind: takesColon, bind: (*binder).between, offer: (*completer).ranges},
		{name: "bytes", help: "size of the constants that are read; of the value or tensor", wants: "a size such as 1M or 64KiB", kind: takesNumbers, bind: (*binder).bytes},
		{name: "doc", help: "text in the doc string", wants: "text", bind: (*binder).doc},
		{name: "domain", help: "domain of the operator", wants: "a domain", bind: (*binder).domain, offer: (*completer).domains},
		{name: "file", help: "file of external data", wants: "the name of a file", bind: (*binder).file, offer: (*completer).files},
		{name: "has", help: hasWords.help(), wants: hasWords.choices(), kind: takesColon, bind: (*binder).has, offer: (*completer).hasWords},
		{name: "in", help: "in a scope or below it", wants: "a scope", kind: takesColon, bind: (*binder).in, offer: (*completer).scopes},
		{name: "index", help: "position of the node", wants: "a number", kind: takesNumbers, bind: (*binder).position},
		{name: "input", help: "name of an input of the node", wants: "a name", isName: true, bind: (*binder).input, offer: (*completer).inputs},
		{name: "is", help: isWords.help(), wants: isWords.choices(), kind: takesColon, bind: (*binder).is, offer: (*completer).isWords},
		{name: "makes", help: "makes a value, or what a node reads", wants: "a name", kind: takesColon, bind: (*binder).makes, offer: (*completer).points},
		{name: "meta", help: "has metadata: key, key=text", wants: "a key", kind: takesColon, bind: (*binder).meta, offer: (*completer).metadata},
		{name: "name", help: "name of the node, value or tensor", wants: "a name", isName: true, bind: (*binder).name, offer: (*completer).nodes},
		{name: "op", help: "operator", wants: "an operator", bind: (*binder).operator, offer: (*completer).operators},
		{name: "output", help: "name of an output of the node", wants: "a name", isName: true, bind: (*binder).output, offer: (*completer).outputs},
		{name: "params", help: "elements of the constants that are read; of the tensor", wants: "a count such as 1M", kind: takesNumbers, bind: (*binder).params},
		{name: "rank", help: "number of dimensions", wants: "a number", kind: takesNumbers, bind: (*binder).rank, offer: (*completer).ranks},
		{name: "readers", help: "how many times the outputs are read", wants: "a number", kind: takesNumbers, bind: (*binder).readers},
		{name: "reads", help: "reads a value, or what a node makes", wants: "a name", kind: takesColon, bind: (*binder).reads, offer: (*completer).points},
		{name: "shape", help: "shape: 1x3x224x224, batchx*, []", wants: "a shape such as 1x3x* or []", bind: (*binder).shape, offer: (*completer).shapes},
		{name: "type", help: "element type: f16, i*, seq(f32)", wants: "a type", bind: (*binder).types, offer: (*completer).types},
	}
	for _, f := range fields {
		fieldNames = append(fieldNames, f.name)
		byName[f.name] = f
	}
	if !slices.IsSorted(fieldNames) {
		panic("filter: fields are not in order: " + strings.Join(fieldNames, " "))
	}
}

// fieldNamed returns the field with the name, whatever its case; nil if no field has the name.
func fieldNamed(name string) *field { return byName[strings.ToLower(name)] }
