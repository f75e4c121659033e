package inputs

import (
	"archive/zip"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// FileOptions say how files become values.
type FileOptions struct {
	Rows    int64            // as CaseOptions has it
	Dims    map[string]int64 // sizes of symbols, for files that hold no shape
	Picture picture.Options
	// Given are values that are at hand: the files need not have those inputs.
	Given graphops.Feeds
	// Outputs are the model's outputs, for files that hold what is expected of them.
	Outputs []graphops.NamedType
}

// ReadCases makes cases of a path: an .npz archive, an .npy file, a folder of those, a
// folder of ONNX's input_0.pb, input_1.pb …, a folder of such folders, a single .pb
// file, or a .json file.
func ReadCases(path string, types []graphops.NamedType, o FileOptions) (Cases, error) {
	var open []graphops.NamedType
	for _, t := range types {
		if _, given := o.Given[t.Name]; !given {
			open = append(open, t)
		}
	}
	out, err := readCases(path, open, o)
	if err != nil {
		return out, err
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
	case hasExtension(path, ".pb"):
		return readSingle(path, open)
	case hasExtension(path, ".json"):
		return readJSONFile(path, open)
	}
	return readArrays(path, open, o)
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
// that Save wrote is one case, however many rows it has.
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
		c, err = undealt(arrays, types, specs, source)
	} else {
		c, err = FromArrays(arrays, specs, CaseOptions{Source: source, Rows: o.Rows})
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// undealt is one case of arrays as they are.
func undealt(arrays []npz.Entry, types []graphops.NamedType, specs []Spec, source string) (Cases, error) {
	values, notes, err := Whole(arrays, specs)
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
	return Cases{Cases: []Case{c}, Notes: notes}, nil
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

// fit makes a value one of the type that an input declares: widths of numbers are
// converted, everything else must be as it is. It tells what it changed.
func fit(v graphops.Value, in graphops.NamedType) (graphops.Value, string, error) {
	want := in.Type
	if v.Type.Kind != want.Kind {
		return v, "", fmt.Errorf("input %q takes %s, got %s", in.Name, want, v.Type)
	}
	if want.Kind != graphops.TypeTensor {
		return v, "", checkItems(v, in)
	}
	note := ""
	if v.Tensor.DType != want.Elem {
		from := v.Tensor.DType
		t, err := converted(v.Tensor, want.Elem)
		if err != nil {
			return v, "", fmt.Errorf("input %q: %w", in.Name, err)
		}
		v, note = graphops.TensorValue(t), fmt.Sprintf("%q is converted from %s to %s", in.Name, from, want.Elem)
		if isBits(from, want.Elem) {
			note = fmt.Sprintf("the %s of %q are taken for the bits of %s", from, in.Name, want.Elem)
		}
	}
	return v, note, checkShape(v.Tensor.Shape, in)
}

// isBits reports whether numbers of one type are the bits of another: ONNX's own tests
// keep bfloat16 as uint16.
func isBits(from, to tensor.DType) bool { return from == tensor.U16 && to == tensor.BF16 }

// converted changes the width of a number.
func converted(t tensor.Tensor, to tensor.DType) (tensor.Tensor, error) {
	if isBits(t.DType, to) {
		return tensor.Tensor{DType: to, Shape: t.Shape, Data: t.Data}, nil
	}
	return convert(t, to)
}

// checkItems refuses elements of another type than a sequence, map or optional takes.
func checkItems(v graphops.Value, in graphops.NamedType) error {
	of := in.Type.Of
	for _, t := range v.Tensors() {
		leaf := of
		for leaf != nil && leaf.Of != nil {
			leaf = leaf.Of
		}
		isKey := in.Type.Kind == graphops.TypeMap && t.DType == in.Type.Elem
		if leaf != nil && leaf.Kind == graphops.TypeTensor && leaf.Elem.Valid() && t.DType != leaf.Elem && !isKey && !holdsMap(in.Type) {
			return fmt.Errorf("input %q takes %s, got %s in it", in.Name, in.Type, t.DType)
		}
	}
	return nil
}

func holdsMap(t graphops.Type) bool {
	return t.Kind == graphops.TypeMap || t.Of != nil && holdsMap(*t.Of)
}

func checkShape(shape []int64, in graphops.NamedType) error {
	if in.Type.Shape == nil {
		return nil
	}
	fits := len(shape) == len(in.Type.Shape)
	for axis := 0; fits && axis < len(shape); axis++ {
		d := in.Type.Shape[axis]
		fits = !d.IsFixed() || d.Value == shape[axis]
	}
	if !fits {
		return fmt.Errorf("input %q wants shape %s, got %s", in.Name, in.Type.Shape, tensor.FormatShape(shape))
	}
	return nil
}
