package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/python"
)

// fusedBy is what the transformer optimizer did.
type fusedBy struct {
	Version   string         `json:"version"` // of the onnxruntime package
	Python    string         `json:"python"`
	ModelType string         `json:"model_type"`
	Fused     map[string]int `json:"fused"` // as it counts, by operator
	Warnings  []string       `json:"warnings"`
}

// defaultModelType is the package's own default.
const defaultModelType = "bert"

// bigModel is the size from which on weights go beside the model that the Python
// package writes: more than 2 GiB do not fit into one file, and it may add some.
const bigModel = 1 << 30

// fuse has the transformer optimizer rewrite the product. What is written for it, and
// by it, is gone afterwards; weights that it made are held by the model alone.
func (s *Optimize) fuse(ctx context.Context, env session.Env, p *product) (err error) {
	if env.Python == nil {
		return errors.New("--transformers: Python cannot be run here")
	}
	interpreter, err := env.Python()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "lathe-python-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	input, err := inputFor(ctx, env, p.model, temp)
	if err != nil {
		return err
	}
	ask := python.Transformers{
		Input: input, Output: filepath.Join(temp, "fused.onnx"), ModelType: cmp.Or(s.ModelType, defaultModelType),
		Heads: s.Heads, Hidden: s.Hidden, External: p.model.HasExternalData() || graphops.Summarize(p.model).WeightBytes > bigModel,
	}
	said, err := ask.Optimize(ctx, interpreter, temp, func(phase string) { env.Progress(session.Progress{Phase: phase}) })
	var refused python.RefusedError
	switch {
	case errors.As(err, &refused):
		return session.UsageError("--model-type " + refused.Error())
	case err != nil:
		return err
	}
	made, err := graphops.Open(ask.Output, graphops.OpenOptions{Passing: true})
	if err != nil {
		return fmt.Errorf("what the transformer optimizer wrote: %w", err)
	}
	if err := p.take(ctx, made); err != nil {
		return about(p.model, err)
	}
	p.fused = &fusedBy{said.Version, interpreter.Path, ask.ModelType, said.Fused, orEmpty(said.Warnings)}
	return nil
}

// inputFor is a file that holds the model: its own where that is as it was opened, else
// one in a folder.
func inputFor(ctx context.Context, env session.Env, m *graphops.Model, folder string) (string, error) {
	if !m.Edited() && m.Path() != "" && m.Path() != "-" && graphops.InPlace(m) == nil {
		return filepath.Abs(m.Path())
	}
	total, err := graphops.SavedSize(m, graphops.SaveOptions{})
	if err != nil {
		return "", err
	}
	storage := storageFor(m, m)
	storage.Progress = func(n int64) {
		env.Progress(session.Progress{Phase: "writing for Python", Done: n, Total: total, Unit: "B"})
	}
	path := filepath.Join(folder, "model.onnx")
	_, err = graphops.Save(ctx, m, path, storage)
	return path, err
}
