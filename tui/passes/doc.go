// Package passes is the dialog that shows what each pass of simplify would change, and selects passes.
package passes
