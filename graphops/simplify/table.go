package simplify

import "slices"

// passes are all passes in the order in which they run. Each family has a file of
// rows, each pass a file with what it does.
var passes = slices.Concat(
	constantPasses,
	movementPasses,
	productPasses,
	normPasses,
	attentionPasses,
)
