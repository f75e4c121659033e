//go:build linux && soak

package tui

func init() { screenRuns.models, screenRuns.keys = 20, 1000 }
