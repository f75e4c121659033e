package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// dependency is a row of docs/dependencies.md: a module, its licence, and why it is needed.
type dependency struct{ module, licence, reason string }

// allowed are the licences that a dependency may have, by their SPDX names. They ask for no more than
// that their text goes with the program.
var allowed = map[string]bool{"MIT": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "Apache-2.0": true, "ISC": true}

// readDependencies reads the rows of all tables in a document.
func readDependencies(document string) ([]dependency, error) {
	content, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	var out []dependency
	for line := range strings.Lines(string(content)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.Contains(cells[0], "`") {
			continue
		}
		d := dependency{strings.Trim(strings.TrimSpace(cells[0]), "`"), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])}
		if d.licence == "" || d.reason == "" {
			return nil, fmt.Errorf("%s: %s has no licence or no reason", document, d.module)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: it has no table of dependencies", document)
	}
	return out, nil
}

// licences are phrases of licences. A text has a licence if it has all of its phrases. Those that a text
// with fewer rights also has come later.
var licences = []struct {
	name    string
	phrases []string
}{
	{"AGPL", []string{"gnu affero general public license"}},
	{"LGPL", []string{"gnu lesser general public license"}},
	{"GPL", []string{"gnu general public license", "preamble"}},
	{"MPL-2.0", []string{"mozilla public license"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person"}},
}

// licencesOf returns the names of the licences whose texts are in a module's folder.
func licencesOf(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, licencesIn(string(content))...)
	}
	return out, nil
}

// licencesIn returns the names of the licences in a text.
func licencesIn(text string) []string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	var out []string
	for _, l := range licences {
		has := true
		for _, phrase := range l.phrases {
			has = has && strings.Contains(text, phrase)
		}
		isThree := len(out) > 0 && out[len(out)-1] == "BSD-3-Clause"
		if has && !(l.name == "BSD-2-Clause" && isThree) {
			out = append(out, l.name)
		}
	}
	return out
}
