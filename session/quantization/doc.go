// Package quantization lowers the precision of a model: to integers with ranges that are found
// while the model runs or on data, to float16, or to bfloat16. A Quantization has the options and
// does the work: it prepares the model, quantizes it, compares the result with the original for
// accuracy and speed, and writes it. The rewriting itself is in graphops/quant and graphops/half.
package quantization
