package torch

import (
	"embed"
	"strings"
)

//go:embed bridge/*.py
var bridge embed.FS

// modelParts are the parts of the child that handles a model, in order: main starts answering.
var modelParts = []string{
	"values", "caches", "failure", "apart", "target", "inputs", "task", "task_inputs", "task_caches", "cache_axes", "sentence", "fake", "guards", "paths", "stable", "quotients", "masked", "export", "state", "eager", "precise", "modules",
	"timing", "main",
}

// script joins parts of the bridge to one program.
func script(parts ...string) string {
	var b strings.Builder
	for _, name := range parts {
		text, err := bridge.ReadFile("bridge/" + name + ".py")
		if err != nil {
			panic(err) // a wrong name is a bug in this package
		}
		b.Write(text)
	}
	return b.String()
}
