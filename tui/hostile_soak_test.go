//go:build soak

package tui

func init() { hostileTogether = 1 }
