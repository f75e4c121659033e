package torch

import (
	"embed"
	"strings"
)

//go:embed bridge/*.py
var bridge embed.FS

// The parts of the child that a model lives in, in their order: main begins to answer.
var modelParts = []string{
	"values", "failure", "apart", "target", "inputs", "task", "task_inputs", "sentence", "fake", "guards", "paths", "stable", "quotients", "masked", "export", "state", "eager", "precise", "modules",
	"timing", "main",
}

// script is one program of parts of the bridge.
func script(parts ...string) string {
	var b strings.Builder
	for _, name := range parts {
		text, err := bridge.ReadFile("bridge/" + name + ".py")
		if err != nil {
			panic(err) // a name that is not there is a fault of this package
		}
		b.Write(text)
	}
	return b.String()
}
