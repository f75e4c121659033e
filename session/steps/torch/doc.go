// Package torch has the steps that export models from PyTorch: torch export, which tries several
// ways until one computes the same as PyTorch, and torch task, for transformers.
package torch
