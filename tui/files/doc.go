// Package files is what the workbench does with files as a whole: it writes the model, saves the steps
// as a recipe, opens another model, and asks before it leaves work behind.
package files
