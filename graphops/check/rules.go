package check

import "slices"

// rules are all checks, by family. The rows are in the files of their family, whose names have
// the same prefix. Most of these files have a list of their own.
var rules = slices.Concat(
	nameRules, graphRules, functionRules,
	kernelRules, kernelAttributeRules, localeRules, inputTypeRules,
	versionRules, []rule{opsetUnsupported}, operatorRules, countRules, attributeRules, typeRules, bodyRules, valueRules, quantizationRules, shapeRules, sizeRules, runRules,
	tensorRules, externalRules, []rule{externalUnused}, weightRules, trainingRules, fileRules, axisRules,
)

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
