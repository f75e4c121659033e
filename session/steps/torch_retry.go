package steps

import (
	"slices"
	"strings"

	"lathe/session"
	"lathe/session/torch/failure"
)

var _ session.Suggesting = (*TorchReport)(nil)

// Retry implements session.Suggesting: the first suggestion that options carry out, and that has
// not been tried.
func (r *TorchReport) Retry() []session.Setting {
	for _, a := range r.Attempts {
		if a.failed == nil {
			continue
		}
		for _, next := range a.failed.Failure.Next {
			if next.Kind == "flags" && len(next.Flags) > 0 && len(next.Flags)%2 == 0 && !r.hasTried(next) {
				return settingsFrom(next.Flags)
			}
		}
	}
	return nil
}

// hasTried tells of a suggestion that names strategies whether each was tried.
func (r *TorchReport) hasTried(next failure.Suggestion) bool {
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

// settingsFrom reads flags, each with its value.
func settingsFrom(flags []string) []session.Setting {
	var out []session.Setting
	for pair := range slices.Chunk(flags, 2) {
		out = append(out, session.Setting{Name: strings.TrimPrefix(pair[0], "--"), Values: []string{pair[1]}})
	}
	return out
}

// Wrong implements session.Suggesting.
func (r *TorchReport) Wrong() (text, remedy string) {
	if r.OK {
		return "", ""
	}
	for _, a := range r.Attempts {
		if a.failed != nil {
			return a.failed.Error, a.failed.Suggestion
		}
	}
	return r.headline(), ""
}
