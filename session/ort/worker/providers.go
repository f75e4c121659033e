//go:build cgo

package worker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// refusedError is the error if no session could be created with any provider of the chain.
type refusedError struct{ refusals []wire.Refusal }

func (e *refusedError) Error() string {
	reasons := make([]string, len(e.refusals))
	for i, r := range e.refusals {
		reasons[i] = fmt.Sprintf("%s: %s", r.Provider, r.Reason)
	}
	return "no execution provider attached: " + strings.Join(reasons, "; ")
}

// attachers have a function for each provider that ONNX Runtime does not attach by name.
var attachers = map[string]func(*binding.SessionOptions, wire.Provider) error{
	ep.CPU: attachCPU, ep.CUDA: attachCUDA, "tensorrt": attachTensorRT,
}

// attach adds one provider to options. A name that is not in the table of providers is passed to the
// library unchanged, since a newer library may know it.
func attach(options *binding.SessionOptions, p wire.Provider) error {
	if attacher, ok := attachers[p.Name]; ok {
		return attacher(options, p)
	}
	row, _ := ep.Find(p.Name)
	return options.AppendExecutionProvider(cmp.Or(row.Attached, p.Name), p.Options)
}

// withNumber returns a provider whose requested device is its option for the number of the device.
// Providers inside of ONNX Runtime number their devices and do not describe them.
func withNumber(p wire.Provider) (wire.Provider, error) {
	if p.Device == "" {
		return p, nil
	}
	if _, err := strconv.ParseUint(p.Device, 10, 16); err != nil {
		return p, fmt.Errorf("device %q: this provider is part of ONNX Runtime and has only numbers for its devices, such as 0", p.Device)
	}
	options := map[string]string{}
	maps.Copy(options, p.Options)
	if set := options[deviceOption]; set != "" && set != p.Device {
		return p, fmt.Errorf("device %s is requested, and option %s=%s", p.Device, deviceOption, set)
	}
	options[deviceOption] = p.Device
	p.Options = options
	return p, nil
}

// deviceOption is the option of providers inside of ONNX Runtime for the number of the device.
const deviceOption = "device_id"

// attachCPU adds nothing, because ONNX Runtime adds the CPU to every session.
func attachCPU(_ *binding.SessionOptions, p wire.Provider) error {
	if len(p.Options) > 0 {
		return errors.New("the CPU provider has no options")
	}
	return nil
}

func attachCUDA(options *binding.SessionOptions, p wire.Provider) error {
	cuda, err := binding.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	err = cuda.Update(p.Options)
	if err == nil {
		err = options.AppendExecutionProviderCUDA(cuda)
	}
	return errors.Join(err, cuda.Destroy())
}

func attachTensorRT(options *binding.SessionOptions, p wire.Provider) error {
	tensorRT, err := binding.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	err = tensorRT.Update(p.Options)
	if err == nil {
		err = options.AppendExecutionProviderTensorRT(tensorRT)
	}
	return errors.Join(err, tensorRT.Destroy())
}
