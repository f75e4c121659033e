package simplify

// productPasses merge arithmetic with constants into the weights of a neighbouring node.
var productPasses = []*pass{
	mergeConstants, fuseGemm, foldTransposeGemm, foldBatchNorm, scaleBeforeViews, foldScale, foldShift, foldScaleBefore, foldPad,
}
