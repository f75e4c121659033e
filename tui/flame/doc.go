// Package flame is the dialog that shows where the time goes by module.
package flame
