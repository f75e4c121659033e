// Package validate has the step validate, whose work is done by package sides.
package validate
