package inputs

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// Given is what a user says of single inputs, each as NAME=WHAT: a file, a tensor
// written out as i64[2]{1,2}, or a rule to fill it by.
type Given struct {
	Values graphops.Feeds
	Fed    []Fed
	Fills  map[string]Fill
	Notes  []string
}

// GivenSyntax is what may stand behind NAME=, for help.
const GivenSyntax = "a file (.npy, .npz, .pb, .json, .raw, .bin, .png, .jpg), a tensor as i64[2]{1,2}, or " + FillSyntax

// ReadGiven reads what is said of inputs.
func ReadGiven(said []string, types []graphops.NamedType, o FileOptions) (Given, error) {
	g := Given{Values: graphops.Feeds{}, Fills: map[string]Fill{}}
	for _, s := range said {
		in, what, err := splitGiven(s, types)
		if err == nil {
			err = g.read(in, what, o)
		}
		if err != nil {
			return Given{}, err
		}
	}
	return g, nil
}

// splitGiven finds the input that a text begins with. Names and files can hold the
// sign between them, so the longest name counts.
func splitGiven(s string, types []graphops.NamedType) (graphops.NamedType, string, error) {
	var found graphops.NamedType
	what, ok := "", false
	for _, t := range types {
		if rest, begins := strings.CutPrefix(s, t.Name+"="); begins && (!ok || len(t.Name) > len(found.Name)) {
			found, what, ok = t, rest, true
		}
	}
	if ok {
		return found, what, nil
	}
	name, _, separated := strings.Cut(s, "=")
	if !separated {
		return found, "", fmt.Errorf("%q: expected NAME=FILE or NAME=RULE", s)
	}
	return found, "", unknownInput(name, types)
}

func (g *Given) read(in graphops.NamedType, what string, o FileOptions) error {
	if _, twice := g.Values[in.Name]; twice || g.Fills[in.Name].kind != fillNone {
		return fmt.Errorf("input %q is given twice", in.Name)
	}
	if isFill(what) {
		f, err := ParseFill(what)
		if err != nil {
			return fmt.Errorf("input %q: %w", in.Name, err)
		}
		g.Fills[in.Name] = f
		return nil
	}
	v, done, err := readValue(what, in, o)
	if err != nil {
		return err
	}
	v, note, err := fit(v, in)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if note != "" {
		g.Notes = append(g.Notes, note)
	}
	g.Values[in.Name] = v
	g.Fed = append(g.Fed, Fed{Name: in.Name, Type: v.Type.String(), Shape: v.Type.Shape, Source: filepath.Base(what), What: done, Why: "as asked"})
	return nil
}

// readValue reads one value from a file, or as it is written out.
func readValue(what string, in graphops.NamedType, o FileOptions) (graphops.Value, string, error) {
	const plain = "as in the file"
	switch {
	case strings.HasSuffix(what, "}"):
		t, err := tensor.ParseLiteral(what)
		return graphops.TensorValue(t), "as written", prefixed(in, err)
	case hasExtension(what, ".npy", ".npz"):
		v, err := readArray(what, in)
		return v, plain, err
	case hasExtension(what, ".pb"):
		v, _, err := graphops.ReadData(what, in.Type)
		return v, plain, err
	case hasExtension(what, ".json"):
		v, err := readJSONValue(what, in)
		return v, plain, err
	case hasExtension(what, ".raw", ".bin"):
		v, err := readRaw(what, in, o.Dims)
		return v, "bytes as they are", err
	case hasExtension(what, picture.Extensions...):
		if in.Type.Kind != graphops.TypeTensor {
			return graphops.Value{}, "", fmt.Errorf("%s: input %q takes %s, an image is a tensor", what, in.Name, in.Type)
		}
		t, done, err := picture.Open(what, in.Type.Elem, withDims(in, o.Dims), o.Picture)
		return graphops.TensorValue(t), done, prefixed(in, err)
	}
	return graphops.Value{}, "", fmt.Errorf("input %q: %q is neither a file of a known kind nor a rule; give %s", in.Name, what, GivenSyntax)
}

func prefixed(in graphops.NamedType, err error) error {
	if err != nil {
		return fmt.Errorf("input %q: %w", in.Name, err)
	}
	return nil
}

// readArray reads the only array of a file, or that of the input's name.
func readArray(path string, in graphops.NamedType) (graphops.Value, error) {
	arrays, err := npz.Open(path, npz.Options{})
	if err != nil {
		return graphops.Value{}, err
	}
	if at := slices.IndexFunc(arrays, func(e npz.Entry) bool { return e.Name == in.Name }); at >= 0 {
		return graphops.TensorValue(arrays[at].Tensor), nil
	}
	if len(arrays) != 1 {
		return graphops.Value{}, fmt.Errorf("%s: none of its %d arrays is called %q", path, len(arrays), in.Name)
	}
	return graphops.TensorValue(arrays[0].Tensor), nil
}

// withDims is the shape of an input with the sizes that the user gave to its axes.
func withDims(in graphops.NamedType, dims map[string]int64) graphops.Shape {
	s := slices.Clone(in.Type.Shape)
	for axis, d := range s {
		symbol := d.Symbol
		if symbol == "" {
			symbol = axisName(in.Name, axis)
		}
		if n, ok := dims[symbol]; ok && !d.IsFixed() {
			s[axis] = graphops.FixedDim(n)
		}
	}
	return s
}

// readRaw reads elements as they are, little endian. One open axis gets the size that
// the file fills; several are an error.
func readRaw(path string, in graphops.NamedType, dims map[string]int64) (graphops.Value, error) {
	fail := func(err error) (graphops.Value, error) {
		return graphops.Value{}, fmt.Errorf("%s for input %q: %w", path, in.Name, err)
	}
	f, err := openRegular(path, npz.DefaultMaxBytes)
	if err != nil {
		return graphops.Value{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	shape, err := rawShape(info.Size(), in.Type, withDims(in, dims))
	if err != nil {
		return fail(err)
	}
	t := tensor.Tensor{DType: in.Type.Elem, Shape: shape, Data: make([]byte, info.Size())}
	if _, err := io.ReadFull(f, t.Data); err != nil {
		return fail(err)
	}
	return graphops.TensorValue(t), t.Check()
}

// rawShape is the shape that bytes have as an input's elements.
func rawShape(size int64, t graphops.Type, s graphops.Shape) ([]int64, error) {
	if t.Kind != graphops.TypeTensor || t.Elem.Bits() == 0 || s == nil {
		return nil, fmt.Errorf("raw bytes make no %s of shape %s", t, s)
	}
	open, shape := -1, make([]int64, len(s))
	for axis, d := range s {
		shape[axis] = d.Value
		if d.IsFixed() {
			continue
		}
		if open >= 0 {
			return nil, fmt.Errorf("raw bytes tell one open size, %s has several; give --dim", s)
		}
		open, shape[axis] = axis, 1
	}
	n, err := tensor.Elements(shape)
	if err != nil {
		return nil, err
	}
	want, err := t.Elem.ByteLen(n)
	switch {
	case err != nil:
		return nil, err
	case open >= 0 && want > 0 && size%want == 0 && t.Elem.Bits() >= 8:
		shape[open] = size / want
	case want != size:
		return nil, fmt.Errorf("%s of %s wants %d bytes, the file has %d", t, s, want, size)
	}
	return shape, nil
}
