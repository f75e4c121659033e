// Package trial compares a changed model with its original: it proves that both compute the same,
// makes a model without the passes that change the results, and finds errors that the original does
// not have. Models run on the runtime of the step that asks.
package trial
