// Package comparison is the dialog with the tables of a validation, and the dialog that shows two of
// the compared values side by side.
package comparison
