// Package tour is a tour of the workbench that takes a minute: what is said at each stop, and the keys
// that are pressed there, on a small model that is a part of the program.
package tour
