// Package suspect lists changes of one attribute that may be behind a contradiction: other values of
// attributes that decide types and shapes, at the nodes from which a node gets its inputs. Whether a
// change helps is for the caller to try. Package check does so for errors of types and shapes.
package suspect
