// Package problems is the dialog that lists what is wrong with the model, explains it and fixes it.
package problems
