package modes

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/calibration"
	"lathe/graphops/durable"
	"lathe/graphops/nbits"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/runtime"
)

// Compare compares the modes of quantization on one model.
type Compare struct {
	// Quant has the data, how models run, and the options that modes share.
	Quant   quantization.Quantization
	Modes   []string
	Labels  string
	Output  string
	Samples int64
	Seconds float64
	Keep    string
	flags.Keeping
}

// Name implements session.Command.
func (s *Compare) Name() string { return "quantize compare" }

// defaultSeconds is how long each model is measured: as long as in the trial of one quantization.
const defaultSeconds = 3

// Options implements session.Command.
func (s *Compare) Options() []session.Option {
	q := &s.Quant
	settings := session.Measuring(slices.Concat(accuracy.LabelOptions(&s.Labels, &s.Output), []session.Option{
		session.List(&s.Modes, "mode", "compare only `MODE`, one of "+strings.Join(names(), ", ")+"; repeat for several").WithDefault("all").Checked(checkMode).AsUsual(),
		session.Int(&s.Samples, "samples", "in static: calibrate on the first `N` rows or folders of --data", 1).WithDefault("all").AsUsual(),
		session.Choice(&q.Calibration, "calibration", "in static: choose ranges of activations by this `METHOD`", methodsOfRanges()...).WithDefault("minmax").AsRare(),
		session.Choice(&q.BlockSize, "block-size", "in nbits modes: let this `NUMBER` of weights share a scale", blockSizes()...).WithDefault(fmt.Sprint(nbits.DefaultOptions().BlockSize)).AsRare(),
		session.Choice(&q.Method, "method", "in nbits modes: find integers by this `METHOD` of lathe quantize nbits", nbits.Methods()...).WithDefault(nbits.DefaultOptions().Method.String()).AsRare(),
		session.Switch(&q.PerChannel, "per-channel", "in dynamic and static: use a scale per column of a weight instead of one per tensor").AsRare(),
		session.Switch(&q.ReduceRange, "reduce-range", "in dynamic and static: leave one bit of weights unused").WithDefault("a row of its own if sums overflow on this processor").AsRare(),
	})...)
	run := slices.DeleteFunc(q.How.Options(), func(o session.Option) bool {
		return !slices.Contains([]string{"ep", "ep-option", "threads", "custom-ops", "timeout", "memory-limit"}, o.Name)
	})
	feeding := q.Feeding.Options()
	for _, list := range [][]session.Option{run, feeding} {
		for i, o := range list {
			if !slices.Contains([]string{"data", "ep", "threads"}, o.Name) {
				list[i] = o.AsRare()
			}
		}
	}
	all := slices.Concat(settings, []session.Option{
		session.Float(&s.Seconds, "seconds", "measure the latency of each model up to `SECONDS`").WithDefault(fmt.Sprint(defaultSeconds)).AsUsual(),
	}, feeding, run, []session.Option{
		session.Path(&s.Keep, "keep", "write the models into this new `FOLDER`").WithDefault("nothing is written").AsTarget().In(session.GroupResult).AsUsual(),
	}, s.Keeping.Options())
	return session.Foremost(all, "mode", "data", "labels", "samples", "seconds", "ep", "threads", "keep")
}

func blockSizes() (out []string) {
	for _, n := range nbits.BlockSizes() {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

func methodsOfRanges() (out []string) {
	for _, m := range calibration.Methods() {
		out = append(out, string(m))
	}
	return out
}

func checkMode(v string) error {
	if !slices.Contains(names(), v) {
		return fmt.Errorf("%q is not a mode; expected one of %s", v, strings.Join(names(), ", "))
	}
	return nil
}

// Ahead implements session.Running.
func (s *Compare) Ahead() (runtime.Need, runtime.Execution) {
	return runtime.NeedWorker, runtime.Execution{MemoryLimit: s.Quant.How.MemoryLimit}
}

// check returns an error for options that do not fit together, before anything runs.
func (s *Compare) check() error {
	wrong := ""
	switch {
	case s.Keep == "-":
		wrong = "--keep -: models cannot go to standard output, where the table goes; name a new folder"
	case s.Labels != "" && s.Quant.Data == "":
		wrong = "--labels: has an effect only with --data, whose rows they are for"
	case s.Output != "" && s.Quant.Data == "":
		wrong = "--output: has an effect only with --data and labels"
	case s.Samples > 0 && s.Quant.Data == "":
		wrong = "--samples: has an effect only with --data"
	case s.Quant.Method == methodOnData && s.Quant.Data == "":
		wrong = "--method gptq: needs samples on which the model is run: --data FILE"
	}
	if wrong != "" {
		return session.UsageError(wrong)
	}
	if s.Keep != "" {
		return durable.CheckNewFolder(s.Keep)
	}
	return nil
}
