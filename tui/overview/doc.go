// Package overview has the pane that the workbench shows first: what the model is, what is wrong
// with it, what one can do next, and its groups of nodes. On a narrow screen, a box over the list
// shows the beginning of it until the first key.
//
// The summary of the model is computed in the background, after the costs. What the pane shows is
// made in Sync, when something of it has changed.
package overview
