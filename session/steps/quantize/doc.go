// Package quantize has the step quantize, whose work is done by package quantization.
package quantize
