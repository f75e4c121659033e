//go:build parity

package graphops_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/reference"
)

// TestRuntimeParity gives the models that are judged to ONNX Runtime itself: what
// is warned of it refuses, for that reason, and nothing else.
func TestRuntimeParity(t *testing.T) {
	python := reference.Start(t, "testdata/runtime.py")
	var about struct{ Version string }
	python.Read(t, &about)
	t.Logf("ONNX Runtime %s", about.Version)
	check := func(t *testing.T, path string, allow ...string) {
		t.Helper()
		var answer struct{ Error string }
		python.Ask(t, map[string]string{"model": path}, &answer)
		warned := warningsOf(t, path, about.Version, allow...)
		if refused := refusesExternal(answer.Error); refused != (len(warned) > 0) {
			t.Errorf("the runtime says %q, and the warnings are %q", answer.Error, warned)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(runtimeCases(t))) {
		t.Run(name, func(t *testing.T) {
			root, path := runtimeCases(t)[name].make(t)
			check(t, path, root)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(operandCases)) {
		t.Run(name, func(t *testing.T) { check(t, makeOperands(t, operandCases[name].graph)) })
	}
}

// refusesExternal tells an error about external data from one about what the
// graph computes, which the cases do not care for.
func refusesExternal(text string) bool {
	return slices.ContainsFunc([]string{"xternal", "model format error", "crash", "end of file", "No such file"}, func(part string) bool {
		return strings.Contains(text, part)
	})
}
