//go:build cgo

package worker

import (
	"errors"
	"fmt"
	"strings"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort/wire"
)

// refusedError is the error if no session could be created with any provider of the chain.
type refusedError struct{ refusals []*wire.Refusal }

func (e *refusedError) Error() string {
	reasons := make([]string, len(e.refusals))
	for i, r := range e.refusals {
		reasons[i] = fmt.Sprintf("%s: %s", r.GetProvider(), r.GetReason())
	}
	return "no execution provider attached: " + strings.Join(reasons, "; ")
}

// cpu is the name of the CPU provider. ONNX Runtime adds it to every session, so it need not be
// attached.
const cpu = "cpu"

// libraryNames are the names of the providers that are attached by name, as ONNX Runtime spells
// them. Provider chains have these names in lower case.
var libraryNames = []string{
	"AZURE", "CoreML", "DML", "JS", "MIGraphX", "NvTensorRtRtx", "OpenVINO",
	"QNN", "SNPE", "VitisAI", "WEBNN", "WebGPU", "XNNPACK",
}

// attach adds one provider to options. A name that is not in libraryNames is passed to the library
// unchanged, since a newer library may know it.
func attach(options *binding.SessionOptions, p *wire.Provider) error {
	for key, value := range p.GetOptions() {
		if strings.ContainsRune(key+value, 0) {
			return fmt.Errorf("option %q holds a NUL character", key)
		}
	}
	switch p.GetName() {
	case cpu:
		return attachCPU(p)
	case "cuda":
		return attachCUDA(options, p)
	case "tensorrt":
		return attachTensorRT(options, p)
	}
	name := p.GetName()
	for _, known := range libraryNames {
		if strings.EqualFold(name, known) {
			name = known
		}
	}
	return options.AppendExecutionProvider(name, p.GetOptions())
}

func attachCPU(p *wire.Provider) error {
	if len(p.GetOptions()) > 0 {
		return errors.New("the CPU provider has no options")
	}
	return nil
}

func attachCUDA(options *binding.SessionOptions, p *wire.Provider) error {
	cuda, err := binding.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	err = cuda.Update(p.GetOptions())
	if err == nil {
		err = options.AppendExecutionProviderCUDA(cuda)
	}
	return errors.Join(err, cuda.Destroy())
}

func attachTensorRT(options *binding.SessionOptions, p *wire.Provider) error {
	tensorRT, err := binding.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	err = tensorRT.Update(p.GetOptions())
	if err == nil {
		err = options.AppendExecutionProviderTensorRT(tensorRT)
	}
	return errors.Join(err, tensorRT.Destroy())
}
