// Package adopt takes over what another program made of a model. Optimizers write a
// graph of their own: inputs lose their symbols, weights move into the file that was
// written, opsets are imported that nothing needs. What is taken over has the
// original's inputs, outputs and descriptions, and every weight that is still the
// original's stays where it lies, unread where that is possible.
package adopt
