// Package opschema holds what the standard says about its operators, as data:
// inputs and outputs with their types, attributes with their defaults, for every
// operator in every version of its domain. It knows no rule: what an operator
// computes, and of which shape, is told elsewhere.
//
// # The table
//
// table.txt is embedded. make.py writes it from the Python packages onnx, for the
// standard, and onnxruntime, for what ONNX Runtime adds, of the versions that
// `make parity` installs; `make generate` runs it, or with any other Python
//
//	LATHE_PARITY_PYTHON=python go generate ./graphops/opschema
//
// Every line begins with a word, fields are separated by single spaces:
//
//	from PACKAGE VERSION         what the table was made from
//	set NAME TYPES               a list of types that is used more than once
//	domain NAME VERSION          the operators of a domain, and its newest version
//	op NAME SINCE [FLAG ...]     an operator as of a version of its domain, in that
//	                             order; flags are deprecated, function and runtime
//	in NAME[?|*N][~]:TYPE ...    its inputs: optional (?); any number of them from N
//	                             on (*N), of types that may differ (~)
//	out ...                      its outputs, likewise
//	attr NAME KIND [required]    an attribute; a default follows as "= JSON"
//	type VARIABLE TYPES|@SET     what a type variable may stand for
//
// A TYPE is a variable or a type as ONNX writes it, without spaces. In TYPES one
// word stands for several: seq(tensor(float|double)). A set is called after its
// first user. Empty lines and those that begin with # say nothing.
//
// # The kernels
//
// kernels.txt, which make_kernels.py writes likewise, is what the execution
// providers of ONNX Runtime implement, of those that the Python package
// onnxruntime was built with. It has the lines from, set and type, and
//
//	domain NAME VERSION          a domain, and the newest version of which ONNX
//	                             Runtime knows an operator
//	provider NAME DOMAIN         kernels of a provider for operators of a domain
//	kernel OP SINCE [UNTIL]      a kernel, with the versions that it is for; lines
//	                             of types follow: a kernel takes what fits them all
//
// # What adds up
//
// sums.txt is written by hand: the operators whose result depends on the order of many
// additions; a star stands behind those that share their error among all elements.
//
// # What draws
//
// draws.txt is written by hand: the operators that draw numbers at random.
//
// # Reading
//
// Nothing is read before the first question, which finds out only where the
// operators or kernels stand; each is parsed when it is asked for, and kept.
package opschema

//go:generate $LATHE_PARITY_PYTHON make.py table.txt
//go:generate $LATHE_PARITY_PYTHON make_kernels.py kernels.txt
