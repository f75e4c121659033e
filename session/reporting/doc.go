// Package reporting has the parts that the reports of several steps share: the description of a
// written model, of the values of a graph, of what each execution provider ran, and of where a
// result is stored.
package reporting
