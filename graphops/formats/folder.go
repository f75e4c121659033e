package formats

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// folders are the kinds of folder that users try to open as a model. A file in the folder
// identifies the kind.
var folders = []struct {
	file string
	what string
}{
	{"saved_model.pb", "a TensorFlow SavedModel; convert it to ONNX first, with tf2onnx"},
	{"paramtrain_tensors.pbseq", "a training checkpoint of ONNX Runtime 1.15 or older, which newer ones do not read either"},
	{"Manifest.json", "a Core ML package; open the ONNX model that it was made from"},
	{"pytorch_model.bin", "a PyTorch model of Hugging Face; export the model to ONNX first"},
	{"model.safetensors", "a model of Hugging Face; export the model to ONNX first"},
}

const (
	// maxFolderNames is the maximum number of files in a folder that are considered.
	maxFolderNames = 1000
	// fewModels is the maximum number of models in a folder that the error lists.
	fewModels = 3
)

// DescribeFolder says what a folder is that a user tried to open as a model, and what to do. It
// returns an empty string if nothing is known about it.
func DescribeFolder(f *os.File) string {
	names, err := f.Readdirnames(maxFolderNames)
	if err != nil {
		return "" // an empty or unreadable folder
	}
	slices.Sort(names)
	var models []string
	for _, name := range names {
		if strings.HasSuffix(name, ".onnx") {
			models = append(models, name)
		}
	}
	if len(models) > fewModels {
		models = append(models[:fewModels], "…")
	}
	if len(models) > 0 {
		return fmt.Sprintf("a directory that contains %s; give the path of the model file", strings.Join(models, ", "))
	}
	for _, kind := range folders {
		if slices.Contains(names, kind.file) {
			return kind.what
		}
	}
	return ""
}
