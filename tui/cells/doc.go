// Package cells makes text an exact number of terminal cells wide, and safe to
// print. What stands beside something else on the screen goes through it.
package cells
