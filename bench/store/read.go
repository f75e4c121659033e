package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"lathe/graphops/formats"
)

// maxBytes is the largest size of a file that is read. The profile of a model with 200,000 nodes
// has a fifth of it.
const maxBytes = 128 << 20

// headBytes is how many bytes at the beginning of a file are enough to distinguish a trace from a
// result.
const headBytes = 4 << 10

const noFollow = syscall.O_NOFOLLOW

// documents maps the schemas of the --json output of commands to kinds of results. Such a document
// is read as a result without an envelope.
var documents = map[string]string{
	"lathe.bench/1": KindBench, "lathe.validate/1": KindValidate, "lathe.quantize/1": KindQuantize, "lathe.profile/1": KindProfile,
	"lathe.quantize-sensitivity/1": KindSensitivity, "lathe.accuracy/1": KindAccuracy, "lathe.quantize-compare/1": KindCompare,
}

// Read reads a result from a file that a user names. The file is one that Lathe has kept or saved,
// or the --json output of a command. In the latter case the result has only what the document says
// about the machine and the settings.
func Read(path string) (*Result, error) {
	r, err := read(path, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// read reads a result from a file. If the path is a named pipe, it returns an error and does not
// wait for a writer. Its errors do not name the file.
func read(path string, flags int) (*Result, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, reason(err)
	case info.IsDir():
		return nil, errors.New("is a folder, expected the file of a result")
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	}
	head := make([]byte, headBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, reason(err)
	}
	if isTrace(head[:n]) {
		r, err := readTrace(f)
		if err != nil {
			return nil, err
		}
		r.File = path
		return r, nil
	}
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, reason(err)
	}
	if len(content) > maxBytes {
		return nil, fmt.Errorf("is larger than %d MiB, which no result is", maxBytes>>20)
	}
	r, err := Decode(content)
	if err != nil {
		return nil, err
	}
	r.File = path
	return r, nil
}

// expected is the end of error messages about a file that is not a result. It says which files are.
const expected = "expected a result: what lathe bench --save wrote, or bench, validate, accuracy, quantize or profile --json, or a trace of ONNX Runtime"

// Decode returns the result in the content of a file.
func Decode(content []byte) (*Result, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := decode(content, &head); err != nil {
		return nil, err
	}
	if kind, ok := documents[head.Schema]; ok {
		return bare(kind, content)
	}
	if what := formats.DescribeOwn(content); head.Schema == "" && what != "" {
		return nil, fmt.Errorf("is %s; %s", what, expected)
	}
	if head.Schema != Schema {
		return nil, unknownSchema(head.Schema)
	}
	r := &Result{}
	if err := decode(content, r); err != nil {
		return nil, err
	}
	return r, r.check()
}

// decode decodes content, which must be a single JSON document. The error says what is wrong and
// what is expected.
func decode(content []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(content))
	if err := dec.Decode(to); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			return fmt.Errorf("key %q has a value of the wrong type (%s); %s", kind.Field, kind.Value, expected)
		}
		if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
			return errors.New("is not complete JSON, perhaps cut off; " + expected)
		}
		if what := formats.DescribeOwn(content); what != "" {
			return fmt.Errorf("is %s; %s", what, expected)
		}
		return errors.New("is not JSON; " + expected)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more than one JSON document; " + expected)
	}
	return nil
}

// unknownSchema returns the error for a document whose schema is not known. If only the version is
// unknown, the error says that another version of Lathe wrote it.
func unknownSchema(schema string) error {
	name, _, _ := strings.Cut(schema, "/")
	known := []string{Schema}
	for s := range documents {
		known = append(known, s)
	}
	for _, s := range known {
		if n, _, _ := strings.Cut(s, "/"); n == name {
			return fmt.Errorf("its version is %q, and this lathe reads %q; read it with the lathe that wrote it", schema, s)
		}
	}
	if schema == "" {
		return errors.New("names no schema; " + expected)
	}
	return fmt.Errorf("is a document of %q; %s", schema, expected)
}

// bare returns a result of the given kind for a document without an envelope. Machine, models and
// subjects come from the document.
func bare(kind string, content []byte) (*Result, error) {
	r := &Result{Kind: kind, Document: content}
	var told struct {
		Environment json.RawMessage `json:"environment"`
		A           string          `json:"a"`
		B           string          `json:"b"`
		Model       string          `json:"model"`
		File        struct {
			Path string `json:"path"`
		} `json:"file"`
	}
	if err := decode(content, &told); err != nil {
		return nil, err
	}
	if len(told.Environment) > 0 {
		r.Machine = NewMachine(told.Environment, "")
	}
	paths := []string{told.A, told.B, told.Model, told.File.Path}
	if kind == KindAccuracy {
		measured, err := r.Accuracy()
		if err != nil {
			return nil, err
		}
		for _, m := range measured.Models {
			paths = append(paths, m.Model)
		}
	}
	for _, path := range paths {
		if path != "" {
			r.Models = append(r.Models, Model{Path: path})
		}
	}
	if kind != KindBench {
		return r, nil
	}
	return r, r.addRuns()
}

// addRuns adds a subject for each run in the document of a measurement.
func (r *Result) addRuns() error {
	var told struct {
		Runs []struct {
			Name     string  `json:"name"`
			Model    string  `json:"model"`
			On       string  `json:"on"`
			EP       string  `json:"ep"`
			Attached *string `json:"ep_attached"`
			Batch    int64   `json:"batch"`
			Threads  int64   `json:"threads"`
		} `json:"runs"`
	}
	if err := decode(r.Document, &told); err != nil {
		return err
	}
	for _, run := range told.Runs {
		at := slices.IndexFunc(r.Models, func(m Model) bool { return m.Path == run.Model && m.On == run.On })
		if at < 0 {
			at = len(r.Models)
			r.Models = append(r.Models, Model{Path: run.Model, On: run.On})
		}
		of := Settings{SettingEP: run.EP, SettingBatch: strconv.FormatInt(run.Batch, 10)}
		if run.Threads > 0 {
			of[SettingThreads] = strconv.FormatInt(run.Threads, 10)
		}
		if run.Attached != nil {
			of[SettingProvider] = *run.Attached
		}
		r.Subjects = append(r.Subjects, Subject{Name: run.Name, Model: at, Settings: of})
	}
	return nil
}

// check returns an error if the envelope is not valid: an unknown kind, no document, an impossible
// time, or a subject without a model.
func (r *Result) check() error {
	switch {
	case !slices.Contains([]string{KindBench, KindValidate, KindQuantize, KindProfile, KindSensitivity, KindAccuracy, KindCompare}, r.Kind):
		return fmt.Errorf("is of kind %q; expected bench, validate, quantize, profile, sensitivity, accuracy or compare", r.Kind)
	case len(r.Document) == 0 || r.Document[0] != '{':
		return errors.New(`has no document under "result"`)
	case r.Time.IsZero() || r.Time.Year() < 2000 || r.Time.Year() > 9999:
		return fmt.Errorf("was written at %v, which is not a possible time", r.Time)
	}
	for i, s := range r.Subjects {
		if s.Model < 0 || s.Model >= len(r.Models) {
			return fmt.Errorf("subject %d refers to model %d, but there are only %d models", i, s.Model, len(r.Models))
		}
	}
	return nil
}
