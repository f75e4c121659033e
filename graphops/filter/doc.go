// Package filter is the language in which a person says which nodes, values or
// tensors to list: "op:Conv shape:*x224 params>1M after:/layer3".
//
// # Grammar
//
//	expression = all { ("|" | "OR") all }
//	all        = either { [ "AND" ] either }                 all of them must hold
//	either     = one { "|" one }                             without spaces
//	one        = ("-" | "!" | "NOT") either | "(" expression ")" | test | text
//	test       = field (":" | "=" | "!=" | ">" | ">=" | "<" | "<=") item { ("," | "|") item }
//	item       = text, where [ ] and ( ) hold commas together
//	text       = { character | quoted }                      up to a space, "|" or ")"
//	quoted     = a double quote, characters, a double quote
//
// A "|" without spaces around it binds tighter than a space, as it looks: "a b|c"
// is a, and b or c; "a b | c" is a and b, or else c. Between two items it is a
// comma, unless a test follows: op:Conv|Gemm is op:Conv,Gemm.
//
// An empty expression holds for everything. OR, AND and NOT are written in upper
// case; in lower case they are text. Quoted text is taken as it stands, but for
// the escapes in which names are shown: \" \\ \n \t \x1b \u{202e}. Elsewhere * stands
// for any characters, none included, and ? for one.
//
// Text in lower case matches either case of the letters a to z; with a letter in
// upper case it is exact. Text alone is looked for in the operator, the name and
// the names of the inputs and outputs of a node, and in the name of a value or
// tensor. With * or ? it must match one of them from end to end.
//
// A field takes any of the items that follow it. ":" is what fits the field: for
// name, input, output, doc, meta and file the text may be a part, elsewhere it
// is the whole. "=" always means the whole. "!=" is the opposite of "=". Numbers
// are compared; they take K, M, G and T for thousands, Ki, Mi, Gi and Ti for
// powers of 1024, a B behind that, and stand for ranges as 10..20.
//
// A word such as "input:0" is text and no test: behind name, input and output,
// and behind what is no field, a colon and digits are how TensorFlow names the
// outputs of nodes. So is "local::Double".
//
// # Fields
//
// [Fields] lists them, with a line on each. What they compare:
//
//	op domain index      of the node; the default domain is ai.onnx
//	name                 of the node, value or tensor
//	input output         names of the node's inputs and outputs; what its bodies capture
//	                     are inputs
//	type shape rank      of any output of the node; of the value; of the tensor
//	params bytes         of the constants that a node reads and its bodies hold, each
//	                     counted once; of the value, whose bytes are known where its
//	                     shape is; of the tensor
//	readers              how many times what the node makes is read; the value
//	attr                 attr:axis, attr:axis=1, attr:to=f16, attr:pads=[0,0,0,0]; of a
//	                     list one item is enough. The name is exact in its letters,
//	                     and values left in the file are not read
//	meta doc             meta:key, meta:key=text
//	file                 the file of external data that a constant lies in
//	in                   the scope, with all below it
//	after before between behind and before a node, a value or a scope, along the
//	                     data; between:A..B takes both ends in
//	reads makes          the neighbours of a value or node
//	is has               words: is:dead, has:body and others
//
// A shape is written as it is shown, batch×3×224×224, with x, a comma or × between the
// dimensions and ? for an unknown one; * stands for any dimensions or for any part
// of one, so that *x224 is every shape of two or more that ends in 224. A scalar is
// "scalar" or []; a shape of unknown rank matches nothing.
//
// after, before, between, reads and makes take the exact name of nodes and values,
// or #12 for the node at position 12, or else a scope, or else a pattern with * or
// ?. What they name is not among what comes after or before it.
//
// What is said of nodes holds for a value if it holds for the node that makes
// it, or, of inputs and constants, for one of those that read it; and so for a
// tensor. Matcher.ValueAlone leaves the nodes aside. Where a field has nothing to
// compare, a test does not hold and its opposite does.
package filter
