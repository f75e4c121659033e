// Package shell is the frame of the workbench, which knows nothing of models: what a pane and a
// dialog are, the stack of dialogs, the layout of the screen, messages, text fields, and dialogs
// that ask a question.
//
// A pane or dialog knows the workbench around it only as a Host.
package shell
