package simplify

// attentionPasses find attention and what belongs to it.
var attentionPasses = []*pass{spreadOperands, fuseRotary, fuseAttention, fuseQKV}
