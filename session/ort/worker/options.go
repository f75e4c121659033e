//go:build cgo

package worker

import (
	"fmt"
	"math"
	"strings"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort/wire"
)

// folderKey is the session's config entry for where a model in memory has its
// external data.
const folderKey = "session.model_external_initializers_file_folder_path"

// levels are ONNX Runtime's GraphOptimizationLevel values; the binding has no
// name for the third.
var levels = map[wire.Optimization]binding.GraphOptimizationLevel{
	wire.Optimization_OPTIMIZATION_DISABLE:  binding.GraphOptimizationLevelDisableAll,
	wire.Optimization_OPTIMIZATION_BASIC:    binding.GraphOptimizationLevelEnableBasic,
	wire.Optimization_OPTIMIZATION_EXTENDED: binding.GraphOptimizationLevelEnableExtended,
	wire.Optimization_OPTIMIZATION_LAYOUT:   3,
	wire.Optimization_OPTIMIZATION_ALL:      binding.GraphOptimizationLevelEnableAll,
}

// newOptions makes session options without a provider. The caller destroys
// them.
func newOptions(load *wire.Load) (*binding.SessionOptions, error) {
	options, err := binding.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	if err := configure(options, load); err != nil {
		_ = options.Destroy() // its only error is that there is nothing to destroy
		return nil, fmt.Errorf("session options: %w", err)
	}
	return options, nil
}

func configure(options *binding.SessionOptions, load *wire.Load) error {
	wanted := load.GetOptions()
	if err := setLevel(options, wanted.GetOptimization()); err != nil {
		return err
	}
	if err := setThreads(options.SetIntraOpNumThreads, wanted.GetIntraThreads()); err != nil {
		return err
	}
	if err := setThreads(options.SetInterOpNumThreads, wanted.GetInterThreads()); err != nil {
		return err
	}
	if wanted.GetParallel() {
		if err := options.SetExecutionMode(binding.ExecutionModeParallel); err != nil {
			return err
		}
	}
	if folder := load.GetExternalFolder(); folder != "" {
		if err := setConfig(options, folderKey, folder); err != nil {
			return err
		}
	}
	for key, value := range wanted.GetConfig() {
		if err := setConfig(options, key, value); err != nil {
			return err
		}
	}
	return nil
}

func setLevel(options *binding.SessionOptions, o wire.Optimization) error {
	if o == wire.Optimization_OPTIMIZATION_DEFAULT {
		return nil
	}
	level, ok := levels[o]
	if !ok {
		return fmt.Errorf("optimization level %d is not known", o)
	}
	return options.SetGraphOptimizationLevel(level)
}

func setThreads(set func(int) error, n int64) error {
	if n < 0 || n > math.MaxInt32 { // the runtime takes a C int
		return fmt.Errorf("%d threads: want 0 for one per core, or more", n)
	}
	return set(int(n))
}

func setConfig(options *binding.SessionOptions, key, value string) error {
	if strings.ContainsRune(key+value, 0) {
		return fmt.Errorf("config entry %q holds a NUL character", key)
	}
	if err := options.AddSessionConfigEntry(key, value); err != nil {
		return fmt.Errorf("config entry %q: %w", key, err)
	}
	return nil
}
