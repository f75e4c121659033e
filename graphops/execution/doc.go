// Package execution has what engines ask of a runtime: values of a model, with what is needed of
// them ([Runner]), and types that only the runtime infers ([Typer]). It runs nothing. Package
// session/runtime implements both with worker processes.
package execution
