// Package cells makes text an exact number of terminal cells wide, and safe to print. Everything
// that is drawn beside something else uses it.
package cells
