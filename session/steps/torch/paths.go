package torch

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/torch"
)

// fixedPath is a place in the code of a PyTorch model at which an exporter recorded only the path that
// the example takes, although another one is possible. At and Code are empty if the branch is inside
// PyTorch itself, such as in attention with a mask that hides a whole row.
type fixedPath struct {
	At   string `json:"at,omitempty"` // FILE:LINE
	Code string `json:"code,omitempty"`
	Why  string `json:"why"`
	// Wrong reports that the model was run on another path and differs from PyTorch there.
	Wrong bool `json:"wrong"`
}

// hiddenRows is the path of attention with a mask that hides a whole row.
var hiddenRows = fixedPath{Why: "for such a row the model differs from PyTorch", Wrong: true}

func (f fixedPath) String() string {
	if f == hiddenRows {
		return f.Why
	}
	return fmt.Sprintf("%s:%s (%s): %s", text.Clean(filepath.Base(fileOf(f.At))), f.At[strings.LastIndexByte(f.At, ':')+1:], text.CleanLine(f.Code), f.Why)
}

func fileOf(at string) string { return at[:strings.LastIndexByte(at, ':')] }

// conditional is a model that is right for the path of the example. It is used if no better one is
// found.
type conditional struct {
	model   *graphops.Model
	weights []string
	attempt *attempt
}

// flipTime is how long to search for inputs with which the code takes another path.
const flipTime = 3 * time.Second

// onlyElsewhere reports whether a comparison fails only in cases that take another path than the
// example, while among the passing cases every dynamic axis has another size than in the example.
func (j *torchJob) onlyElsewhere(b *torch.Bridge, r *sides.Report) bool {
	failing := failingCases(r)
	if failing[""] || j.unfree(b.Description, j.axes(b.Description), passing(r, failing)) != "" {
		return false
	}
	for _, c := range r.Cases {
		if failing[c.Name] && len(j.elsewhere(b, c)) == 0 {
			return false
		}
	}
	return r.Verdict == compare.Fail
}

