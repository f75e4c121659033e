package inputs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// Given are the values and rules that the user gave for single inputs, each as NAME=WHAT. WHAT is a
// file, a tensor such as i64[2]{1,2}, or a rule for generating the value.
type Given struct {
	Values graphops.Feeds
	Fed    []Fed
	Fills  map[string]Fill
	Notes  []string
}

// givenSyntax describes what may follow NAME=, for help texts.
const givenSyntax = "a file (.npy, .npz, .pb, .json, .raw, .bin, .png, .jpg), a tensor such as i64[2]{1,2}, or " + FillSyntax

// readGiven reads what the user gave for single inputs, each text as NAME=WHAT.
func readGiven(said []string, types []graphops.NamedType, o FileOptions) (Given, error) {
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

// NamesImage reports whether a text NAME=WHAT names an image file.
func NamesImage(said string) bool { return hasExtension(said, picture.Extensions...) }

// splitGiven splits a text NAME=WHAT into the input and WHAT. Both the names of inputs and those of
// files can contain "=", so it looks for the longest input name with which the text begins.
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
	switch {
	case err != nil && isWritten(what):
		return err
	case err != nil:
		return ofData(fmt.Errorf("%s: %w", what, err))
	}
	if note != "" {
		g.Notes = append(g.Notes, note)
	}
	g.Values[in.Name] = v
	g.Fed = append(g.Fed, Fed{Name: in.Name, Type: v.Type.String(), Shape: v.Type.Shape, Source: filepath.Base(what), What: done, Why: "as asked"})
	return nil
}

// WithPath returns a text NAME=FILE with path(FILE) in the place of FILE. A text in which WHAT is
// not a file is returned unchanged.
func WithPath(said string, path func(string) string) string {
	name, what, separated := strings.Cut(said, "=")
	if !separated || isWritten(what) || isFill(what) || !hasExtension(what, FileKinds...) {
		return said
	}
	return name + "=" + path(what)
}

// readValue reads one value from a file, or from a text such as i64[2]{1,2}.
func readValue(what string, in graphops.NamedType, o FileOptions) (graphops.Value, string, error) {
	if isWritten(what) {
		t, err := tensor.ParseLiteral(what)
		return graphops.TensorValue(t), "as written", prefixed(in, err)
	}
	if !hasExtension(what, FileKinds...) {
		return graphops.Value{}, "", fmt.Errorf("input %q: %q is neither a file of a known kind nor a rule; give %s", in.Name, what, givenSyntax)
	}
	v, done, err := readFile(what, in, o)
	return v, done, ofData(err)
}

// FileKinds are the extensions of the files that can have the value of a single input.
var FileKinds = append([]string{".npy", ".npz", ".pb", ".json", ".raw", ".bin"}, picture.Extensions...)

// isWritten reports whether the text is a tensor itself, such as i64[2]{1,2}, and not the name of a
// file.
func isWritten(what string) bool { return strings.HasSuffix(what, "}") }

// readFile reads one value from a file, whose extension decides the format.
func readFile(what string, in graphops.NamedType, o FileOptions) (graphops.Value, string, error) {
	const plain = "as in the file"
	switch {
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
	}
	return readPicture(what, in, o)
}

func readPicture(path string, in graphops.NamedType, o FileOptions) (graphops.Value, string, error) {
	if in.Type.Kind != graphops.TypeTensor {
		return graphops.Value{}, "", fmt.Errorf("%s: input %q takes %s, but an image can only be a tensor", path, in.Name, in.Type)
	}
	t, done, err := picture.Open(path, in.Type.Elem, withDims(in, o.Dims), o.Picture)
	var system *fs.PathError
	if err != nil && !errors.As(err, &system) {
		err = fmt.Errorf("%s for input %q: %w", path, in.Name, err)
	}
	return graphops.TensorValue(t), done, err
}

func prefixed(in graphops.NamedType, err error) error {
	if err != nil {
		return fmt.Errorf("input %q: %w", in.Name, err)
	}
	return nil
}

// readArray reads the array with the input's name, or the only array of the file.
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
