package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A bench is a folder with the models, and what the command lines need.
type bench struct {
	options
	models   string            // the folder of models
	work     string            // the folder of results
	places   map[string]string // what a {name} in a command line is replaced by
	versions string            // what is compared
	floor    int64             // the peak memory, in bytes, below which none can be seen
}

// prepare makes what is measured, unless it is there already.
func prepare(ctx context.Context, o options) (*bench, error) {
	if o.python == "" || o.cache == "" {
		return nil, fmt.Errorf("it needs -python and -cache; make compare gives both")
	}
	for _, path := range []*string{&o.lathe, &o.python, &o.cache} {
		full, err := filepath.Abs(*path)
		if err != nil {
			return nil, err
		}
		*path = full
	}
	sources, err := filepath.Abs(".ci/compare")
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, models: o.cache, work: filepath.Join(o.cache, "results")}
	b.places = map[string]string{
		"lathe": o.lathe, "python": o.python, "bin": filepath.Dir(o.python), "sources": sources,
		"peer": filepath.Join(sources, "peer.py"), "hello": filepath.Join(o.cache, "hello"), "models": b.models,
	}
	if err := b.setEnvironment(); err != nil {
		return nil, err
	}
	if err := b.makeModels(ctx); err != nil {
		return nil, err
	}
	b.floor = b.measuredFloor(ctx)
	b.versions = b.versionsOf(ctx)
	return b, b.build(ctx)
}

// setEnvironment gives Lathe the ONNX Runtime of the environment, and folders of its own for what it
// stores.
func (b *bench) setEnvironment() error {
	found, err := filepath.Glob(filepath.Join(b.places["bin"], "../lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%s: expected one library of ONNX Runtime in its packages, got %d", b.python, len(found))
	}
	state := filepath.Join(b.cache, "state")
	for name, value := range map[string]string{"LATHE_ORT_LIB": found[0], "XDG_STATE_HOME": state, "XDG_DATA_HOME": state} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.MkdirAll(b.work, 0o755)
}

// makeModels runs models.py, whose last file is the sign that all are there.
func (b *bench) makeModels(ctx context.Context) error {
	script := filepath.Join(b.places["sources"], "models.py")
	wanted, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	sign := filepath.Join(b.models, "models.py")
	if made, err := os.ReadFile(sign); err == nil && string(made) == string(wanted) {
		return nil
	}
	fmt.Fprintln(os.Stderr, "making the models: 2.1 GB")
	if out, err := exec.CommandContext(ctx, b.python, script, b.models, "testdata").CombinedOutput(); err != nil {
		return fmt.Errorf("models.py: %w\n%s", err, out)
	}
	return os.WriteFile(sign, wanted, 0o600)
}

// build builds the program that every other is held against.
func (b *bench) build(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", b.places["hello"], "./.ci/compare/hello").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// measuredFloor is the peak of a process that needs next to nothing. The system counts the memory of
// this process, from which it starts, as that of the new one.
func (b *bench) measuredFloor(ctx context.Context) int64 {
	return b.process(ctx, []string{"true"}, limit).peak
}

// line returns the words of a command line, with its places filled.
func (b *bench) line(text string, more map[string]string) []string {
	words := strings.Fields(text)
	for i, word := range words {
		for _, places := range []map[string]string{b.places, more} {
			for name, value := range places {
				word = strings.ReplaceAll(word, "{"+name+"}", value)
			}
		}
		words[i] = word
	}
	return words
}
