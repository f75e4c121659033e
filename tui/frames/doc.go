// Package frames decides how often a program of Bubble Tea looks for something to draw. The library
// looks at a fixed rate, 120 times a second at most, and does so also while nobody presses a key.
// That alone takes 2 % of a processor, all day, in every terminal in which the workbench waits.
//
// A Clock looks often while messages come, and seldom when no more come. The library has no option
// for that, so that the Clock sets the ticker of the running program, a field that is not exported.
// If a version of the library has no such field, the rate stays fixed, and the tests fail.
package frames
