package nbits

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.quantization.matmul_nbits_quantizer, for the same model. A report lists those that matter
// for its model. With none, the result equals that of the reference; with HQQ, the last bits of powers
// and of sums may differ.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does.
const (
	// onlyIncluded: nodes to include are quantized in addition to all others, so that naming them
	// restricts nothing.
	onlyIncluded Departure = "only-included"
	// constantNode: the output of a Constant node does not count as a weight.
	constantNode Departure = "constant-node"
	// foreignDomain: operators are recognized by name alone, in any domain.
	foreignDomain Departure = "foreign-domain"
	// nameCollision: new values and nodes are named without looking at the names in the model. With
	// k-quant, all nodes without a name get the same name.
	nameCollision Departure = "name-collision"
	// sharedDequantize: a weight that several nodes read is dequantized by a node for each of them,
	// which all write a value of the same name. No runtime accepts the result.
	sharedDequantize Departure = "shared-dequantize"
	// opsetConverter: the number of the opset is raised without converting the nodes. For a Gather it
	// is raised although nothing needs it.
	opsetConverter Departure = "opset-converter"
	// notFinite: a weight with NaN or an infinity is quantized, and its block becomes meaningless.
	notFinite Departure = "not-finite"
	// rangeOverflow: the width of a block's range is computed in float32 and can become infinite, and
	// the scale with it.
	rangeOverflow Departure = "range-overflow"
	// tinyRange: in the standard's form, all numbers of a block get the smallest integer if the inverse of
	// its scale is infinite.
	tinyRange Departure = "tiny-range"
	// zeroSign: the scale of a block of zeros of both signs in a table is 0 or -0, depending on the order in
	// which a processor compares them.
	zeroSign Departure = "zero-sign"
	// emptyWeight: a weight without elements is quantized, which no kernel accepts.
	emptyWeight Departure = "empty-weight"
	// wrongType: a table or matrix of integers or of float64 is quantized, into an invalid model or
	// with an error.
	wrongType Departure = "wrong-type"
	// otherBits: for the standard's form with 8 bits, and for a Gather with 2 or 8 bits, nodes stay as
	// they are. With 2 bits, k-quant rounds weights to nearest and writes them as floating-point
	// numbers. GPTQ always has 4 bits.
	otherBits Departure = "other-bits"
	// tableAxis: a table that does not have the axis of the blocks ends the run with an error.
	tableAxis Departure = "table-axis"
	// unitAxes: the result for a weight of more than two axes is brought into its shape by a chain of
	// nodes that look at the shape while the model runs.
	unitAxes Departure = "unit-axes"
	// functionBody: nodes in functions of the model stay as they are.
	functionBody Departure = "function-body"
	// oddTranspose: a matrix with an odd number of elements and one scale for each column ends the run
	// with an error if it is symmetric.
	oddTranspose Departure = "odd-transpose"
	// lostDomain: a node with a body loses its domain.
	lostDomain Departure = "lost-domain"
	// overruledConstant: constants that a later one of the same name replaces stay in the model.
	overruledConstant Departure = "overruled-constant"
	// uncompensated: GPTQ reads the part of its factor that is 0, so that it makes up for nothing. Then it
	// finds new scales for its result and rounds a second time.
	uncompensated Departure = "uncompensated"
	// deadInput: GPTQ sets weights to 0 that the data multiplies with 0 only.
	deadInput Departure = "dead-input"
	// bodyNode: k-quant and GPTQ leave nodes in bodies as they are. Those are left out here too with GPTQ, and named.
	bodyNode Departure = "body-node"
	// matrixAxes: k-quant and GPTQ leave a matrix with more than two axes as it is.
	matrixAxes Departure = "matrix-axes"
	// oddBlocks: k-quant and asymmetric GPTQ with 4 bits end with an error if a column has an odd number of blocks,
	// because it packs the zero points of all columns together.
	oddBlocks Departure = "odd-blocks"
	// bfloat16Weight: k-quant, HQQ and GPTQ end with an error at a weight of bfloat16.
	bfloat16Weight Departure = "bfloat16-weight"
	// keptWeight: with k-quant and GPTQ, a weight that several nodes read stays beside its quantized form.
	keptWeight Departure = "kept-weight"
	// noImport: with k-quant and GPTQ, the result does not import the domain of MatMulNBits.
	noImport Departure = "no-import"
	// lostLevel: HQQ does not set the accuracy level.
	lostLevel Departure = "lost-level"
	// raisedIRVersion: initializers that are not inputs, or that have a type of 4 bits, are added to a model
	// whose IR version does not allow them.
	raisedIRVersion Departure = "raised-ir-version"
)
