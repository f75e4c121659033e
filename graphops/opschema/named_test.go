package opschema_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// TestOperatorsInCode reads the whole program. A name in Node.Is, or in a switch over
// Node.StandardOp, must be an operator of the standard. A comparison of Node.OpType with such a name
// forgets the domain, unless another domain has an operator of that name too and both may be meant.
func TestOperatorsInCode(t *testing.T) {
	standard := func(name string) bool { return len(opschema.Versions(graphops.DefaultDomain, name)) > 0 }
	elsewhere := func(name string) bool {
		for _, domain := range []string{graphops.MicrosoftDomain, "com.microsoft.nchwc", "com.ms.internal.nhwc", "ai.onnx.ml"} {
			if len(opschema.Versions(domain, name)) > 0 {
				return true
			}
		}
		return false
	}
	names := 0
	files := token.NewFileSet()
	sources(t, files, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, ok := literal(n.Args); ok && method(n) == "Is" {
					names++
					if !standard(name) {
						t.Errorf("%s: the standard has no operator %q", files.Position(n.Pos()), name)
					}
				}
			case *ast.SwitchStmt:
				if method(n.Tag) != "StandardOp" {
					break
				}
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						names++
						if name, ok := literal([]ast.Expr{e}); ok && !standard(name) {
							t.Errorf("%s: the standard has no operator %q", files.Position(e.Pos()), name)
						}
					}
				}
			case *ast.BinaryExpr:
				name, ok := literal([]ast.Expr{n.Y})
				if ok && method(n.X) == "OpType" && standard(name) && !elsewhere(name) {
					t.Errorf("%s: %q of any domain is meant; use Is", files.Position(n.Pos()), name)
				}
			}
			return true
		})
	})
	if names < 100 {
		t.Errorf("%d names of operators were found, expected hundreds", names)
	}
}

// sources parses every Go file of the program that is not a test.
func sources(t *testing.T, files *token.FileSet, each func(*ast.File)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bin" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err == nil {
			each(f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// method returns the name of the method that an expression calls, or "".
func method(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// literal returns the string of a single argument that is a string literal.
func literal(args []ast.Expr) (string, bool) {
	if len(args) != 1 {
		return "", false
	}
	l, ok := args[0].(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
