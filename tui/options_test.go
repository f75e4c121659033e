package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lathe/session/steps"
	"lathe/tui/workspace"
)

// setOptions are the options that the workbench reads or sets by name, by the step that has them.
var setOptions = map[string][]string{
	"prune":                {"output", "input"},
	"axes":                 {"dynamic", "fix", "repair"},
	"check":                {"runtime-load", "weights"},
	"simplify":             {"include", "exclude", "fuse"},
	"quantize dynamic":     {"include", "exclude", "weight-type", "per-channel"},
	"quantize static":      {"include", "exclude", "weight-type", "per-channel", "calibration", "data"},
	"quantize float16":     {"include", "exclude"},
	"quantize sensitivity": {"mode", "data"},
	"run-model":            {"value"},
}

// optionSetters are the functions that take the name of an option, with the index of that argument.
var optionSetters = map[string]int{"SetOption": 1, "HasOption": 1, "OptionNamed": 1, "openAxes": 1, "examineBy": 1}

// TestOptionsExist looks up every option that the workbench names. Its dialogs are tested with fake
// steps, so those tests do not notice that an option was renamed.
func TestOptionsExist(t *testing.T) {
	for step, names := range setOptions {
		s, ok := steps.New(step)
		if !ok {
			t.Errorf("there is no step %q", step)
			continue
		}
		for _, name := range names {
			if !workspace.HasOption(s, name) {
				t.Errorf("%s has no option %q", step, name)
			}
		}
	}
}

// TestOptionsAreListed reads the sources: an option that is named there is in setOptions.
func TestOptionsAreListed(t *testing.T) {
	var listed []string
	for _, names := range setOptions {
		listed = append(listed, names...)
	}
	calls := 0
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			name, ok := optionArgument(n)
			if !ok {
				return true
			}
			if calls++; !slices.Contains(listed, name) {
				t.Errorf("%s: option %q is not in setOptions", path, name)
			}
			return true
		})
		return nil
	}
	if err := filepath.WalkDir(".", walk); err != nil {
		t.Fatal(err)
	}
	if calls < 15 {
		t.Errorf("found %d names of options, at least 15 expected", calls)
	}
}

// optionArgument returns the name of the option that a call of one of optionSetters has as a literal.
func optionArgument(n ast.Node) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	function := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		function = f.Name
	case *ast.SelectorExpr:
		function = f.Sel.Name
	}
	place, ok := optionSetters[function]
	if !ok || place >= len(call.Args) {
		return "", false
	}
	literal, ok := call.Args[place].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	name, err := strconv.Unquote(literal.Value)
	return name, err == nil
}
