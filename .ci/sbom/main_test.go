package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// modules lists the modules that programs and tests here are built of, with their folders.
func modules(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-tags", "parity soak network torch gpu device", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if module, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[module] = folder
		}
	}
	if len(found) < 10 {
		t.Fatalf("go list names %d modules only", len(found))
	}
	return found
}

// TestDependencies checks that each module has a row, that its licence is the one of its text, and that
// it may be used.
func TestDependencies(t *testing.T) {
	rows, err := readDependencies(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	found := modules(t)
	for _, d := range rows {
		folder, used := found[d.module]
		delete(found, d.module)
		if !used {
			t.Errorf("%s is in %s, but nothing is built of it, or it has two rows", d.module, document)
			continue
		}
		texts, err := licencesOf(folder)
		if err != nil {
			t.Error(err)
		}
		if !slices.Contains(texts, d.licence) {
			t.Errorf("%s: %s says %s, its texts are %v", d.module, document, d.licence, texts)
		}
		if !allowed[d.licence] {
			t.Errorf("%s: the licence %s is not allowed", d.module, d.licence)
		}
		if len(d.reason) < 20 {
			t.Errorf("%s: %q is not a reason", d.module, d.reason)
		}
	}
	for module := range found {
		t.Errorf("%s has no row in %s; add its licence and why it is needed", module, document)
	}
}

func TestLicences(t *testing.T) {
	mit := "Copyright X\n\nPermission is hereby granted,\nfree of charge, to any person obtaining a copy"
	bsd := "Redistribution and use in source and binary forms, with or without\nmodification"
	for text, want := range map[string][]string{
		"":  nil,
		mit: {"MIT"},
		"   Apache License\n  Version 2.0, January 2004": {"Apache-2.0"},
		bsd: {"BSD-2-Clause"},
		bsd + " may be used to endorse or promote products derived":           {"BSD-3-Clause"},
		"GNU GENERAL PUBLIC LICENSE\nVersion 3\n\nPreamble\n":                 {"GPL"},
		"GNU AFFERO GENERAL PUBLIC LICENSE\nPreamble":                         {"AGPL"},
		"Mozilla Public License Version 2.0":                                  {"MPL-2.0"},
		"GNU General Public License\nPreamble\n" + mit:                        {"GPL", "MIT"},
		"All rights reserved. No part of this work may be used in any manner": nil,
	} {
		if got := licencesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestReadDependencies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "d.md")
	for content, wrong := range map[string]bool{
		"# nothing\n": true,
		"| module | licence | why |\n|---|---|---|\n| `a/b` | MIT | it parses |\n": false,
		"| `a/b` | MIT |  |\n":       true,
		"| `a/b` |  | it parses |\n": true,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, err := readDependencies(file); (err != nil) != wrong {
			t.Errorf("%q: %v, %v", content, rows, err)
		}
	}
}

// TestBill checks the bill of this test, which is a program of the module too.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run([]string{self}, out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of one program differ")
	}
	var b bill
	if err := json.Unmarshal(first.Bytes(), &b); err != nil || b.Format != "CycloneDX" || b.Metadata.Component.Name != "lathe" || b.Components[0].Name != "std" {
		t.Errorf("got %+v, %v", b, err)
	}
	if err := run(nil, &second); err == nil {
		t.Error("no program was accepted")
	}
	if err := run([]string{document}, &second); err == nil {
		t.Error("a document was accepted as a program")
	}
}

func TestBillOf(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.2.3", Main: debug.Module{Path: "lathe"}, Deps: []*debug.Module{{Path: "a/b", Version: "v1.0.0", Sum: "h1:x"}}}
	if _, err := billOf(info, nil); err == nil || !strings.Contains(err.Error(), "module a/b has no row") {
		t.Errorf("a module without a row: %v", err)
	}
	b, err := billOf(info, []dependency{{"a/b", "MIT", "it parses"}})
	if err != nil || len(b.Components) != 2 || b.Components[1].PURL != "pkg:golang/a/b@v1.0.0" || b.Components[1].Licences[0].License.ID != "MIT" {
		t.Errorf("got %+v, %v", b, err)
	}
}
