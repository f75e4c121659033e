package shrink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/session"
	"lathe/session/python"
	"lathe/session/reporting"
	"lathe/session/trial"
)

// fusedBy says what the transformer optimizer changed.
type fusedBy struct {
	Version   string         `json:"version"` // version of the onnxruntime package
	Python    string         `json:"python"`
	ModelType string         `json:"model_type"`
	Fused     map[string]int `json:"fused"` // fused nodes by operator, as it counts them
	Warnings  []string       `json:"warnings"`
}

// defaultModelType is the model type that the onnxruntime.transformers package uses by default.
const defaultModelType = "bert"

// bigModel is the size from which the Python package writes weights as external data. A file cannot
// have more than 2 GiB, and the optimizer may add weights.
const bigModel = 1 << 30

// fuse rewrites the product with the transformer optimizer. It removes the files that were written
// for and by the optimizer. Weights that the optimizer made are kept in memory with the model.
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
	input, err := trial.FileFor(ctx, env, p.model, temp)
	if err != nil {
		return err
	}
	ask := python.Transformers{
		Input: input, Output: filepath.Join(temp, "fused.onnx"), ModelType: cmp.Or(s.ModelType, defaultModelType),
		Heads: s.Heads, Hidden: s.Hidden, External: p.model.HasExternalData() || cost.Summarize(p.model).WeightBytes > bigModel,
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
		return fmt.Errorf("the file that the transformer optimizer wrote: %w", err)
	}
	if err := p.take(ctx, made); err != nil {
		return session.InModel(p.model, err)
	}
	p.fused = &fusedBy{said.Version, interpreter.Path, ask.ModelType, said.Fused, reporting.OrEmpty(said.Warnings)}
	return nil
}
