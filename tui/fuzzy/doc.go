// Package fuzzy ranks many texts by how well they match a query of a few letters, with fzf's
// algorithm: the letters must occur in order, and score higher at the beginning of words and next
// to each other. It does not depend on a terminal.
package fuzzy

import "github.com/junegunn/fzf/src/algo"

// The algorithm keeps tables in variables of its package. They are filled here before any goroutine
// can read them; nothing else may call Init.
var _ = algo.Init("default")
