package simplify

// constantPasses are about constants, and about nodes that are there twice or for
// nothing.
var constantPasses = []*pass{
	constantNodes, deadCode, knownValues, constantViews, foldConstants, constantBranches,
	sequences, neutralLogic, equalConstants, equalSizes, commonSubexpressions, unusedConstants,
}
