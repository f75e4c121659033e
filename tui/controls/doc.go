// Package controls is what the terminal programs share for keyboard and mouse: a line of text to
// type in, how keys are spelled, and how far the wheel scrolls.
package controls
