package inputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"lathe/graphops"
)

// maxJSON is how large a JSON file is read.
const maxJSON = 256 << 20

// readJSONFile makes cases of a file: an object with a value for every input, or a
// list of such objects.
func readJSONFile(path string, types []graphops.NamedType) (Cases, error) {
	var out Cases
	err := withJSON(path, func(r io.Reader) (err error) {
		out, err = readJSON(r, filepath.Base(path), types)
		return err
	})
	return out, err
}

// withJSON opens a file that is no larger than what is read.
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

// openRegular opens a regular file of at most so many bytes.
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

// readJSON makes cases of JSON.
func readJSON(r io.Reader, source string, types []graphops.NamedType) (Cases, error) {
	j := &jsonReader{dec: json.NewDecoder(io.LimitReader(r, maxJSON))}
	j.dec.UseNumber()
	first, err := j.token()
	if err != nil {
		return Cases{}, err
	}
	var out Cases
	switch first {
	case json.Delim('{'):
		feeds, err := j.object(types)
		if err != nil {
			return out, err
		}
		out.Cases = []Case{{Name: source, Feeds: feeds}}
	case json.Delim('['):
		for j.dec.More() {
			if len(out.Cases) == maxCases {
				return out, fmt.Errorf("more than %d cases", maxCases)
			}
			feeds, err := j.listed(types)
			if err != nil {
				return out, fmt.Errorf("case %d: %w", len(out.Cases), err)
			}
			out.Cases = append(out.Cases, Case{Name: fmt.Sprintf("%s[%d]", source, len(out.Cases)), Feeds: feeds})
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

// listed reads one object of a list.
func (j *jsonReader) listed(types []graphops.NamedType) (graphops.Feeds, error) {
	tok, err := j.token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, fmt.Errorf("%s where an object with a value for each input is expected", quoted(tok))
	}
	return j.object(types)
}

// object reads the values of inputs up to the end of an object.
func (j *jsonReader) object(types []graphops.NamedType) (graphops.Feeds, error) {
	feeds := graphops.Feeds{}
	for j.dec.More() {
		tok, err := j.token()
		if err != nil {
			return nil, err
		}
		name, _ := tok.(string)
		at := slices.IndexFunc(types, func(t graphops.NamedType) bool { return t.Name == name })
		if at < 0 {
			return nil, unknownInput(name, types)
		}
		if _, twice := feeds[name]; twice {
			return nil, fmt.Errorf("input %q has two values", name)
		}
		if feeds[name], err = j.input(types[at]); err != nil {
			return nil, err
		}
	}
	if _, err := j.token(); err != nil {
		return nil, err
	}
	for _, t := range types {
		if _, ok := feeds[t.Name]; !ok {
			return nil, fmt.Errorf("no value for input %q", t.Name)
		}
	}
	return feeds, nil
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

// readJSONValue reads a file that is the value of one input.
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
