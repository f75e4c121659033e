package folders

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops/folder"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/sides"
	"lathe/session/text"
)

// ValidateReport is the report of a comparison of two folders.
type ValidateReport struct {
	Schema  string          `json:"schema"`
	Kind    string          `json:"kind"` // "folder"
	A       string          `json:"a"`
	B       string          `json:"b"`
	Members []MemberVerdict `json:"members"` // in the order in which they run
	OnlyA   []string        `json:"only_a"`  // models without a counterpart
	OnlyB   []string        `json:"only_b"`
	compare.Judged
	// Headline begins with the verdict and names the models that decided it.
	Headline string   `json:"headline"`
	Notes    []string `json:"notes"`
}

// MemberVerdict is how a model compares with its counterpart. A report is null if the models were not
// compared in that way.
type MemberVerdict struct {
	Name  string `json:"name"`
	A     string `json:"a"`
	B     string `json:"b"`
	Error string `json:"error,omitempty"` // why they were not compared
	// Identical is set if both models have the same content. They are then not compared.
	Identical bool          `json:"identical,omitempty"`
	Own       *sides.Report `json:"own"`  // on generated inputs
	OnA       *sides.Report `json:"on_a"` // on values that earlier models of A made
	OnB       *sides.Report `json:"on_b"` // on values that earlier models of B made
	// Chain compares what either folder makes of the same inputs of the caller, all models together.
	// It is not judged: its errors are those of all models before.
	Chain   []ChainReport   `json:"chain"`
	Verdict compare.Verdict `json:"verdict"` // of the model alone
	Notes   []string        `json:"notes"`
}

// ChainReport is how an output differs at the end of all models before it.
type ChainReport struct {
	Output string        `json:"output"`
	Cases  int           `json:"cases"`
	MaxAbs tensor.Number `json:"max_abs"`
	SNR    tensor.Number `json:"snr_db"`
	Unlike string        `json:"unlike"` // why the values cannot be compared, such as other shapes
}

// add adds the values of one case. The largest difference and the smallest SNR count.
func (c *ChainReport) add(made madeBy) {
	if !made[0].IsTensor() || !made[1].IsTensor() {
		return
	}
	m, err := tensor.Compare(made[0].Tensor, made[1].Tensor, tensor.Tolerance{})
	if err != nil {
		c.Cases, c.Unlike = c.Cases+1, err.Error()
		return
	}
	if c.Cases == 0 || m.MaxAbs > float64(c.MaxAbs) {
		c.MaxAbs = tensor.Number(m.MaxAbs)
	}
	if c.Cases == 0 || m.SNR < float64(c.SNR) {
		c.SNR = tensor.Number(m.SNR)
	}
	c.Cases++
}

// judge decides the verdict of every model and of the folders.
func (r *ValidateReport) judge() {
	var failed, open, passed, identical []string
	for i := range r.Members {
		m := &r.Members[i]
		m.Verdict = m.judged()
		switch name := text.Clean(m.Name); m.Verdict {
		case compare.Pass:
			if m.Identical {
				identical = append(identical, name)
				continue
			}
			passed = append(passed, name)
		case compare.Fail:
			failed = append(failed, name)
		default:
			open = append(open, name)
		}
	}
	verdict := compare.Pass
	var words []string
	if len(failed) > 0 {
		verdict = compare.Fail
		words = append(words, strings.Join(failed, ", ")+differs(len(failed)))
	}
	if n := len(r.OnlyA) + len(r.OnlyB); n > 0 {
		verdict = compare.Fail
		words = append(words, text.Plural(n, "model")+" without a counterpart")
	}
	if len(open) > 0 {
		if verdict == compare.Pass {
			verdict = compare.Undecided
		}
		words = append(words, strings.Join(open, ", ")+" cannot be judged")
	}
	if len(passed) > 0 {
		words = append(words, strings.Join(passed, ", ")+" the same within the tolerance on the same values")
	}
	if len(identical) > 0 {
		words = append(words, strings.Join(identical, ", ")+" identical")
	}
	r.Judged, r.Headline = verdict.Judged(), string(verdict)+": "+strings.Join(words, "; ")
}

