package python

import (
	"context"
	_ "embed"
)

//go:embed transformers.py
var transformersScript string

// Transformers is what the transformer optimizer of the onnxruntime package is asked
// to do.
type Transformers struct {
	Input     string `json:"input"` // a model file
	Output    string `json:"output"`
	ModelType string `json:"model_type"` // as the package names them: "bert", "gpt2"
	Heads     int64  `json:"num_heads"`  // of an attention; 0 lets it find out
	Hidden    int64  `json:"hidden_size"`
	External  bool   `json:"external"` // write weights beside the model, as those beyond 2 GiB need
}

// Fused is what the transformer optimizer says of its result.
type Fused struct {
	Version  string         `json:"version"` // of the package
	Fused    map[string]int `json:"fused"`   // by operator
	Warnings []string       `json:"warnings"`
}

// Optimize runs the transformer optimizer. What it and its packages write meanwhile
// goes to the folder temp, which is the caller's to remove. A model type that the
// package does not know is a RefusedError.
func (t Transformers) Optimize(ctx context.Context, i Interpreter, temp string, phase func(string)) (Fused, error) {
	var out Fused
	err := i.Run(ctx, Script{
		Source: transformersScript, Needed: "the transformer optimizer", Ask: t, TempDir: temp, Phase: phase,
	}, &out)
	return out, err
}
