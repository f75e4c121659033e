package simplify

// constantPasses handle constants, and nodes that are duplicated or not needed.
var constantPasses = []*pass{
	constantNodes, deadCode, knownValues, constantViews, foldConstants, constantBranches,
	sequences, neutralLogic, equalConstants, equalSizes, commonSubexpressions, unusedConstants,
}
