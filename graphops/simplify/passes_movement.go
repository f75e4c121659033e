package simplify

// movementPasses handle nodes that only pass on their input, unchanged or in another shape,
// order or type.
var movementPasses = []*pass{
	identity, noOps, neutralOperands, zeroStates, repeatedFunctions, foldClips, foldCasts, foldConcats, foldSlices,
	foldTransposes, meetTransposes, constantShapes, foldReshapes, partMergedAxes, foldReductions,
}
