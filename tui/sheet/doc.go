// Package sheet is the dialog with two models side by side.
package sheet
