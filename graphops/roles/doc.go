// Package roles says what each input and output of a language model is for: token ids, a mask,
// positions, a cache of keys and which output is that cache one run later. It reads no weights and
// runs nothing.
//
// # Evidence
//
// A role comes from the strongest evidence that exists: first the slot of an operator whose schema
// defines it, then the structure of the nodes around the input, and last its name. Each port
// has the evidence as text. What the evidence does not show is listed as assumed. A port without
// evidence has the role Unknown: nothing is assumed silently.
//
// # How it works
//
// flat.go writes the model as one list of nodes: branches of If, bodies of Loop and Scan, and calls
// of functions are replaced by their nodes. Two passes over this list find everything. The forward
// pass (origin.go) finds for each value from which input, or from which cache of a node, it comes
// unchanged. The backward pass (reach.go) finds what each value is used as: an index of a table, a
// mask of scores, keys. caches.go pairs past and present; inputs.go and outputs.go name the rest.
//
// Forms are the known kinds of caches and states, one row each (forms.go). docs/roles.md is made
// from them.
//
// # Limits
//
// The time is linear in the number of nodes. A model whose functions expand to many times their
// number is followed only so far, which Roles.Limits says. Names are raw text, which callers must
// clean before they print it.
package roles
