// Package labels reads the correct classes of the rows of data, which are in a file beside the data: an
// array of NumPy, or a table that names rows or files.
package labels
