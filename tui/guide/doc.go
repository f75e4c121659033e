// Package guide shows what a person can do: the help, which lists the actions of a place below
// headings, and the palette, which finds an action by its name or by another word for it.
//
// Both list the same entries and find them in the same way. The words of words.go are what people
// call an action in other programs.
package guide
