package mixed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lathe/graphops/nbits"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/runtime"
	"lathe/session/search"
)

// Auto chooses a type for each node.
type Auto struct {
	// Quant has the data, how models run, and the options that the modes share.
	Quant    quantization.Quantization
	Targets  []string
	Minimize string
	Types    []string
	Choose   []string
	Samples  int64
	Labels   string
	Output   string
	Point    int64
	Timeout  time.Duration
	NoStore  bool
	flags.Saving
}

// Name implements session.Command.
func (s *Auto) Name() string { return "quantize auto" }

// size is what is minimized.
const size = "size"

// Options implements session.Command.
func (s *Auto) Options() []session.Option {
	q := &s.Quant
	settings := session.Measuring(slices.Concat(accuracy.LabelOptions(&s.Labels, &s.Output), []session.Option{
		session.Int(&s.Samples, "samples", "use only the first `N` rows or folders of --data", 1).WithDefault("all").AsUsual(),
		session.Choice(&q.BlockSize, "block-size", "in nbits types: let this `NUMBER` of weights share a scale", blockSizes()...).WithDefault(fmt.Sprint(nbits.DefaultOptions().BlockSize)).AsRare(),
		session.Choice(&q.Method, "method", "in nbits types: find integers by this `METHOD` of lathe quantize nbits", nbits.Methods()...).WithDefault(nbits.DefaultOptions().Method.String()).AsRare(),
		session.Switch(&q.PerChannel, "per-channel", "in dynamic and static: use a scale per column of a weight instead of one per tensor").AsRare(),
		session.Switch(&q.ReduceRange, "reduce-range", "in dynamic and static: leave one bit of weights unused, to prevent saturation on CPUs without VNNI").AsRare(),
	})...)
	run := slices.DeleteFunc(q.How.Options(), func(o session.Option) bool {
		return !slices.Contains([]string{"ep", "ep-option", "threads", "custom-ops", "memory-limit"}, o.Name)
	})
	feeding := q.Feeding.Options()
	for _, list := range [][]session.Option{run, feeding} {
		for i, o := range list {
			if o.Name != "data" {
				list[i] = o.AsRare()
			}
		}
	}
	all := slices.Concat([]session.Option{
		session.List(&s.Targets, "target", "keep this limit: `TARGET` is one of "+search.Examples+"; repeat for several").Checked(checkTarget).AsUsual(),
		session.Choice(&s.Minimize, "minimize", "make `WHAT` as small as the targets allow", size).WithDefault(size).AsUsual(),
		session.List(&s.Types, "types", "choose only among float32 and `TYPE`, one of "+strings.Join(typeNames(), ", ")+"; repeat for several").WithDefault("all; static only with --data or --ranges").Checked(checkType).AsUsual(),
		session.List(&s.Choose, "choose", "do not search, but give these nodes these types: `NODE=TYPE`; repeat for several").Naming(session.NamesNode, "=").Checked(checkChoice).AsUsual(),
		session.List(&q.OpTypes, "include-ops", "quantize only operator `OP`; repeat for several").WithDefault("all").Naming(session.NamesOp, "").AsRare(),
		session.List(&q.Include, "include", "quantize only node `NODE`; repeat for several").WithDefault("all").Naming(session.NamesNode, "").AsUsual(),
		session.List(&q.Exclude, "exclude", "do not quantize node `NODE`; repeat for several").Naming(session.NamesNode, "").AsUsual(),
		session.Path(&q.Ranges, "ranges", "in static: read the ranges of activations from `FILE`").OfFiles(".json", ".flatbuffers").WithDefault("found on --data").Measured().AsRare(),
		session.Duration(&s.Timeout, "timeout", "stop searching after this `TIME`, such as 5m, and use what was found; the next run continues").WithDefault("no limit").In(session.GroupRuntime).AsUsual(),
	}, settings, feeding, run, []session.Option{
		session.Switch(&s.NoStore, "no-store", "keep no journal, so that the next run starts again").In(session.GroupResult).AsRare(),
		session.Int(&s.Point, "point", "with --out: write point `N` of the front", 1).WithDefault("the smallest that meets the targets").In(session.GroupResult).AsUsual(),
		session.Path(&s.Out, "out", "write the model to `FILE`").WithDefault("nothing is written").WithShort("o").AsTarget().OfFiles(session.ModelFiles...).In(session.GroupResult).AsUsual(),
		session.Switch(&s.Force, "force", "replace FILE if it exists").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	})
	return session.Foremost(all, "target", "minimize", "types", "data", "labels", "samples", "choose", "include", "exclude", "include-ops", "timeout")
}

func blockSizes() (out []string) {
	for _, n := range nbits.BlockSizes() {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

func checkTarget(v string) error {
	_, err := search.ParseTarget(v)
	return err
}

func checkType(v string) error {
	if _, ok := typeNamed(v); !ok {
		return fmt.Errorf("%q is not a type; expected one of %s", v, strings.Join(typeNames(), ", "))
	}
	return nil
}

func checkChoice(v string) error {
	at := strings.LastIndexByte(v, '=')
	if at <= 0 {
		return fmt.Errorf("%q: expected NODE=TYPE", v)
	}
	return checkType(v[at+1:])
}

// Ahead implements session.Running.
func (s *Auto) Ahead() (runtime.Need, runtime.Execution) {
	return runtime.NeedWorker, runtime.Execution{MemoryLimit: s.Quant.How.MemoryLimit}
}

// check returns the targets, or an error for options that do not fit together.
func (s *Auto) check() ([]search.Target, error) {
	wrong := ""
	switch {
	case s.Out == "-":
		wrong = "--out -: the model cannot go to standard output, where the report goes; name a file"
	case s.Point > 0 && s.Out == "":
		wrong = "--point: has an effect only with --out FILE"
	case s.Point > 0 && len(s.Choose) > 0:
		wrong = "--choose makes one model, and --point is one of several; give one of them"
	case len(s.Targets) == 0 && len(s.Choose) == 0:
		wrong = "--target: is required, such as --target 'snr>=30dB'"
	case s.Samples > 0 && s.Quant.Data == "":
		wrong = "--samples: has an effect only with --data"
	case (s.Labels != "" || s.Output != "") && s.Quant.Data == "":
		wrong = "--labels and --output: have an effect only with --data, whose rows they are for"
	case slices.Contains(s.Types, static) && s.Quant.Data == "" && s.Quant.Ranges == "":
		wrong = "--types static: needs samples to find the ranges of activations: --data FILE, or --ranges FILE that has them"
	case s.Quant.Method == "gptq" && s.Quant.Data == "":
		wrong = "--method gptq: needs samples on which the model is run: --data FILE"
	}
	if wrong != "" {
		return nil, session.UsageError(wrong)
	}
	if len(s.Targets) == 0 {
		return nil, nil
	}
	targets, err := search.ParseTargets(s.Targets)
	if err != nil {
		return nil, session.UsageError("--target: " + err.Error())
	}
	if at := slices.IndexFunc(targets, isLoss); at >= 0 && s.Quant.Data == "" {
		return nil, session.UsageError(fmt.Sprintf("--target %s: needs rows whose classes are known: --data FILE, and --labels FILE if it has no labels", targets[at]))
	}
	return targets, nil
}

func (s *Auto) minimize() string { return cmp.Or(s.Minimize, size) }
