// Package shell runs commands that the user gives as a line for the shell. A command ends with all that
// it started if its context ends, and its error has the last line of its standard error.
package shell
