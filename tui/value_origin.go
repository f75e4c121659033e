package tui

import (
	"fmt"

	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/text"
	"lathe/tui/cells"
)

// factWidth is the width of a name, including the gap after it.
const factWidth = 13

// fact is a line of a name and a text, safe to print.
type fact struct{ name, what string }

// maxFed is the maximum number of inputs, notes or warnings of a run that are listed.
const maxFed = 30

// ranOn returns lines about a run: what its inputs were, on which execution provider it ran, and
// what was refused or noted.
func ranOn(p *session.Probe) []fact {
	out := []fact{{"made from", cells.Prose(p.Case)}}
	out = append(out, some(p.Fed, func(f inputs.Fed) fact { return fact{"input", fedText(f)} })...)
	out = append(out, some(p.Notes, func(s string) fact { return fact{"note", cells.Prose(s)} })...)
	if !p.IsHeld() {
		return out
	}
	out = append(out, fact{"provider", cells.Prose(p.Facts.Provider + ", ONNX Runtime " + p.Facts.LibraryVersion)})
	if p.On != "" {
		out = append(out, fact{"behind", cells.Prose(p.On)})
	}
	for _, r := range p.Facts.Refused {
		out = append(out, fact{"refused", cells.Prose(r.Provider + ": " + r.Reason)})
	}
	level := cells.Prose(p.Opt)
	if p.IsProbing {
		level += ": fused nodes hide the values inside"
	}
	out = append(out, fact{"optimized", level}, fact{"loaded in", text.Elapsed(p.Facts.LoadTime)})
	return append(out, some(p.Facts.Warnings, func(s string) fact { return fact{"warning", cells.Prose(s)} })...)
}

// fedText describes an input of a run: its type, where its data came from, and why that was chosen.
func fedText(f inputs.Fed) string {
	s := f.Name + "  " + f.Type
	if f.Shape != nil {
		s += " " + f.Shape.String()
	}
	s += ": "
	if f.Source != "" {
		s += f.Source + " "
	}
	s += f.What
	if f.Why != "" {
		s += "; " + f.Why
	}
	return cells.Prose(s)
}

func some[T any](list []T, tell func(T) fact) []fact {
	var out []fact
	for i, x := range list {
		if i == maxFed {
			return append(out, fact{"", fmt.Sprintf("and %s more", text.Count(int64(len(list)-i)))})
		}
		out = append(out, tell(x))
	}
	return out
}
