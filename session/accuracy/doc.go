// Package accuracy measures how often a model is right on data whose answers are known, and whether two
// models differ in that.
//
// # Classes
//
// rows.go runs the models on the data, batch after batch, so that neither the data nor the outputs have to
// be in memory. output.go finds the output with the scores of classes. tally.go counts the rows whose label
// has the highest score, or is among the five highest.
//
// # Texts
//
// texts.go lets decoders read given tokens, and asks at each position how probable the next token was.
//
// # Scripts
//
// script.go keeps the outputs in a file for a script that computes one number of them.
//
// # Judgement
//
// A share has an interval, and two models differ only if a test on the same rows says so (package
// proportion). The number of a script has neither.
package accuracy