func differs(n int) string {
	if n == 1 {
		return " differs by itself"
	}
	return " differ by themselves"
}

// judged returns the verdict of a model alone: by all values that both sides got. An output that has no
// elements in one of the comparisons may be judged in another.
func (m *MemberVerdict) judged() compare.Verdict {
	if m.Error != "" {
		return compare.Fail
	}
	if m.Identical {
		return compare.Pass
	}
	out := compare.Undecided
	for _, r := range []*sides.Report{m.Own, m.OnA, m.OnB} {
		switch verdictOf(r) {
		case compare.Fail:
			return compare.Fail
		case compare.Pass:
			out = compare.Pass
		default:
		}
	}
	return out
}

// WriteText implements session.Report.
func (r *ValidateReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.Headline)
	t := text.Table{Titles: []string{"model", "alone", "on generated inputs", "on values of A", "on values of B", "whole chain"}}
	for i := range r.Members {
		m := &r.Members[i]
		alone := string(m.Verdict)
		if m.Identical {
			alone = "identical"
		}
		t.Add(text.Clean(m.Name), alone, wordOf(m.Own), wordOf(m.OnA), wordOf(m.OnB), m.chainText())
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
	for i := range r.Members {
		r.Members[i].write(p)
	}
	for _, side := range []struct {
		name string
		list []string
	}{{"A", r.OnlyA}, {"B", r.OnlyB}} {
		for _, name := range side.list {
			p.Line("only %s has %s", side.name, text.Clean(name))
		}
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	return p.Err()
}

func wordOf(r *sides.Report) string {
	if v := verdictOf(r); v != "" {
		return string(v)
	}
	return "–"
}

// chainText returns the smallest SNR of the outputs at the end of the chain.
func (m *MemberVerdict) chainText() string {
	out, least := "–", 0.0
	for _, c := range m.Chain {
		if c.Unlike != "" {
			return "other shapes"
		}
		if out == "–" || float64(c.SNR) < least {
			least = float64(c.SNR)
			out = fmt.Sprintf("%s: SNR %.1f dB, max %.3g", text.Clean(c.Output), least, float64(c.MaxAbs))
			if c.MaxAbs == 0 {
				out = "equal"
			}
		}
	}
	return out
}

func (m *MemberVerdict) write(p *text.Printer) {
	if m.Error != "" {
		p.Line("%s: %s", text.Clean(m.Name), text.CleanLine(m.Error))
	}
	for _, x := range []struct {
		on string
		r  *sides.Report
	}{{"generated inputs", m.Own}, {"values of A", m.OnA}, {"values of B", m.OnB}} {
		if v := verdictOf(x.r); v != "" && v != compare.Pass && (v == compare.Fail || m.Verdict != compare.Pass) {
			p.Line("%s on %s: %s", text.Clean(m.Name), x.on, text.CleanLine(x.r.Headline))
		}
	}
	for _, n := range m.Notes {
		p.Line("note: %s: %s", text.Clean(m.Name), text.CleanLine(n))
	}
}

// splitInputs reads values of --input as MEMBER.NAME=WHAT, by member.
func splitInputs(f *folder.Folder, said []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, s := range said {
		name, of := "", ""
		for _, m := range f.Members {
			if rest, ok := strings.CutPrefix(s, m.Name+"."); ok && len(m.Name) > len(name) {
				name, of = m.Name, rest
			}
		}
		if name == "" {
			return nil, session.UsageError(fmt.Sprintf("--input %q: expected MODEL.NAME=WHAT, since %s is a folder; its models are %s", s, f.Path, strings.Join(memberNames(f), ", ")))
		}
		out[name] = append(out[name], of)
	}
	return out, nil
}
