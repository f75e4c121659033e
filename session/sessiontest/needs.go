package sessiontest

import (
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// sizes are sizes of symbols that models of the test corpora need, by folder and file.
var sizes = map[string]map[string]int64{"training_api/eval_model.onnx": {"input-0_dim1": 784}}

// scalars are values that inputs of models of the test corpora need, by the name of the input.
var scalars = map[string]float64{
	"max_length": 8, "min_length": 1, "num_beams": 2, "num_return_sequences": 1, "length_penalty": 1, "repetition_penalty": 1,
}

// Sizes returns the sizes that symbols of a model of the corpora must have. The other symbols may
// have any size.
func Sizes(path string) map[string]int64 {
	folder, file := filepath.Split(path)
	return sizes[filepath.Base(folder)+"/"+file]
}

// SetScalars sets inputs such as max_length to values that the models of the corpora accept.
func SetScalars(feeds graphops.Feeds) error {
	for name, v := range feeds {
		n, ok := scalars[name]
		if !ok {
			continue
		}
		if err := tensor.EncodeFloat64(v.Tensor.Data, v.Tensor.DType, []float64{n}); err != nil {
			return err
		}
	}
	return nil
}
