// Package permit limits what running steps may do on this machine besides reading files and
// computing. Steps of a recipe that somebody else wrote run under limits; a command that a person
// types has none.
//
// The limits travel in the context. Whatever writes a file, starts a program or loads a library asks
// for permission with the context that it was given. So an option that has such an effect, and does
// not declare it, is refused instead of having the effect in silence.
package permit
