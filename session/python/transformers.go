package python

import (
	"context"
	_ "embed"
)

//go:embed transformers.py
var transformersScript string

// Transformers are the arguments for the transformer optimizer of the onnxruntime package.
type Transformers struct {
	Input     string `json:"input"` // path of the model file to read
	Output    string `json:"output"`
	ModelType string `json:"model_type"` // the package's name for it, such as "bert" or "gpt2"
	Heads     int64  `json:"num_heads"`  // attention heads; 0 means that the optimizer detects the number
	Hidden    int64  `json:"hidden_size"`
	External  bool   `json:"external"` // write weights as external data, which models above 2 GiB need
}

// Fused is the report of the transformer optimizer.
type Fused struct {
	Version  string         `json:"version"` // version of the onnxruntime package
	Fused    map[string]int `json:"fused"`   // number of fused nodes by operator
	Warnings []string       `json:"warnings"`
}

// Optimize runs the transformer optimizer. The folder temp is for temporary files; the caller
// removes it. If the package does not know the model type, the error is a RefusedError.
func (t Transformers) Optimize(ctx context.Context, i Interpreter, temp string, phase func(string)) (Fused, error) {
	var out Fused
	err := i.Run(ctx, Script{
		Source: transformersScript, Needed: "the transformer optimizer", Ask: t, TempDir: temp, Phase: phase,
	}, &out)
	return out, err
}
