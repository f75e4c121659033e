// Package filter implements the language for selecting nodes, values or tensors, as in "op:Conv
// shape:*x224 params>1M after:/layer3".
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
// A "|" without spaces around it binds tighter than a space: "a b|c" is a, and b or c; "a b | c" is
// a and b, or else c. Between two items it is a comma, unless a test follows: op:Conv|Gemm is
// op:Conv,Gemm.
//
// An empty expression matches everything. OR, AND and NOT are upper case; in lower case they are
// text. Quoted text has no special characters except the escapes with which names are shown: \" \\
// \n \t \x1b \u{202e}. In other text * stands for any number of characters, including none, and ?
// for one.
//
// Text in lower case ignores the case of the letters a to z; with an upper-case letter it is exact.
// Text without a field matches the operator, the name and the names of inputs and outputs of a
// node, and the name of a value or tensor, also in part. With * or ? it must match one of them
// completely.
//
// A field accepts any of the items that follow it. With ":" the text may be a part for name, input,
// output, doc, meta and file, and must be the whole for other fields. With "=" it must always be
// the whole. "!=" is the opposite of "=". Numbers are compared. They can have the units K, M, G and
// T for powers of 1000, Ki, Mi, Gi and Ti for powers of 1024, with an optional B, and can be ranges
// such as 10..20.
//
// A word such as "input:0" is text and not a test: after name, input and output, and after words
// that are not fields, a colon and digits are how TensorFlow names the outputs of nodes. The same
// applies to "local::Double".
//
// # Fields
//
// [Fields] lists them, with a line on each. They compare:
//
//	op domain index      of the node; the default domain is ai.onnx
//	name                 of the node, value or tensor
//	input output         names of the node's inputs and outputs; what its bodies capture
//	                     are inputs
//	type shape rank      of any output of the node; of the value; of the tensor
//	params bytes         of the constants that a node reads and its bodies contain, each
//	                     counted once; of the value, whose bytes are known if its
//	                     shape is; of the tensor
//	readers              how often outputs of the node are read; or the value
//	attr                 attr:axis, attr:axis=1, attr:to=f16, attr:pads=[0,0,0,0]; for a
//	                     list one matching item is enough. The name is case-sensitive,
//	                     and values left in the file are not read
//	meta doc             meta:key, meta:key=text
//	file                 the file of external data that has a constant
//	in                   the scope, with all scopes below it
//	after before between after and before a node, a value or a scope, along the
//	                     data; between:A..B includes both ends
//	reads makes          the neighbours of a value or node
//	is has               words: is:dead, has:body and others
//
// A shape is written as it is displayed, batch×3×224×224, with x, a comma or × between dimensions
// and ? for an unknown one; * stands for any dimensions or any part of one, so that *x224 is every
// shape with at least two dimensions that ends in 224. A scalar is "scalar" or []; a shape of
// unknown rank matches nothing.
//
// after, before, between, reads and makes accept the exact name of nodes and values, or #12 for the
// node at position 12, or else a scope, or else a pattern with * or ?. What they name does not
// itself count as after or before.
//
// Tests of nodes apply to a value through the node that produces it, or, for inputs and constants,
// through one of the nodes that read it. The same applies to a tensor. Matcher.ValueAlone ignores
// nodes. If a field has nothing to compare, a test is false and its opposite true.
package filter
