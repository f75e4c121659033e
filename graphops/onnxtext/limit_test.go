//go:build !soak

package onnxtext_test

// largest is the size of model file up to which the corpora are gone through.
const largest = 4 << 20
