//go:build cgo && !soak

package shrink

// chains is how many random models are simplified and run.
const chains = 20
