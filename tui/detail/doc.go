// Package detail is the pane about the selected row: boxes for the rows around it, and what the model
// says about the row.
package detail
