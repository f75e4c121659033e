package simplify

// normPasses find normalizations and activations that have an operator of their own.
var normPasses = []*pass{layerNormalization, rmsNormalization, embedNormalization, skipNormalization, skipBias, gelu, biasGelu, swish, mish, hardSwish}
