// Package modes makes one model by every mode of quantization and compares the results in one table: size,
// latency beside the original, error, and accuracy on labels. Nothing is written unless that is asked for.
//
// Each result is made and judged by package quantization, as the command of its mode does, so that the
// numbers are equal. Latencies are measured at the end, all in one measurement and in turns, so that slow
// changes of the machine affect all alike.
//
// A mode that fails, or that does not apply to the model, is a row with the reason. What did not run is not
// timed.
package modes
