package simplify

// productPasses put arithmetic with constants into the weights of a neighbour.
var productPasses = []*pass{
	mergeConstants, fuseGemm, foldTransposeGemm, foldBatchNorm, scaleBeforeViews, foldScale, foldShift, foldScaleBefore, foldPad,
}
