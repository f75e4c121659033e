package pattern

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestAllCompile compiles every expression that the program's sources pass to New, because a mistake
// would show only when a rare message is read.
func TestAllCompile(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			of, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "New" {
				return true
			}
			if from, ok := of.X.(*ast.Ident); !ok || from.Name != "pattern" {
				return true
			}
			if text, ok := call.Args[0].(*ast.BasicLit); ok {
				expr, err := strconv.Unquote(text.Value)
				if err == nil {
					_, err = regexp.Compile(expr)
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				found++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 60 {
		t.Errorf("found %d expressions, expected at least 60", found)
	}
}