// elsewhere returns the lines of code at which a case takes another path than the example. There
// are two kinds: conditions that tracing turned into constants and that have another value in this
// case, and conditions on sizes that torch.export assumed and that do not hold in this case.
func (j *torchJob) elsewhere(b *torch.Bridge, c compare.CaseResult) []fixedPath {
	if inputs.Family(c.Family) == inputs.Hidden {
		return []fixedPath{hiddenRows}
	}
	var out []fixedPath
	for _, w := range j.traced {
		if strings.Contains(w.Message, toBoolean) && !w.Ends && readsOther(b.ReadsIn(sides.ExampleCase), b.ReadsIn(c.Name), w.At()) {
			out = append(out, fixedPath{w.At(), w.Code, "with values that take another path the model differs from PyTorch", true})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, asked := range j.brokenBy(b.Description, c) {
		out = append(out, fixedPath{asked.At(), asked.Code, "with " + j.sizesIn(b.Description, c, asked) + " the model differs from PyTorch", true})
	}
	return out
}

// readsOther reports whether a line of code reads other values from tensors in a case than in the
// example. It is false if nothing was recorded for the case.
func readsOther(example, in []torch.Read, at string) bool {
	of := func(reads []torch.Read) []string {
		for _, r := range reads {
			if r.At() == at {
				return r.Values
			}
		}
		return nil
	}
	return in != nil && !slices.Equal(of(example), of(in))
}

// failingCases returns the names of the cases that fail. "" is among them if something else than a
// case fails.
func failingCases(r *sides.Report) map[string]bool {
	failing := map[string]bool{}
	for _, c := range r.Cases {
		failing[c.Name] = failing[c.Name] || c.Verdict == compare.Fail
	}
	for _, f := range r.Findings {
		failing[f.Case] = failing[f.Case] || f.Decisive
	}
	return failing
}

// passing returns the comparison without the cases that fail.
func passing(r *sides.Report, failing map[string]bool) *sides.Report {
	of := *r
	of.Cases = slices.Clone(r.Cases)
	for i, c := range of.Cases {
		if failing[c.Name] {
			of.Cases[i].Outputs = nil
		}
	}
	return &of
}

// brokenBy returns the conditions on sizes that do not hold in a case.
func (j *torchJob) brokenBy(d torch.Description, c compare.CaseResult) []torch.Beyond {
	var out []torch.Beyond
	for _, b := range j.beyond {
		var sizes []int64
		for _, s := range b.Sizes {
			sizes = append(sizes, fedSize(d, c, s))
		}
		same := func(other []int64) bool { return slices.Equal(sizes, other) }
		if strings.HasSuffix(c.Name, sides.NameBeyond(b)) || slices.ContainsFunc(b.Broken, same) {
			out = append(out, b)
		}
	}
	return out
}

// fedSize returns the size of an argument's axis in a case, or 0 if it is unknown.
func fedSize(d torch.Description, c compare.CaseResult, s torch.Size) int64 {
	for _, in := range c.Inputs {
		if at := leafCalled(in.Name, d.Inputs, d.InputNames); at >= 0 && d.Inputs[at].Path == s.Path && s.Axis < len(in.Shape) {
			return in.Shape[s.Axis]
		}
	}
	return 0
}

// pathsThatFail returns the places at which failing cases take another path, each once, because
// there may be several conditions at one place.
func (j *torchJob) pathsThatFail(b *torch.Bridge, r *sides.Report) []fixedPath {
	failing := failingCases(r)
	var out []fixedPath
	for _, c := range r.Cases {
		if !failing[c.Name] {
			continue
		}
		for _, f := range j.elsewhere(b, c) {
			if !slices.ContainsFunc(out, func(had fixedPath) bool { return had.At == f.At }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// sizesIn lists the sizes in a case that a condition is about, by their symbols.
func (j *torchJob) sizesIn(d torch.Description, c compare.CaseResult, b torch.Beyond) string {
	var out []string
	for _, s := range b.Sizes {
		symbol := fmt.Sprintf("%s:%d", s.Path, s.Axis)
		for _, a := range j.axes(d) {
			if a.Path == s.Path && a.Axis == s.Axis {
				symbol = a.Symbol
			}
		}
		out = append(out, fmt.Sprintf("%s=%d", text.Clean(symbol), fedSize(d, c, s)))
	}
	return strings.Join(out, " and ")
}

// fixedPaths returns the conditions that tracing turned into constants and that had the same value
// in every run of the comparison. It searches for inputs for which a condition has another value,
// and drops the condition if the model is right for those inputs too.
func (j *torchJob) fixedPaths(ctx context.Context, b *torch.Bridge, m *graphops.Model, path string) ([]fixedPath, error) {
	reads := map[string]torch.Read{}
	for _, r := range b.Reads() {
		reads[r.At()] = r
	}
	var out []fixedPath
	var data []torch.Read
	for _, w := range j.traced {
		r, isData := reads[w.At()]
		switch {
		case w.Ends || isData && len(r.Values) > 1:
		case isData:
			data = append(data, r)
		case strings.Contains(w.Message, toBoolean) && len(j.axes(b.Description)) > 0 && !j.isKnown(w.At()):
			out = append(out, fixedPath{w.At(), w.Code, "it is not known which size decides", false})
		}
	}
	flipped, err := j.flipped(ctx, b, m, path, data)
	return append(out, flipped...), err
}

// isKnown reports whether it is known on which sizes a condition depends. If it is, cases on both
// sides of the condition were tried.
func (j *torchJob) isKnown(at string) bool {
	return slices.ContainsFunc(j.beyond, func(x torch.Beyond) bool { return x.At() == at }) ||
		slices.ContainsFunc(j.known, func(l torch.Line) bool { return l.At() == at })
}

// sizesUnknown reports whether tracing turned a condition into a constant that may depend on sizes,
// while torch.export has not been tried, so that it is unknown on which.
func (j *torchJob) sizesUnknown(d torch.Description, by torch.Strategy) bool {
	return by == torch.Legacy && len(j.report.Attempts) == 1 && d.NewExporter && d.Kind == "module" && len(j.axes(d)) > 0 && len(j.conditions()) > 0
}

// conditions returns the lines with conditions that tracing turned into constants.
func (j *torchJob) conditions() []torch.Line {
	var out []torch.Line
	for _, w := range j.traced {
		if !w.Ends && strings.Contains(w.Message, toBoolean) {
			out = append(out, w.Line)
		}
	}
	return out
}

// toBoolean is part of PyTorch's warning about a condition.
const toBoolean = "Python boolean"

// flipped searches for inputs for which the given lines of code read other values from tensors, and
// compares the model with PyTorch on these inputs. It returns the lines for which no such inputs
// were found, or for which the model was wrong.
func (j *torchJob) flipped(ctx context.Context, b *torch.Bridge, m *graphops.Model, path string, lines []torch.Read) ([]fixedPath, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	found, tries, err := b.Flip(ctx, lines, flipTime)
	if err != nil {
		return nil, err
	}
	e, err := sides.EagerOf(b, m)
	if err != nil {
		return nil, err
	}
	var out []fixedPath
	for _, r := range lines {
		f := fixedPath{At: r.At(), Code: r.Code, Why: fmt.Sprintf("it is %s in every run, and in %s with other values", text.CleanLine(strings.Join(r.Values, ", ")), text.Plural(tries, "run"))}
		at := slices.IndexFunc(found, func(x torch.Flipped) bool { return x.File == r.File && x.Line == r.Line.Line })
		if at >= 0 {
			right, err := j.compareFlipped(ctx, b, path, caseOf(e, "another path", found[at].Inputs))
			if err != nil {
				return nil, err
			}
			if right {
				continue
			}
			f.Why, f.Wrong = "with values that take another path the model differs from PyTorch", true
		}
		out = append(out, f)
	}
	return out, nil
}

// compareFlipped reports whether the model computes the same as PyTorch in one case.
func (j *torchJob) compareFlipped(ctx context.Context, b *torch.Bridge, path string, one inputs.Case) (bool, error) {
	v := &sides.Comparison{A: path, Torch: j.step.Target, Opened: b, Only: []inputs.Case{one}, Execution: j.step.Execution}
	v.NoStore = true
	r, err := v.Run(ctx, j.env)
	if err != nil {
		return false, err
	}
	return r.Report.(*sides.Report).Pass, nil
}

// caseOf converts the arguments of a PyTorch call to a case.
func caseOf(e *sides.Eager, name string, in graphops.Feeds) inputs.Case {
	c := inputs.Case{Name: name, Feeds: graphops.Feeds{}, Family: inputs.Seeds}
	for _, input := range slices.Sorted(maps.Keys(e.Paths)) {
		v := torch.AsReal(in[e.Paths[input]])
		c.Feeds[input] = v
		c.Fed = append(c.Fed, inputs.Fed{Name: input, Type: v.Tensor.DType.String(), Shape: graphops.FixedShape(v.Tensor.Shape), Source: "drawn", What: "as in PyTorch", Why: "another path of the code"})
	}
	return c
}
