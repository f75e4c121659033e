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

// FileOptions say how files become values.
type FileOptions struct {
	Dims    map[string]int64 // sizes of symbols, for files that hold no shape
	Picture picture.Options
	// Given are values that are at hand: the files need not have those inputs.
	Given graphops.Feeds
	// Outputs are the model's outputs, for files that hold what is expected of them.
	Outputs []graphops.NamedType
	// Samples is how many rows of arrays, or folders of a set, are taken at most, from the
	// start; 0 for all. A batch that the model fixes is taken whole. With a number, arrays
	// are read no farther, and none is taken for what is expected of an output.
	Samples int64
	// Rows is how many rows of arrays a case of a Stream has where the batch is free; 0 is
	// as many as other cases have.
	Rows int64
}

// ReadCases makes cases of a path: an .npz archive, an .npy file, a folder of those, a
// folder of ONNX's input_0.pb, input_1.pb …, a folder of such folders, a single .pb
// file, or a .json file; for a single input also a folder of images, or of .npy files with
// a value each. Its errors are DataErrors.
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
		c.Fed = fedFrom(filepath.Base(path), open, c.Feeds)
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
	files, read, err := filesOfCases(path, open, o)
	switch {
	case err != nil:
		return Cases{}, err
	case files != nil:
		return readFiles(files, read, o)
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

// readFirst reads as many rows of arrays as are asked for, and no others.
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

// fedFrom tells what a file gave to inputs.
func fedFrom(source string, types []graphops.NamedType, feeds graphops.Feeds) []Fed {
	fed := make([]Fed, len(types))
	for i, t := range types {
		v := feeds[t.Name]
		fed[i] = Fed{Name: t.Name, Type: v.Type.String(), Shape: v.Type.Shape, Source: source, What: "as in the file"}
	}
	return fed
}

// readArrays makes cases of numpy's arrays, which hold dense tensors only. An archive
// that Save wrote is one case, however many rows it has. Of others, a batch with a
// size in o.Dims takes so many rows.
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

// undealt is one case of arrays as they are.
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

// oneCase is the comment of an archive whose arrays are not rows to be dealt.
const oneCase = "lathe: one case"

// isOneCase reports whether Save wrote an archive. What cannot be read is said by
// whoever reads it.
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
