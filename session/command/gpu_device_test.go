//go:build gpu && device

package command

func init() { onGPU = true }
