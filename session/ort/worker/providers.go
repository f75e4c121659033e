//go:build cgo

package worker

import (
	"fmt"
	"strings"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort/wire"
)

// refusedError tells that no provider of a chain attached.
type refusedError struct{ refusals []*wire.Refusal }

func (e *refusedError) Error() string {
	reasons := make([]string, len(e.refusals))
	for i, r := range e.refusals {
		reasons[i] = fmt.Sprintf("%s: %s", r.GetProvider(), r.GetReason())
	}
	return "no execution provider attached: " + strings.Join(reasons, "; ")
}

// attach adds one provider to options. The CPU provider is part of every
// session and needs no adding; a provider without a case of its own goes by the
// name that the library has for it.
func attach(options *binding.SessionOptions, p *wire.Provider) error {
	for key, value := range p.GetOptions() {
		if strings.ContainsRune(key+value, 0) {
			return fmt.Errorf("option %q holds a NUL character", key)
		}
	}
	switch p.GetName() {
	case "cpu":
		return attachCPU(p)
	case "cuda":
		return attachCUDA(options, p)
	case "tensorrt":
		return attachTensorRT(options, p)
	}
	return options.AppendExecutionProvider(p.GetName(), p.GetOptions())
}

func attachCPU(p *wire.Provider) error {
	if len(p.GetOptions()) > 0 {
		return fmt.Errorf("the CPU provider has no options")
	}
	return nil
}

func attachCUDA(options *binding.SessionOptions, p *wire.Provider) error {
	cuda, err := binding.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer cuda.Destroy()
	if err := cuda.Update(p.GetOptions()); err != nil {
		return err
	}
	return options.AppendExecutionProviderCUDA(cuda)
}

func attachTensorRT(options *binding.SessionOptions, p *wire.Provider) error {
	tensorRT, err := binding.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	defer tensorRT.Destroy()
	if err := tensorRT.Update(p.GetOptions()); err != nil {
		return err
	}
	return options.AppendExecutionProviderTensorRT(tensorRT)
}
