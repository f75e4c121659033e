package tensors

import (
	"context"
	"fmt"
	"strconv"

	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/detail"
	"lathe/tui/values"
)

// profileInquiry asks for the statistics and the histogram, which one pass computes.
func (p *Pane) profileInquiry() (Inquiry, Work) {
	t := p.Current().TensorSource
	if t.DType() == tensor.String {
		return Inquiry{t, "strings"}, func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return t.Strings(ctx)
		}
	}
	return Inquiry{t, "profile"}, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return t.Profile(ctx, progress)
	}
}

// Number writes a number in at most six digits.
func Number[T float64 | tensor.Number](x T) string {
	return strconv.FormatFloat(float64(x), 'g', 6, 64)
}

// factLines collects lines of a name and a text, with the names in a column.
type factLines struct {
	p     *Pane
	w     int
	lines []string
}

func (f *factLines) add(name, what string) {
	f.lines = append(f.lines, f.p.ws.Styles.Faint.On(cells.Fit(name, values.FactWidth-1))+" "+cells.Cut(what, f.w-values.FactWidth))
}

func (f *factLines) head(title string) {
	f.lines = append(f.lines, "", f.p.ws.Styles.Heading.On(cells.Cut(title, f.w)))
}

// count adds a line with a number and its share of the number of. If the number is 0, it says
// "none".
func (f *factLines) count(name string, n, of int64, note string) {
	if n == 0 {
		f.add(name, "none")
		return
	}
	f.share(name, n, of, note)
}

// share adds a line with a number and its share of the number of. It adds nothing if the number is
// 0.
func (f *factLines) share(name string, n, of int64, note string) {
	if n == 0 {
		return
	}
	f.add(name, fmt.Sprintf("%s  %s%s", text.Count(n), percent(n, of), note))
}

// percent formats a share in percent. A share that is neither nothing nor everything is never shown
// as 0.0 % or 100.0 %.
func percent(n, of int64) string {
	switch x := 100 * float64(n) / float64(of); {
	case n > 0 && x < 0.1:
		return "< 0.1 %"
	case n < of && x > 99.9:
		return "> 99.9 %"
	default:
		return strconv.FormatFloat(x, 'f', 1, 64) + " %"
	}
}

// statistics describes the numbers of a tensor.
func (p *Pane) statistics(s tensor.Profile, w int) []string {
	f := &factLines{p: p, w: w}
	f.add("numbers", text.Count(s.Count)+parts(p.Current().DType()))
	if s.MinText == "" {
		f.add("finite", "none")
	} else {
		f.add("min", s.MinText)
		f.add("max", s.MaxText)
		f.add("mean", Number(s.Mean))
		f.add("std", Number(s.Std))
		f.add("largest", Number(s.AbsMax)+" in magnitude")
	}
	tell := f.share
	if p.Current().Run != nil { // the user wants to know even that there are none
		tell = f.count
	}
	tell("zero", s.Zeros, s.Count, "")
	f.share("subnormal", s.Subnormal, s.Count, "")
	tell("NaN", s.NaN, s.Count, "")
	tell("infinite", s.Inf, s.Count, fmt.Sprintf("  %s of them negative", text.Count(s.NegInf)))
	if s.Distinct > 0 {
		f.add("different", text.Count(int64(s.Distinct))+" values")
	}
	if len(s.Quantiles) > 0 && s.Distinct != 1 {
		f.head("quantiles")
		for _, q := range s.Quantiles {
			f.add(strconv.FormatFloat(100*q.Share, 'g', 3, 64)+" %", Number(q.Value))
		}
	}
	f.values(s)
	return f.lines
}

// parts says that real and imaginary parts are counted separately, if the elements are complex.
func parts(d tensor.DType) string {
	if d.Kind() == tensor.KindComplex {
		return ", real and imaginary parts"
	}
	return ""
}

// values lists all values of a tensor that has few. It does not if most values occur once, because
// the view of elements shows the same.
func (f *factLines) values(s tensor.Profile) {
	if len(s.Values) == 0 || int64(len(s.Values)) > (s.Count+1)/2 {
		return
	}
	f.head("values")
	for _, v := range s.Values {
		f.add(v.Text, fmt.Sprintf("%s  %s", text.Count(v.Count), percent(v.Count, s.Count)))
	}
}

// stringStatistics describes the strings of a tensor.
func (p *Pane) stringStatistics(s tensor.StringProfile, w int) []string {
	f := &factLines{p: p, w: w}
	f.add("strings", text.Count(s.Count))
	f.add("bytes", text.Count(s.Bytes))
	f.add("lengths", fmt.Sprintf("%d to %d bytes, %s in the mean", s.Shortest, s.Longest, Number(s.MeanBytes)))
	f.add("different", text.Count(int64(s.Distinct)))
	f.share("empty", s.Empty, s.Count, "")
	f.share("not UTF-8", s.Invalid, s.Count, "")
	f.head("most frequent")
	for _, v := range s.Frequent {
		f.add(text.Count(v.Count), detail.QuoteText(v.Text))
	}
	return f.lines
}
