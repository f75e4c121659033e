package simplify

// constantPasses are about constants, and about nodes that are there twice or for
// nothing.
var constantPasses = []*pass{deadCode}
