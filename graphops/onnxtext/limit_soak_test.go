//go:build soak

package onnxtext_test

// largest is the size of model file up to which the corpora are gone through; the
// references hold a text several times.
const largest = 128 << 20
