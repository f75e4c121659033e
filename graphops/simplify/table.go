package simplify

import "slices"

// passes are all passes in the order in which they run. Each family has a file with its list,
// and each pass a file with its code.
var passes = slices.Concat(
	constantPasses,
	movementPasses,
	productPasses,
	normPasses,
	attentionPasses,
)
