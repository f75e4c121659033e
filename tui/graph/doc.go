// Package graph has what the panes of the workbench show of a model: the rows of a place and how
// they are connected (Outline, Wiring), the columns of the list, types, costs, problems and other
// facts about rows, and findings. Everything here is data or turns data into lines of text. It
// knows neither the terminal nor the workspace.
package graph
