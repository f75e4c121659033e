// Package adopt takes over a model that another program optimized. Such a program writes a new
// graph, in which inputs have lost their symbols, weights were moved into the new file, and opsets
// are imported that no node uses. The adopted model has the new nodes, but the inputs, outputs,
// documentation and metadata of the original. A weight that is unchanged stays in the original
// file. If possible, this is decided without reading it.
package adopt
