// Package sensitivity finds out what it costs to quantize each node of a model alone, and what that
// saves.
//
// An estimate from the weights comes first and runs nothing. It is the share of noise that a node's
// own weights and activations get, times the part of it that reaches the outputs:
//
//	noise = flow × (Σ |w-q(w)|² / |w|²  +  a × activations)
//
// The first sum is over the weights that change, each with its quantized value q(w). If the inputs of
// a product are not correlated, its result has the same share of noise as its weight. activations is
// the number of values that are computed and quantized: inputs, and in some modes outputs. a is the
// noise of a normal distribution that is quantized evenly over 4 standard deviations on each side. The
// description of function flow says which part reaches the outputs.
//
// A measurement quantizes one node, runs the model and compares its outputs with those of the
// original. It replaces the estimate. Nodes with the largest estimated noise are measured first:
// noises of different nodes nearly add up, so that after any number of measurements the rest has the
// smallest possible part of the estimated noise.
//
// Measurements are stored with the results of the model. The next run with the same model, options and
// data measures only the rest.
package sensitivity
