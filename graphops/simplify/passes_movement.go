package simplify

// movementPasses are about nodes that pass on what they get: as it is, in another
// shape, order or type.
var movementPasses = []*pass{
	identity, noOps, neutralOperands, zeroStates, repeatedFunctions, foldClips, foldCasts, foldConcats, foldSlices,
	foldTransposes, meetTransposes, constantShapes, foldReshapes, partMergedAxes, foldReductions,
}
