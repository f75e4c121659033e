// Package workspace is what the panes and dialogs of the workbench share: the session, the rows of
// the visible place, the selection, the marks, the highlighted rows, the jobs, and background work
// about the model. A Workspace is used only by the goroutine of Update; background work gets
// snapshots.
//
// A part of the workbench that keeps something for itself has a Slot for it.
package workspace
