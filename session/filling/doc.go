// Package filling adds stored tensors, such as those of a checkpoint, to a model that is exported.
// It has the options, the work and the report, which the steps export and torch export share.
package filling
