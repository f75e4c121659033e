// Package modules is the pane with the tree of modules and the other places of the model.
package modules
