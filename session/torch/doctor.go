package torch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/session/python"
	"lathe/session/text"
)

// packages are all packages that a use of PyTorch needs, in the order in which they are reported.
var packages = []string{"torch", "onnx", "onnxscript", "onnxruntime", "transformers", "safetensors", "numpy", "pyinstrument"}

// Package is an installed package of a Python.
type Package struct {
	Version string `json:"version"`
	Error   string `json:"error,omitempty"` // why it cannot be imported
}

// Health says which packages a Python has, and what can be done with them.
type Health struct {
	Python   string             `json:"python"` // its version
	Prefix   string             `json:"prefix"`
	Packages map[string]Package `json:"packages"`
	// Arguments are the names of the parameters of torch.onnx.export in the installed PyTorch.
	Arguments []string `json:"arguments"`
	Devices   []string `json:"devices"` // CUDA devices
	Paths     []Path   `json:"paths"`
}

// Path is a use of PyTorch, such as an export by the new exporter, and whether its packages are
// installed.
type Path struct {
	Name   string   `json:"name"`
	Usable bool     `json:"usable"`
	Lacks  []string `json:"lacks"` // packages that are missing or broken
	// Remedy is a command that installs them, or "" if there is nothing to install.
	Remedy string `json:"remedy,omitempty"`
	Note   string `json:"note,omitempty"`
}

// paths are the uses of PyTorch that lathe torch doctor reports, with the packages that each needs.
var paths = []struct {
	name  string
	wants []string
	note  func(Health) string
}{
	{"export by the new exporter (non-strict, strict)", []string{"torch", "onnx", "onnxscript"}, lacksDynamo},
	{"export by the old exporter (legacy)", []string{"torch"}, nil},
	{"compare with PyTorch", []string{"torch"}, nil},
	{"tasks of transformers", []string{"torch", "transformers"}, nil},
	{"PyTorch's own check (--verify)", []string{"torch", "onnx", "onnxscript", "onnxruntime"}, lacksDynamo},
	{"PyTorch's own profile (--profile)", []string{"torch", "onnx", "onnxscript", "pyinstrument"}, lacksDynamo},
}

func lacksDynamo(h Health) string {
	if len(h.Arguments) > 0 && !slices.Contains(h.Arguments, "dynamo") {
		return fmt.Sprintf("torch %s is older than 2.5, which has it", text.Clean(h.Packages["torch"].Version))
	}
	return ""
}

// Examine finds out what a Python has by importing it. folder is the user's.
func Examine(ctx context.Context, i python.Interpreter, folder, temp string, phase func(string)) (Health, error) {
	var h Health
	err := i.Run(ctx, python.Script{
		Source: script("failure", "apart", "doctor"), Needed: "the check of PyTorch", Ask: map[string]any{"packages": packages}, TempDir: temp, Folder: folder, Phase: phase,
	}, &h)
	if err != nil {
		return h, err
	}
	for _, p := range paths {
		path := Path{Name: p.name, Lacks: []string{}}
		for _, name := range p.wants {
			if found, ok := h.Packages[name]; !ok || found.Error != "" {
				path.Lacks = append(path.Lacks, name)
			}
		}
		if p.note != nil {
			path.Note = p.note(h)
		}
		if path.Note == "" && len(path.Lacks) > 0 { // installing packages does not help an old PyTorch
			path.Remedy = fmt.Sprintf("%s -m pip install %s", i.Path, strings.Join(path.Lacks, " "))
		}
		path.Usable = len(path.Lacks) == 0 && path.Note == ""
		h.Paths = append(h.Paths, path)
	}
	return h, nil
}
