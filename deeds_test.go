package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// acting are the files that start programs, or write files other than through graphops/durable, each
// with the reason why a recipe cannot reach that without consent. "asks" means that the file asks
// package permit.
var acting = map[string]string{
	"graphops/reference/python.go":                  "tests only",
	"graphops/onnxpb/protogen/plugin.go":            "a generator",
	"graphops/onnxpb/protogen/main.go":              "a generator",
	"graphops/graphtest/mutate/seeds.go":            "tests only",
	"session/command/commandtest/commandtest.go":    "tests only",
	"session/ort/workertest/workertest.go":          "tests only",
	"session/shell/shell.go":                        "asks",
	"session/inputs/command.go":                     "a temporary folder, for what package shell runs, which asks",
	"session/accuracy/script.go":                    "a temporary folder",
	"session/inputs/save.go":                        "asks",
	"session/python/run.go":                         "asks",
	"session/python/reference.go":                   "a temporary folder, for Python, which asks",
	"session/ort/spawn.go":                          "Client.Start asks if there is a launcher; otherwise the program is this one",
	"session/ort/discover_ask.go":                   "looks for the library of the user's own Python, whatever the step",
	"session/ort/install_fetch.go":                  "lathe runtime install, which is not a step",
	"session/ort/install.go":                        "lathe runtime install, which is not a step",
	"session/ort/install_keep.go":                   "lathe runtime install, which is not a step",
	"session/ort/install_build.go":                  "lathe runtime install, which is not a step",
	"session/ort/install_store.go":                  "lathe runtime install, which is not a step",
	"session/ort/install_unpack.go":                 "lathe runtime install, which is not a step",
	"session/ort/plugin/install.go":                 "lathe runtime install, which is not a step",
	"session/ort/worker/storage.go":                 "the worker's own folder; the sandbox limits the worker",
	"session/ort/worker/receive.go":                 "the worker's own folder; the sandbox limits the worker",
	"session/ort/worker/dump.go":                    "the worker's own folder; the sandbox limits the worker",
	"session/preflight/preflight.go":                "asks",
	"session/sides/cases.go":                        "asks",
	"session/sides/torch.go":                        "a temporary folder, for Python, which asks",
	"session/sides/reference.go":                    "a temporary folder, for Python, which asks",
	"session/sides/reference_parts.go":              "a temporary folder, for Python, which asks",
	"session/timing/torch.go":                       "a temporary folder, for Python, which asks",
	"session/filling/filling.go":                    "a temporary folder, for Python, which asks",
	"session/steps/shrink/optimize_transformers.go": "a temporary folder, for Python, which asks",
	"session/steps/shrink/optimize_compile.go":      "a temporary folder",
	"session/steps/torch/export.go":                 "asks",
	"session/steps/torch/generation.go":             "a folder that durable.WriteFolder made",
	"session/folders/quantize.go":                   "a folder that durable.WriteFolder made",
	"session/torch/bridge.go":                       "a temporary folder, for Python, which asks",
	"session/torch/restore.go":                      "a temporary folder, for Python, which asks",
	"session/torch/paths.go":                        "a temporary folder, for Python, which asks",
	"session/torch/export.go":                       "a temporary folder, for Python, which asks",
	"session/trial/files.go":                        "a temporary folder",
	"session/quantization/data.go":                  "a temporary folder",
	"session/layers/store.go":                       "a temporary file",
	"session/sizing/store.go":                       "the cache of the program",
	"session/journal/view.go":                       "the journal of the workbench",
	"session/journal/store.go":                      "the journal of the workbench",
	"session/journal/left.go":                       "the journal of the workbench",
	"session/journal/stale.go":                      "the journal of the workbench",
	"graphops/graphtest/growth/bombs.go":            "tests only",
	"session/sensitivity/ranges.go":                 "a temporary folder",
	"session/mixed/trial.go":                        "a temporary folder",
	"session/search/journal.go":                     "the journal of a search, like the results of measurements",
	"session/ort/orttest/plain.go":                  "tests only",
	"session/trust/records.go":                      "the records of the workbench",
	"session/command/torch.go":                      "lathe torch explain, which is not a step",
	"session/command/worker.go":                     "executes itself again",
	"session/command/tour.go":                       "a temporary folder",
	"bench/profile/cache.go":                        "the cache of the program",
	"bench/store/folder.go":                         "the results of the program",
	"graphops/scratch.go":                           "a temporary file",
	"graphops/stream.go":                            "a temporary file",
	"tui/launch/theme.go":                           "the settings of the workbench",
}

// acts are the functions that start a program or write a file.
var acts = map[string][]string{
	"exec":    {"Command", "CommandContext"},
	"os":      {"StartProcess", "WriteFile", "Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "Rename", "Link", "Symlink", "Truncate"},
	"syscall": {"Exec", "ForkExec", "StartProcess"},
	"unix":    {"Exec"},
	"plugin":  {"Open"},
}

// TestWhatActs: a file that starts programs or writes files is known, with the reason why a recipe
// from somebody else cannot use it without consent.
func TestWhatActs(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path == "graphops/durable" || path == "bin" || path == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && doesAct(t, path):
			found[path] = true
			reason, known := acting[path]
			if !known {
				t.Errorf("%s: starts a program or writes a file by itself; write with graphops.WriteFile, or ask package permit and add the file to the list", path)
			}
			if content, err := os.ReadFile(path); reason == "asks" && (err != nil || !strings.Contains(string(content), "permit.To")) {
				t.Errorf("%s: does not ask package permit", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(acting)) {
		if !found[path] {
			t.Errorf("%s: is listed, and neither starts programs nor writes files", path)
		}
	}
}

// doesAct reports whether a file calls one of acts, or opens a file to create it.
func doesAct(t *testing.T, path string) (does bool) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				does = does || slices.Contains(acts[x.Name], s.Sel.Name) || s.Sel.Name == "O_CREATE"
			}
		}
		return true
	})
	return does
}
