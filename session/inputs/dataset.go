package inputs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// dataSets returns the folders with input_0.pb … at a path: the path itself, or folders in it. The
// result is nil if there are none.
func dataSets(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, nil
	}
	if isDataSet(path) {
		return []string{path}, nil
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var sets []string
	for _, e := range list {
		if below := filepath.Join(path, e.Name()); e.IsDir() && isDataSet(below) {
			sets = append(sets, below)
		}
		if len(sets) > maxCases {
			return nil, fmt.Errorf("%s: more than %d folders of data", path, maxCases)
		}
	}
	slices.SortFunc(sets, func(a, b string) int { return compareNumbered(filepath.Base(a), filepath.Base(b)) })
	return sets, nil
}

// compareNumbered orders test_data_set_2 before test_data_set_10.
func compareNumbered(a, b string) int {
	if len(a) != len(b) && strings.TrimRight(a, "0123456789") == strings.TrimRight(b, "0123456789") {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// isDataSet reports whether a folder contains a case. For a model without inputs it contains only
// outputs.
func isDataSet(folder string) bool {
	return slices.ContainsFunc([]string{"input_*.pb", "output_*.pb"}, func(files string) bool {
		found, err := filepath.Glob(filepath.Join(globQuoted(folder), files))
		return err == nil && len(found) > 0
	})
}

// globQuoted quotes the characters of a folder's name that are special in patterns.
func globQuoted(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// readDataSets makes a case from each folder.
func readDataSets(sets []string, types []graphops.NamedType, o FileOptions) (Cases, error) {
	var out Cases
	if o.Samples > 0 && o.Samples < int64(len(sets)) {
		sets = sets[:o.Samples]
	}
	for _, folder := range sets {
		c := Case{Name: filepath.Base(folder)}
		var err error
		if c.Feeds, err = readInputs(folder, types, &out.Notes); err != nil {
			return out, err
		}
		for i, t := range types {
			if _, ok := c.Feeds[t.Name]; !ok {
				return out, fmt.Errorf("%s: no file for input %q; expected input_%d.pb", folder, t.Name, i)
			}
		}
		if c.Expected, err = readExpected(folder, o.Outputs, &out.Notes); err != nil {
			return out, err
		}
		if err := c.readAbout(folder); err != nil {
			return out, err
		}
		out.Cases = append(out.Cases, c)
	}
	return out, nil
}

// readInputs reads the inputs in a folder and converts each to the type that the model expects.
func readInputs(folder string, types []graphops.NamedType, notes *[]string) (graphops.Feeds, error) {
	return readNumbered(folder, "input_", types, notes, func(file string, v graphops.Value, in graphops.NamedType) (graphops.Value, error) {
		fitted, note, err := fit(v, in)
		if err != nil {
			return v, fmt.Errorf("%s: %w", file, err)
		}
		if note != "" && !slices.Contains(*notes, note) {
			*notes = append(*notes, note)
		}
		return fitted, nil
	})
}

// readExpected reads the expected outputs of a folder. A value that does not match the output's
// type stays as it is in the file; the comparison reports it.
func readExpected(folder string, types []graphops.NamedType, notes *[]string) (graphops.Feeds, error) {
	types = slices.Clone(types)
	for i, t := range types {
		if t.Type.Kind == graphops.TypeUnknown {
			types[i].Type = graphops.Type{Kind: graphops.TypeTensor}
		}
	}
	return readNumbered(folder, "output_", types, notes, func(_ string, v graphops.Value, t graphops.NamedType) (graphops.Value, error) {
		if fitted, _, err := fit(v, t); err == nil {
			return fitted, nil
		}
		return v, nil
	})
}

// readNumbered reads the files in a folder whose names are prefix, a number and ".pb". If a file
// contains the name of one of types, it is the value of that one. Otherwise the number is the
// position in types.
func readNumbered(folder, prefix string, types []graphops.NamedType, notes *[]string, fitted func(file string, v graphops.Value, t graphops.NamedType) (graphops.Value, error)) (graphops.Feeds, error) {
	feeds := graphops.Feeds{}
	files, err := filepath.Glob(filepath.Join(globQuoted(folder), prefix+"*.pb"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), ".pb")
		at, err := strconv.Atoi(number)
		if err != nil || at < 0 || at >= len(types) {
			if len(types) > 0 {
				*notes = append(*notes, fmt.Sprintf("%s is not used: the model has only %d such values", filepath.Base(file), len(types)))
			}
			continue
		}
		v, in, err := readNamed(file, types, at)
		if err != nil {
			return nil, err
		}
		if _, twice := feeds[in.Name]; twice {
			return nil, fmt.Errorf("%s: a second value for %q", file, in.Name)
		}
		if feeds[in.Name], err = fitted(file, v, in); err != nil {
			return nil, err
		}
	}
	return feeds, nil
}

// readNamed reads a file as the value of types[at]. If the file contains the name of another one of
// types, it is the value of that one.
func readNamed(file string, types []graphops.NamedType, at int) (graphops.Value, graphops.NamedType, error) {
	in := types[at]
	v, name, err := graphops.ReadData(file, in.Type)
	if i := slices.IndexFunc(types, func(t graphops.NamedType) bool { return t.Name == name && name != "" }); i >= 0 && i != at {
		in = types[i]
		v, _, err = graphops.ReadData(file, in.Type)
	}
	return v, in, err
}

// readSingle reads a file with one value, for a model with one input.
func readSingle(path string, types []graphops.NamedType) (Cases, error) {
	if len(types) != 1 {
		return Cases{}, fmt.Errorf("%s: one value for %d inputs; say for which one: --input NAME=%s", path, len(types), path)
	}
	v, _, err := graphops.ReadData(path, types[0].Type)
	if err != nil {
		return Cases{}, err
	}
	v, note, err := fit(v, types[0])
	if err != nil {
		return Cases{}, fmt.Errorf("%s: %w", path, err)
	}
	out := Cases{Cases: []Case{{Name: filepath.Base(path), Feeds: graphops.Feeds{types[0].Name: v}}}}
	if note != "" {
		out.Notes = []string{note}
	}
	return out, nil
}
