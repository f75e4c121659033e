package simplify

// attentionPasses find attention and related patterns.
var attentionPasses = []*pass{spreadOperands, fuseRotary, fuseAttention, fuseQKV}
