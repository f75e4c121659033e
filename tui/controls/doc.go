// Package controls is what the programs of this terminal share about keyboard and mouse: a line of
// text to type in, how keys are written, how far the wheel goes.
package controls
