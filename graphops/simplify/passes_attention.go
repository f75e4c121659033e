package simplify

// attentionPasses find attention and what belongs to it.
var attentionPasses = []*pass{fuseRotary, fuseAttention, fuseQKV}
