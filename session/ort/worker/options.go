//go:build cgo

package worker

import (
	"fmt"
	"math"
	"os"
	"strings"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort/wire"
)

// folderKey is the session config entry for the folder with the external data of a model in memory.
const folderKey = "session.model_external_initializers_file_folder_path"

// levels maps the optimization levels of the protocol to ONNX Runtime's GraphOptimizationLevel. The
// binding has no name for level 3, which is ORT_ENABLE_LAYOUT.
var levels = map[wire.Optimization]binding.GraphOptimizationLevel{
	wire.OptimizeDisable:  binding.GraphOptimizationLevelDisableAll,
	wire.OptimizeBasic:    binding.GraphOptimizationLevelEnableBasic,
	wire.OptimizeExtended: binding.GraphOptimizationLevelEnableExtended,
	wire.OptimizeLayout:   3,
	wire.OptimizeAll:      binding.GraphOptimizationLevelEnableAll,
}

// sessionOptions are the runtime's session options together with the files that they refer to.
type sessionOptions struct {
	*binding.SessionOptions
	kept    *storage
	profile string // folder for a profile; empty if there is none or a session owns it
	dump    dump   // zero if there is none or a session owns it
}

// Destroy releases the options, and deletes the files unless a session has taken them over.
func (o *sessionOptions) Destroy() {
	_ = o.SessionOptions.Destroy() // its only error is that there is nothing to destroy
	if o.profile != "" {
		_ = os.RemoveAll(o.profile)
	}
	o.dump.remove()
}

// plainOptions returns the runtime's default options. The caller has to call Destroy.
func plainOptions() (*sessionOptions, error) {
	options, err := binding.NewSessionOptions()
	return &sessionOptions{SessionOptions: options}, err
}

// newOptions returns the session options that load requests, without a provider. The caller has to
// call Destroy.
func newOptions(load *wire.Load, logID string, kept *storage) (*sessionOptions, error) {
	options, err := plainOptions()
	if err != nil {
		return nil, err
	}
	options.kept = kept
	if err := options.configure(load, logID); err != nil {
		options.Destroy()
		return nil, fmt.Errorf("session options: %w", err)
	}
	return options, nil
}

func (o *sessionOptions) configure(load *wire.Load, logID string) error {
	wanted := &load.Options
	if err := setLevel(o.SessionOptions, wanted.Optimization); err != nil {
		return err
	}
	if err := setThreads(o.SetIntraOpNumThreads, wanted.IntraThreads); err != nil {
		return err
	}
	if err := setThreads(o.SetInterOpNumThreads, wanted.InterThreads); err != nil {
		return err
	}
	if wanted.Parallel {
		if err := o.SetExecutionMode(binding.ExecutionModeParallel); err != nil {
			return err
		}
	}
	if err := o.setSwitches(wanted, logID); err != nil {
		return err
	}
	return o.setEntries(load)
}

// setEntries sets the options that can be given several times: config entries, sizes of free
// dimensions, and libraries with custom operators.
func (o *sessionOptions) setEntries(load *wire.Load) error {
	wanted := &load.Options
	if folder := load.ExternalFolder; folder != "" {
		if err := setConfig(o.SessionOptions, folderKey, folder); err != nil {
			return err
		}
	}
	for key, value := range wanted.Config {
		if err := setConfig(o.SessionOptions, key, value); err != nil {
			return err
		}
	}
	for symbol, size := range wanted.FreeDims {
		if err := o.setFreeDim(symbol, size); err != nil {
			return fmt.Errorf("dimension %q: %w", symbol, err)
		}
	}
	for _, path := range wanted.CustomOps {
		if err := o.addCustomOps(path); err != nil {
			return fmt.Errorf("custom operators of %q: %w", path, err)
		}
	}
	return nil
}

func setLevel(options *binding.SessionOptions, o wire.Optimization) error {
	if o == wire.OptimizeDefault {
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
		return fmt.Errorf("%d threads: expected 0 (one per core) or more", n)
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
