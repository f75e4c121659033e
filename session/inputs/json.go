package inputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
)

// maxJSON is the largest JSON file that is read, in bytes.
const maxJSON = 256 << 20

// readJSONFile makes cases from a file with an object that has a value for every input, or a list
// of such objects. A member called like an output is its expected value.
func readJSONFile(path string, types, outputs []graphops.NamedType) (Cases, error) {
	var out Cases
	err := withJSON(path, func(r io.Reader) (err error) {
		out, err = readJSON(r, filepath.Base(path), types, outputs)
		return err
	})
	return out, err
}

// withJSON opens a file of limited size and reads it.
func withJSON(path string, read func(io.Reader) error) error {
	f, err := openRegular(path, maxJSON)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// openRegular opens a regular file. It returns an error if the file is larger than most bytes.
func openRegular(path string, most int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s: %d bytes; at most %d are read", path, info.Size(), most)
	}
	return os.Open(path)
}

// readJSON makes cases from JSON.
func readJSON(r io.Reader, source string, types, outputs []graphops.NamedType) (Cases, error) {
	j := &jsonReader{dec: json.NewDecoder(io.LimitReader(r, maxJSON))}
	j.dec.UseNumber()
	first, err := j.token()
	if err != nil {
		return Cases{}, err
	}
	var out Cases
	switch first {
	case json.Delim('{'):
		c, err := j.object(types, outputs)
		if err != nil {
			return out, err
		}
		c.Name = source
		out.Cases = []Case{c}
	case json.Delim('['):
		for j.dec.More() {
			if len(out.Cases) == maxCases {
				return out, fmt.Errorf("more than %d cases", maxCases)
			}
			c, err := j.listed(types, outputs)
			if err != nil {
				return out, fmt.Errorf("case %d: %w", len(out.Cases), err)
			}
			c.Name = fmt.Sprintf("%s[%d]", source, len(out.Cases))
			out.Cases = append(out.Cases, c)
		}
		if _, err := j.token(); err != nil {
			return out, err
		}
		if len(out.Cases) == 0 {
			return out, errors.New("a list without cases")
		}
	default:
		return out, fmt.Errorf("begins with %s; expected an object with a value for each input, or a list of such objects", quoted(first))
	}
	return out, j.end()
}

// listed reads an object that is an element of a list of cases.
func (j *jsonReader) listed(types, outputs []graphops.NamedType) (Case, error) {
	tok, err := j.token()
	if err != nil {
		return Case{}, err
	}
	if tok != json.Delim('{') {
		return Case{}, fmt.Errorf("got %s, expected an object with a value for each input", quoted(tok))
	}
	return j.object(types, outputs)
}

// object reads the values of inputs and outputs up to the end of an object.
func (j *jsonReader) object(types, outputs []graphops.NamedType) (Case, error) {
	c := Case{Feeds: graphops.Feeds{}}
	for j.dec.More() {
		tok, err := j.token()
		if err != nil {
			return c, err
		}
		name, _ := tok.(string)
		if err := j.member(&c, name, types, outputs); err != nil {
			return c, err
		}
	}
	if _, err := j.token(); err != nil {
		return c, err
	}
	for _, t := range types {
		if _, ok := c.Feeds[t.Name]; !ok {
			return c, fmt.Errorf("no value for input %q", t.Name)
		}
	}
	return c, nil
}

// member reads the value with a name.
func (j *jsonReader) member(c *Case, name string, types, outputs []graphops.NamedType) (err error) {
	called := func(t graphops.NamedType) bool { return t.Name == name }
	in, out := slices.IndexFunc(types, called), slices.IndexFunc(outputs, called)
	_, fed := c.Feeds[name]
	_, expected := c.Expected[name]
	switch {
	case fed || expected:
		return fmt.Errorf("%q has two values", name)
	case in >= 0:
		c.Feeds[name], err = j.input(types[in])
	case out >= 0:
		if c.Expected == nil {
			c.Expected = graphops.Feeds{}
		}
		if c.Expected[name], err = j.value(outputs[out].Type, 0); err != nil {
			err = fmt.Errorf("output %q: %w", name, err)
		}
	default:
		return j.unknown(name, types)
	}
	return err
}

// unknown returns the error for a name that no input has. It has a message of its own for files
// with results of Lathe, which begin with the key "schema".
func (j *jsonReader) unknown(name string, types []graphops.NamedType) error {
	if name == "schema" {
		if tok, err := j.token(); err == nil {
			if form, _ := tok.(string); strings.HasPrefix(form, "lathe.") {
				return fmt.Errorf("is a result of lathe (%s); expected an object with a value for each input", text.CleanLine(form))
			}
		}
	}
	return unknownInput(name, types)
}

// input reads the value of one input.
func (j *jsonReader) input(in graphops.NamedType) (graphops.Value, error) {
	v, err := j.value(in.Type, 0)
	if err != nil {
		return v, fmt.Errorf("input %q: %w", in.Name, err)
	}
	if in.Type.Kind == graphops.TypeTensor {
		err = checkShape(v.Tensor.Shape, in)
	}
	return v, err
}

// readJSONValue reads a file that contains the value of one input.
func readJSONValue(path string, in graphops.NamedType) (graphops.Value, error) {
	var v graphops.Value
	err := withJSON(path, func(r io.Reader) (err error) {
		j := &jsonReader{dec: json.NewDecoder(io.LimitReader(r, maxJSON))}
		j.dec.UseNumber()
		if v, err = j.input(in); err != nil {
			return err
		}
		return j.end()
	})
	return v, err
}
