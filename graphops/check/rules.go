package check

import (
	"slices"
	"sync"
)

// rules are all checks, by family. The rows are in the files of their family, whose names have
// the same prefix. Most of these files have a list of their own.
//
//   - names_: names of values, nodes and metadata: undefined, defined twice, shadowed, unprintable.
//   - graph_: how nodes are connected: cycles, order, bodies, declared types, what nothing uses.
//   - functions_: model-local functions and the nodes that call them.
//   - kernels_: what the kernels of ONNX Runtime require when the model is loaded: an operator
//     without a kernel, values of attributes, types of inputs, locales, compiled parts.
//   - versions_: opset imports and the IR version.
//   - operators_: what the standard requires of a node: known operators, numbers of inputs and
//     outputs, attributes and their values, types, and sizes that contradict each other.
//   - runs_: constants, attributes and sizes with which every run fails or differs.
//   - data_: stored tensors: elements, external files, sparse tensors, quantization, weights, and
//     the fields of the file itself.
//   - training: what is only useful for training.
//   - axes_: input axes that are declared with any size, but work with one only.
var rules = sync.OnceValue(func() []rule {
	return slices.Concat(
		nameRules, graphRules, functionRules,
		kernelRules, contextRules, kernelAttributeRules, localeRules, inputTypeRules,
		versionRules, []rule{opsetUnsupported}, operatorRules, countRules, attributeRules, typeRules, bodyRules, valueRules, quantizationRules, shapeRules, sizeRules, runRules,
		tensorRules, externalRules, []rule{externalUnused}, weightRules, trainingRules, fileRules, axisRules,
	)
})

// nameRules are about names: whether what is read is defined, and which names are valid.
var nameRules = []rule{
	valueUndefined, outputUndefined, valueRedefined, constantOverruled, inputDuplicate, outputDuplicate,
	nameShadowed, nodeNameDuplicate, nameEmpty, nameUnprintable, nameCollision,
	valueInfoStray, valueInfoContradiction, metadataDuplicate, opsetDuplicate,
}

// graphRules are about the connections between nodes.
var graphRules = []rule{
	graphCycle, nodeOrder, graphOutputs, graphNameless, nodeIncomplete, bodyDepth, bodySignature, bodyOutputUnnamed, branchTypes,
	typeMissing, shapeMissing, initializerInput, initializerType, initializerUnlisted, inputUnused, initializerUnused, nodeDead,
}

// functionRules are about model-local functions and the nodes that call them.
var functionRules = []rule{
	functionUnknown, functionCall, functionRecursive, functionDuplicate, functionFormals, functionAttribute, functionOpset,
}
