package sensitivity

import (
	"fmt"
	"slices"
	"strings"

	"lathe/session"
	"lathe/session/quantization"
)

// foreign are the options of a mode that this step has itself, or that do not change the numbers.
var foreign = []string{"include", "exclude", "include-ops", "samples", "format", "overrides", "extra", "keep-io", "keep"}

// modeOptions returns the options of all modes, each once. An option that not all modes have says which
// ones do.
func (s *Sensitivity) modeOptions() []session.Option {
	var out []session.Option
	modes := map[string][]string{}
	for _, mode := range quantization.Modes() {
		for _, o := range s.optionsOf(mode) {
			at := slices.IndexFunc(out, func(x session.Option) bool { return x.Name == o.Name })
			switch {
			case slices.Contains(foreign, o.Name):
				continue
			case at < 0:
				out = append(out, standing(o))
			case len(o.Choices) > len(out[at].Choices):
				out[at] = standing(o)
			}
			modes[o.Name] = append(modes[o.Name], mode)
		}
	}
	for i, o := range out {
		if of := modes[o.Name]; len(of) < len(quantization.Modes()) {
			out[i].Usage = "with --mode " + strings.Join(of, " or ") + ": " + o.Usage
		}
	}
	return out
}

// standing shows only the options in help that most people need.
func standing(o session.Option) session.Option {
	if slices.Contains([]string{"bits", "weight-type"}, o.Name) {
		return o.AsUsual()
	}
	return o.AsRare()
}

// optionsOf returns the options of a mode, bound to the fields of this step.
func (s *Sensitivity) optionsOf(mode string) []session.Option {
	chosen := s.Quant.Mode
	s.Quant.Mode = mode
	defer func() { s.Quant.Mode = chosen }()
	return s.Quant.Settings()
}

// checkOptions returns an error for an option that the chosen mode does not have, or whose value it does
// not accept.
func (s *Sensitivity) checkOptions() error {
	own := s.optionsOf(s.mode())
	for _, o := range s.modeOptions() {
		values := o.Values()
		if len(values) == 0 {
			continue
		}
		at := slices.IndexFunc(own, func(x session.Option) bool { return x.Name == o.Name })
		if at < 0 {
			return session.UsageError(fmt.Sprintf("--%s: has no effect with --mode %s", o.LongFlag(), s.mode()))
		}
		if choices := own[at].Choices; len(choices) > 0 && !slices.Contains(choices, values[0]) {
			return session.UsageError(fmt.Sprintf("--%s %s: expected one of %s with --mode %s", o.LongFlag(), values[0], strings.Join(choices, ", "), s.mode()))
		}
	}
	return nil
}
