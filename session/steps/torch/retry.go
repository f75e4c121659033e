package torch

import (
	"slices"
	"strings"

	"lathe/graphops/pattern"
	"lathe/session"
	"lathe/session/torch/failure"
)

var _ session.Suggesting = (*torchReport)(nil)

// Retry implements session.Suggesting. It returns the first suggestion that consists of options and
// has not been tried.
func (r *torchReport) Retry() []session.Setting {
	for _, a := range r.Attempts {
		if a.Failure == nil {
			continue
		}
		for _, next := range a.Failure.Next {
			if next.Kind == "flags" && len(next.Flags) > 0 && !r.hasTried(next) {
				return settingsFrom(next.Flags)
			}
		}
	}
	return nil
}

// hasTried reports whether all strategies that a suggestion names have been tried.
func (r *torchReport) hasTried(next failure.Suggestion) bool {
	at := slices.Index(next.Flags, "--strategy")
	if at < 0 {
		return false
	}
	for name := range strings.SplitSeq(next.Flags[at+1], ",") {
		if !slices.ContainsFunc(r.Attempts, func(a *attempt) bool { return a.Strategy == name }) {
			return false
		}
	}
	return true
}

var namedOption = pattern.New(`--([a-z][a-z-]*)`)

// takes reports whether a step has all options that a suggestion names. A suggestion to install a
// package is a command of its own.
func takes(step session.Step, s failure.Suggestion) bool {
	if s.Kind == "install" {
		return true
	}
	for _, m := range namedOption.FindAllStringSubmatch(s.String(), -1) {
		common := m[1] == "python" // all commands have it
		if !common && !slices.ContainsFunc(step.Options(), func(o session.Option) bool { return o.LongFlag() == m[1] }) {
			return false
		}
	}
	return true
}

// settingsFrom reads flags with their values, and switches. Repeated flags become one setting.
func settingsFrom(flags []string) []session.Setting {
	var out []session.Setting
	for i := 0; i < len(flags); i++ {
		name, value := strings.TrimPrefix(flags[i], "--"), "true"
		if i+1 < len(flags) && !strings.HasPrefix(flags[i+1], "--") {
			i++
			value = flags[i]
		}
		if n := len(out); n > 0 && out[n-1].Name == name {
			out[n-1].Values = append(out[n-1].Values, value)
			continue
		}
		out = append(out, session.Setting{Name: name, Values: []string{value}})
	}
	return out
}

// Wrong implements session.Suggesting.
func (r *torchReport) Wrong() (text, remedy string) {
	if r.OK {
		return "", ""
	}
	if r.taken != nil {
		return r.headline(), ""
	}
	for _, a := range r.Attempts {
		if a.Failure != nil {
			return a.Error, a.Suggestion
		}
	}
	return r.headline(), ""
}
