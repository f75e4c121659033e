// Package overflow finds the nodes of a float32 model that cannot become float16: those
// that make or read a value whose numbers leave the range of float16, or all become 0 in
// it. It runs the model and looks at the largest magnitude of every value; the values
// themselves stay where they are made.
//
// What it finds holds for the inputs that it was given. Values in bodies are not looked
// at; what a node that holds one makes is.
package overflow
