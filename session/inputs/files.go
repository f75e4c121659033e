package inputs

import (
	"archive/zip"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// FileOptions say how files are converted to values.
type FileOptions struct {
	Dims    map[string]int64 // sizes of symbols, for files that do not contain a shape
	Picture picture.Options
	// Given are the values of inputs that the user gave separately. The files need not contain
	// these inputs.
	Given graphops.Feeds
	// Outputs are the model's outputs. With them, arrays in the files can be recognized as expected
	// values.
	Outputs []graphops.NamedType
	// Samples limits how many rows of arrays, or folders of a data set, are used, from the start; 0
	// means no limit. If the model takes a fixed number of rows at once, the limit is rounded up to
	// a multiple of it. With a limit, arrays are read only up to it, and no array is taken for the
	// expected value of an output.
	Samples int64
	// Rows is how many rows of arrays form one case of a Stream if the model takes any number of
	// rows. 0 means the default, which ReadCases uses too.
	Rows int64
}

// ReadCases makes cases from a path. The path is an .npz archive, an .npy file, a folder of those,
// a folder with ONNX's input_0.pb, input_1.pb …, a folder of such folders, a single .pb file, or a
// .json file. For a model with a single input it can also be a folder of images or of .npy files,
// each with one value, or one with a folder of images for each class. The errors are DataErrors.
func ReadCases(path string, types []graphops.NamedType, o FileOptions) (Cases, error) {
	var open []graphops.NamedType
	for _, t := range types {
		if _, given := o.Given[t.Name]; !given {
			open = append(open, t)
		}
	}
	out, err := readCases(path, open, o)
	if err != nil {
		return out, ofData(err)
	}
	for i := range out.Cases {
		c := &out.Cases[i]
		if c.Fed == nil {
			c.Fed = fedFrom(filepath.Base(path), open, c.Feeds)
		}
		maps.Copy(c.Feeds, o.Given)
	}
	return out, nil
}

func readCases(path string, open []graphops.NamedType, o FileOptions) (Cases, error) {
	sets, err := dataSets(path)
	switch {
	case err != nil:
		return Cases{}, err
	case sets != nil:
		return readDataSets(sets, open, o)
	}
	files, err := filesOfCases(path, open, o)
	switch {
	case err != nil:
		return Cases{}, err
	case files != nil:
		return readFiles(files, o)
	case hasExtension(path, ".pb"):
		return readSingle(path, open)
	case hasExtension(path, ".json"):
		return readJSONFile(path, open, o.Outputs)
	}
	if err := checkKind(path, open); err != nil {
		return Cases{}, err
	}
	if o.Samples > 0 && !isOneCase(path) {
		return readFirst(path, open, o)
	}
	return readArrays(path, open, o)
}

// readFirst reads arrays only up to the number of rows in o.Samples.
func readFirst(path string, open []graphops.NamedType, o FileOptions) (Cases, error) {
	s, err := streamArrays(path, open, o)
	if err != nil {
		return Cases{}, err
	}
	out := Cases{Notes: s.Notes}
	for i := range s.Len() {
		var c Case
		if c, err = s.Case(i); err != nil {
			break
		}
		out.Cases = append(out.Cases, c)
	}
	return out, errors.Join(err, s.Close())
}

func hasExtension(path string, list ...string) bool {
	return slices.Contains(list, strings.ToLower(filepath.Ext(path)))
}

// fedFrom describes the values that a file has for inputs.
func fedFrom(source string, types []graphops.NamedType, feeds graphops.Feeds) []Fed {
	fed := make([]Fed, len(types))
	for i, t := range types {
		v := feeds[t.Name]
		fed[i] = Fed{Name: t.Name, Type: v.Type.String(), Shape: v.Type.Shape, Source: source, What: "as in the file"}
	}
	return fed
}

// readArrays makes cases from numpy arrays, which can only be dense tensors. An archive that Save
// wrote is one case, however many rows it has. Other arrays are split into cases by rows. If o.Dims
// has a size for the batch, that is the number of rows of a case.
func readArrays(path string, types []graphops.NamedType, o FileOptions) (Cases, error) {
	specs, err := Specs(types)
	if err != nil {
		return Cases{}, fmt.Errorf("%s: %w; keep such values in a folder of input_0.pb, input_1.pb …", path, err)
	}
	arrays, err := npz.Open(path, npz.Options{})
	if err != nil {
		return Cases{}, err
	}
	source := filepath.Base(path)
	var c Cases
	if isOneCase(path) {
		c, err = undealt(arrays, types, specs, o.Outputs, source)
	} else {
		for i, t := range types {
			specs[i].Shape = withBatch(t, o.Dims)
		}
		c, err = fromArrays(arrays, specs, o, source)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// undealt makes one case from arrays, without splitting them by rows.
func undealt(arrays []npz.Entry, types []graphops.NamedType, specs []Spec, outputs []graphops.NamedType, source string) (Cases, error) {
	expected := expectedAmong(arrays, specs, outputs)
	values, notes, err := Whole(without(arrays, expected), specs)
	if err != nil {
		return Cases{}, err
	}
	c := Case{Name: source, Feeds: graphops.Feeds{}}
	for _, t := range types {
		v := values[t.Name]
		if err := checkShape(v.Shape, t); err != nil {
			return Cases{}, err
		}
		c.Feeds[t.Name] = graphops.TensorValue(v)
	}
	err = (&rowPlan{}).expect(&c, expected, 0, 0)
	return Cases{Cases: []Case{c}, Notes: notes}, err
}

// oneCase is the comment that Save gives an archive. It means that the arrays are one case and must
// not be split by rows.
const oneCase = "lathe: one case"

// isOneCase reports whether Save wrote the archive. A file that cannot be read is not one; reading
// it later gives the error.
func isOneCase(path string) bool {
	f, err := openRegular(path, math.MaxInt64)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	r, err := zip.NewReader(f, info.Size())
	return err == nil && r.Comment == oneCase
}
