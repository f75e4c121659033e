// Package fuzzy ranks many texts by how well a query of a few letters fits them,
// with fzf's algorithm: the letters must occur in order, and count for more at
// the beginning of words and next to each other. It knows no terminal.
package fuzzy

import "github.com/junegunn/fzf/src/algo"

// The algorithm keeps tables in variables of its package. They are filled before
// any goroutine can read them, and nobody else may call Init.
var _ = algo.Init("default")
