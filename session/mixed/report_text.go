package mixed

import (
	"fmt"
	"io"
	"strings"

	"lathe/session/compare"
	"lathe/session/text"
)

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", text.CleanLine(r.headline()))
	titles := []string{">point", ">size", ">of original", ">SNR", ">KL", ">top-1", ">loss"}
	types := append([]string{"float32"}, r.Types...)
	for _, name := range types {
		titles = append(titles, ">"+name)
	}
	t := text.Table{Titles: append(titles, "")}
	for i := range r.Front {
		t.Add(r.row(&r.Front[i], types)...)
	}
	t.DropEmpty()
	if len(r.Front) > 0 {
		if err := t.WriteText(w, "  "); err != nil {
			return err
		}
	}
	for _, line := range r.remarks() {
		p.Line("%s", text.CleanLine(line))
	}
	return p.Err()
}

func (r *Report) headline() string {
	out := fmt.Sprintf("%s that could be quantized, among float32, %s", text.Plural(len(r.Nodes), "node"), strings.Join(r.Types, ", "))
	if r.Inputs == "" {
		return out + "; nothing was tried yet"
	}
	out += fmt.Sprintf(": %s on %s, %s", text.Plural(r.Trials, "trial"), r.Inputs, text.Plural(r.Cases, "case"))
	if r.Reused > 0 {
		out += fmt.Sprintf("; %d of them earlier", r.Reused)
	}
	return out
}

func (r *Report) row(p *Point, types []string) []any {
	kl := ""
	if p.KL != nil {
		kl = fmt.Sprintf("%.3g", float64(*p.KL))
	}
	top1, loss := "", ""
	if a := p.Accuracy; a != nil {
		top1, loss = fmt.Sprintf("%.2f %%", points(a.Top1.Share)), fmt.Sprintf("%.2f points", a.Lost())
	}
	out := []any{p.Point, text.Bytes(p.Bytes), fmt.Sprintf("%.1f %%", 100*float64(p.Ratio)), compare.Decibels(float64(p.SNR)), kl, top1, loss}
	for _, name := range types {
		count := ""
		if n := p.Counts[name]; n > 0 {
			count = fmt.Sprint(n)
		}
		out = append(out, count)
	}
	return append(out, r.mark(p))
}

// mark returns the word beside a point, or "".
func (r *Report) mark(p *Point) string {
	switch {
	case p.Point == r.Best && len(r.Targets) == 0:
		return "chosen"
	case p.Point == r.Best:
		return "best"
	case p.Point == r.Nearest:
		return "nearest"
	}
	return ""
}

// fewChoices is how many values of --choose are printed.
const fewChoices = 12

// remarks returns the lines below the table.
func (r *Report) remarks() (out []string) {
	if len(r.Front) > 0 {
		out = append(append(out, r.verdict()), r.evidence...)
	}
	if r.Stopped != "" {
		out = append(out, fmt.Sprintf("the search did not end, because %s; the next run continues", r.Stopped))
	}
	if n := len(r.Small); n > 0 {
		out = append(out, fmt.Sprintf("left as float32: %s that would save less than 0.1 %% of the model together", text.Plural(n, "other node")))
	}
	for _, x := range r.NoType {
		out = append(out, fmt.Sprintf("not used: %s: %s", x.Type, x.Reason))
	}
	for _, n := range r.Notes {
		out = append(out, "note: "+n)
	}
	if r.File != nil {
		out = append(out, "written to "+r.File.Path)
	}
	if r.Repeat != "" {
		if at := max(r.Best, r.Nearest); len(r.Front[at-1].Choose) <= fewChoices {
			out = append(out, fmt.Sprintf("to make point %d again: %s", at, r.Repeat))
		} else if r.Stopped != "" { // another run may give the point another number
			out = append(out, fmt.Sprintf("--json lists the type of each node of point %d for --choose", at))
		} else {
			out = append(out, fmt.Sprintf("to write point %d: %s; --json lists the type of each node for --choose", at, r.again))
		}
	}
	return out
}

// verdict says which point is best.
func (r *Report) verdict() string {
	describe := func(at int) string {
		p := r.Front[at-1]
		more := ""
		if p.KL != nil {
			more = fmt.Sprintf(", KL %.3g", float64(*p.KL))
		}
		if a := p.Accuracy; a != nil {
			more += fmt.Sprintf(", top-1 loss %.2f points", a.Lost())
		}
		return fmt.Sprintf("point %d, %s, %.1f %% of the original, SNR %s%s", at, text.Bytes(p.Bytes), 100*float64(p.Ratio), compare.Decibels(float64(p.SNR)), more)
	}
	targets := strings.Join(r.Targets, " and ")
	switch {
	case r.Best > 0 && targets == "":
		return "as chosen: " + describe(r.Best)
	case r.Best > 0:
		return fmt.Sprintf("the smallest that meets %s: %s", targets, describe(r.Best))
	}
	found := "nothing smaller than the original meets"
	if r.Stopped != "" {
		found = "so far, " + found
	}
	return fmt.Sprintf("%s %s; the nearest is %s", found, targets, describe(r.Nearest))
}
