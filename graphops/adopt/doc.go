// Package adopt takes over the result of another program that optimized a model. Optimizers write a
// new graph in which inputs lose their symbols, weights move into the new file, and unneeded opsets
// are imported. The adopted model has the inputs, outputs and descriptions of the original. A
// weight that is unchanged remains a reference to the original file, and is not read if possible.
package adopt
