// Package tui is the workbench: the terminal program in which a person looks at
// a model, turns it and proves the result. It holds no logic that a recipe
// cannot reach: forms come from Step.Options, previews from Step.Preview,
// results from Step.Run.
//
// App is the one tea.Model. It routes: a key goes to the dialog on top, else to
// the focused pane, else to the App itself, and the key table says what the key
// means there. Panes share a workspace, which only Update's goroutine touches.
// Whatever is slow is a tea.Cmd on a snapshot, and its answer carries what it
// was asked for, so that a stale one is dropped. View writes nothing.
//
// Adding a pane is one file, with a type that implements pane and the panel that
// says where it stands and what its keys are, and one line in panels. Adding a
// dialog is one file and one line in dialogTables.
package tui
