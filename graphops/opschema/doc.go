// Package opschema has the definitions of the standard's operators as data: inputs and outputs with
// their types, and attributes with their defaults, for each operator in each version of its domain.
// It does not know what an operator computes or which shapes result.
//
// # The table
//
// table.txt is embedded. make.py generates it from the Python packages onnx, for the standard, and
// onnxruntime, for the additions of ONNX Runtime, in the versions that `make parity` installs.
// `make generate` runs it, or with any other Python
//
//	LATHE_PARITY_PYTHON=python go generate ./graphops/opschema
//
// Each line starts with a word, and fields are separated by single spaces:
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
//	type VARIABLE TYPES|@SET     the types that a type variable allows
//
// A TYPE is a variable or a type as ONNX writes it, without spaces. In TYPES one word can stand for
// several: seq(tensor(float|double)). A set is named after its first user. Empty lines and lines
// that start with # are ignored.
//
// # The kernels
//
// kernels.txt, which make_kernels.py generates in the same way, lists what the execution providers
// in the Python package onnxruntime implement. It has the lines from, set and type, and
//
//	domain NAME VERSION          a domain, and the newest version of which ONNX
//	                             Runtime knows an operator
//	provider NAME DOMAIN         kernels of a provider for operators of a domain
//	kernel OP SINCE [UNTIL]      a kernel, with the versions that it is for; lines
//	                             of types follow, all of which must be met
//
// # Sums
//
// sums.txt is written by hand and lists the operators whose result depends on the order of many
// additions. A star follows those whose error is shared by all elements.
//
// # Random numbers
//
// draws.txt is written by hand and lists the operators that generate random numbers.
//
// # Reading
//
// Nothing is read before the first use, which determines only where each operator or kernel is in
// the text. Each is parsed when it is first needed, and kept.
package opschema

//go:generate $LATHE_PARITY_PYTHON make.py table.txt
//go:generate $LATHE_PARITY_PYTHON make_kernels.py kernels.txt
