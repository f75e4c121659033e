package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// Guarded returns a command whose panic becomes a message. Otherwise a bug in one engine would end
// the program and lose the person's work.
func Guarded(doing string, f func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = brokenMsg{fmt.Errorf("%s: %w", doing, task.Panic(p))}
			}
		}()
		return f()
	}
}

// Ask asks a question whose work cannot fail. If the work panics, that is logged.
func Ask[T any](ws *Workspace, t *task.Task[T], doing string, work func(context.Context) T, take func(T) tea.Cmd) tea.Cmd {
	return t.Ask(ws.Tasks, task.Question[T]{
		Doing: doing,
		Work:  func(ctx context.Context, _ task.Report) (T, error) { return work(ctx), nil },
		Take: func(answer T, err error) tea.Cmd {
			if err != nil {
				ws.Log.Fail(err)
				return nil
			}
			return take(answer)
		},
	})
}

// Once does work in the background that nothing replaces or stops before the program ends.
func Once[T any](ws *Workspace, doing string, work func(context.Context) T, take func(T) tea.Cmd) tea.Cmd {
	return Ask(ws, new(task.Task[T]), doing, work, take)
}

// Afterwards calls take after a pause, unless the task is stopped or asked something else.
func Afterwards(ws *Workspace, t *task.Task[struct{}], pause time.Duration, take func() tea.Cmd) tea.Cmd {
	return t.Ask(ws.Tasks, task.Question[struct{}]{
		Doing: "waiting", Pause: pause,
		Work: func(context.Context, task.Report) (struct{}, error) { return struct{}{}, nil },
		Take: func(struct{}, error) tea.Cmd { return take() },
	})
}

// PreviewOf previews a step and formats its report as lines, safe to print. A panic becomes an
// error.
func PreviewOf(ctx context.Context, s session.Step, env session.Env, m *graphops.Model) (p session.Preview, lines []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = task.Panic(r)
		}
	}()
	if p, err = s.Preview(ctx, env, m); err != nil {
		return p, explanation(err), err
	}
	if thorough, ok := p.Report.(session.Thorough); ok {
		lines, err = written(thorough.WriteWhole)
		return p, lines, err
	}
	lines, err = reportLines(p.Report, 0)
	return p, lines, err
}

// explanation returns further lines about an error, or nil.
func explanation(err error) []string {
	var explained session.Explained
	if !errors.As(err, &explained) {
		return nil
	}
	lines, err := written(explained.Explain)
	if err != nil {
		return nil
	}
	return lines
}

func written(write func(io.Writer) error) ([]string, error) {
	var b strings.Builder
	if err := write(&b); err != nil {
		return nil, err
	}
	return cells.SafeLines(strings.TrimRight(b.String(), "\n")), nil
}

// RestLines formats the part of a report that is not about a particular node. The findings about
// nodes are listed separately.
func RestLines(r session.Finder) ([]string, error) {
	var b strings.Builder
	if err := r.WriteRest(&b); err != nil {
		return nil, err
	}
	return cells.SafeLines(strings.TrimRight(b.String(), "\n")), nil
}

// reportLines formats a report as lines, safe to print. A report that can spread its columns over
// several tables does so for lines of a width; 0 means no limit.
func reportLines(r session.Report, width int) ([]string, error) {
	if r == nil {
		return nil, nil
	}
	b := page{width: width}
	if err := r.WriteText(&b); err != nil {
		return nil, err
	}
	return cells.SafeLines(b.String()), nil
}

// page collects the text of a report for a screen.
type page struct {
	strings.Builder
	width int
}

// Columns implements text.Wide.
func (p *page) Columns() int { return p.width }

// Folds implements text.Folding: a dialog breaks lines that are too long for it.
func (*page) Folds() {}

// wholeLines returns the full report of a step whose answer was "no", such as a failed comparison.
// It returns nil if the normal report is already complete.
func wholeLines(r session.Result) []string {
	thorough, ok := r.Report.(session.Thorough)
	if !ok || !r.No {
		return nil
	}
	lines, err := written(thorough.WriteWhole)
	if err != nil {
		return nil // the report is shown anyway
	}
	return lines
}

// GistOf describes a report in one line. Of the findings about nodes it shows only the number.
// Whether the change was proved comes first, because the end of the line may be cut off.
func GistOf(r session.Report, lines []string) string {
	if d, ok := r.(reporting.Diagnosis); ok && len(lines) > 0 {
		return strings.Join(graph.Present([]string{cells.Prose(d.Verdict()), lines[len(lines)-1]}), "; ")
	}
	f, ok := r.(session.Finder)
	if !ok {
		return Gist(lines)
	}
	rest, err := RestLines(f)
	if err != nil {
		return Gist(lines)
	}
	counts := countsOf(f.Findings())
	if did, why, doubtful := strings.Cut(First(rest), "; not proved: "); doubtful {
		rest[0] = did
		rest = slices.Insert(rest, 0, "not proved: "+why)
	}
	for i, line := range rest {
		if said, ok := verdict(line, counts); ok {
			return strings.Join(graph.Present([]string{said, Gist(slices.Delete(rest, i, i+1))}), "; ")
		}
	}
	if strings.HasSuffix(counts, " left") {
		counts += ": the model runs at the old size only"
	}
	return strings.Join(graph.Present([]string{counts, Gist(rest)}), "; ")
}

// CountPins returns how many of the pins were repaired, and how many are left.
func CountPins(list []session.Finding) (repaired, left int) {
	for _, f := range list {
		if f.IsMended {
			repaired++
		} else {
			left++
		}
	}
	return repaired, left
}

// countsOf returns the numbers of CountPins in words, as in
// "2 fixed sizes repaired, 1 fixed size left".
func countsOf(list []session.Finding) string {
	repaired, left := CountPins(list)
	var words []string
	if repaired > 0 {
		words = append(words, text.Plural(repaired, "fixed size")+" repaired")
	}
	if left > 0 {
		words = append(words, text.Plural(left, "fixed size")+" left")
	}
	return strings.Join(words, ", ")
}

// verdict recognizes a report line that says whether a change was proved, and inserts the numbers
// of pins into it. It returns false for all other lines.
func verdict(line, counts string) (said string, ok bool) {
	line = strings.TrimPrefix(line, "warning: ")
	for _, lead := range []string{"proved", "not proved"} {
		if why, ok := strings.CutPrefix(line, lead+": "); ok {
			return strings.Join(graph.Present([]string{lead, counts}), ", ") + ": " + why, true
		}
	}
	if strings.HasPrefix(line, "equal to the original") {
		return strings.Join(graph.Present([]string{counts, line}), "; "), true
	}
	return "", false
}

// Gist joins the unindented lines of a report with semicolons. It leaves out headings, which are
// lines followed by an indented one.
func Gist(lines []string) string {
	var out []string
	for i, l := range lines {
		isHeading := i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ")
		if l != "" && !strings.HasPrefix(l, " ") && !isHeading {
			out = append(out, l)
		}
	}
	return strings.Join(out, "; ")
}

// First returns the first of some words, or "".
func First(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
