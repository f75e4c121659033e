package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitecture keeps ARCHITECTURE.md complete and true: it names every package,
// and what it names exists.
func TestArchitecture(t *testing.T) {
	page := readPage(t, "ARCHITECTURE.md")
	for p := range imports(t) {
		name := strings.TrimPrefix(p, "lathe/")
		if p == "lathe" {
			name = "main"
		}
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("ARCHITECTURE.md has no package %s; add it to the table of packages", name)
		}
	}
	namesExist(t, page)
	_, glossary, _ := strings.Cut(page, "\n## Glossary\n")
	if n := strings.Count(glossary, "\n| ") - 1; n < 1 || n > 25 {
		t.Errorf("the glossary of ARCHITECTURE.md has %d terms, expected 1 to 25", n)
	}
}

// TestContributing keeps CONTRIBUTING.md true.
func TestContributing(t *testing.T) { namesExist(t, readPage(t, "CONTRIBUTING.md")) }

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	filePath = regexp.MustCompile(`^[\w./]+(/\w+|\.(go|md|txt|py|yml))$`)
	goName   = regexp.MustCompile(`^[A-Za-z]\w+$`)
	testName = regexp.MustCompile(`\bTest\w+`)
	nameIn   = regexp.MustCompile("`(\\w+)` in `([\\w/]+\\.go)`")
	target   = regexp.MustCompile(`^make ([a-z]+)`)
)

// namesExist checks what a document quotes. A path has to exist, a test in a command to be
// one of the package that the command names, and a target to be in the Makefile. A Go name has
// to be declared in the package of its file: of the file before it in a row of a table, and of
// the file in "NAME in FILE" elsewhere.
func namesExist(t *testing.T, page string) {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations{}
	for _, row := range rows(page) {
		folder := ""
		for _, m := range nameIn.FindAllStringSubmatch(row, -1) {
			if !declared.in(t, path.Dir(m[2]))[m[1]] {
				t.Errorf("%s: not declared there", m[0])
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(row, -1) {
			name := m[1]
			switch {
			case strings.HasPrefix(name, "go test "):
				dir := strings.TrimSuffix(path.Clean(strings.Fields(name)[2]), "/...")
				for _, test := range testName.FindAllString(name, -1) {
					if !declared.in(t, dir)[test] {
						t.Errorf("`%s`: no test %s in %s", name, test, dir)
					}
				}
			case target.MatchString(name):
				if made := target.FindStringSubmatch(name)[1]; !strings.Contains(string(makefile), "\n"+made+":") {
					t.Errorf("`%s`: the Makefile has no target %s", name, made)
				}
			case filePath.MatchString(name):
				if _, err := os.Stat(name); err != nil {
					t.Errorf("%v", err)
				}
				folder = name
				if path.Ext(name) != "" {
					folder = path.Dir(name)
				}
			case folder != "" && goName.MatchString(name) && strings.HasPrefix(row, "|"):
				if !declared.in(t, folder)[name] {
					t.Errorf("%s declares no %s: %s", folder, name, row)
				}
			}
		}
	}
}

// rows are the lines of tables, and the paragraphs and items of lists in one line each.
func rows(page string) []string {
	var list []string
	join := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if join && strings.HasPrefix(line, " ") {
			list[len(list)-1] += " " + strings.TrimSpace(line)
			continue
		}
		list = append(list, line)
		join = line != "" && !strings.HasPrefix(line, "|")
	}
	return list
}

// declarations are the names that the Go files of folders declare at the top level,
// methods and tests included. A folder is parsed when it is first asked for.
type declarations map[string]map[string]bool

func (d declarations) in(t *testing.T, folder string) map[string]bool {
	t.Helper()
	if names, ok := d[folder]; ok {
		return names
	}
	names := map[string]bool{}
	d[folder] = names
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			for _, name := range declaredBy(decl) {
				names[name] = true
			}
		}
	}
	return names
}

func declaredBy(decl ast.Decl) []string {
	var names []string
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}
