// Package validate has the steps validate and accuracy, whose work is done by packages sides and accuracy.
package validate
