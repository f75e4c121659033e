// Package timing measures the latency and memory of models on the runtime, and of PyTorch, in one
// plan. A Benchmark has the options and does the work; package bench has the statistics.
package timing
