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
// A "|" without spaces around it binds tighter than a space: "a b|c" means a and (b or c), while "a
// b | c" means (a and b) or c. Between two items of a field, a "|" means the same as a comma, so
// that op:Conv|Gemm is op:Conv,Gemm. If a test follows it, as in op:Conv|in:x, it separates two
// tests.
//
// An empty expression matches everything. OR, AND and NOT must be in upper case; in lower case they
// are text. In quoted text every character is literal, except in the escapes with which
// names are shown: \" \\ \n \t \x1b \u{202e}. In other text * matches any number of characters,
// including none, and ? for one character.
//
// Text in lower case also matches the letters A to Z. Text that contains an upper-case letter only
// matches the same letters. Text without a field is compared with the operator of a node, its name,
// the names of its outputs and of those inputs that no node computes, or with the name of a value or
// tensor. It matches a part of one of these. If it contains * or ?, it must match one of them completely.
//
// A test is true if one of the items that follow the field matches. After ":" the text may be a
// part for the fields name, input, output, doc, meta and file; for other fields it must be the
// whole text. After "=" it must always be the whole text. "!=" is the opposite of "=". Numbers are
// compared as numbers. They can have the units K, M, G and T for powers of 1000, and Ki, Mi, Gi and
// Ti for powers of 1024, followed by an optional B. They can be ranges such as 10..20.
//
// TensorFlow names the outputs of nodes with a colon and digits. A word such as "input:0" is
// therefore text and not a test if the word before the colon is name, input or output, or is not a
// field. A word with two colons, such as the operator "local::Double", is text as well.
//
// # Fields
//
// [Fields] lists the fields with a short explanation of each. They compare:
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
// A shape is written as it is displayed, such as batch×3×224×224, with x, a comma or × between
// dimensions, and ? for an unknown dimension. * matches any dimensions, or for a part of one, so
// that *x224 matches every shape with at least two dimensions that ends with 224. A scalar is
// written "scalar" or []. A shape of unknown rank never matches.
//
// After the fields after, before, between, reads and makes, a text can be the exact name of nodes
// and values, or #12 for the node at position 12. If there is no such node or value, it can be a
// scope, and otherwise a pattern with * or ?. The nodes and values that it names do not match after
// and before themselves.
//
// A test of nodes is applied to a value through the node that produces it. For an input or a
// constant, it is true if it is true for one of the nodes that read it. The same applies to a
// tensor. Matcher.ValueAlone ignores nodes. If an item does not have what a field compares, the
// test is false and its opposite is true.
package filter
