// Package cells makes text an exact number of terminal cells wide, and safe to print. Everything
// that is drawn beside something else uses it.
//
// Divide shares a line among names and the columns beside them. A view with a column of names uses
// it, so that in all of them names have the same room before a column is shown.
package cells
