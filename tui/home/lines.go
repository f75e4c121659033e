package home

import (
	"context"
	"fmt"
	"io"
	"strings"

	"lathe/tui/cells"
)

// lines prints a numbered list for a screen reader.
type lines struct {
	out io.Writer
	n   int // number of the last row
	err error
}

func (l *lines) say(line string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.out, line+"\n")
	}
}

func (l *lines) row(line string) {
	l.n++
	l.say(fmt.Sprintf("%d. %s", l.n, line))
}

// writeLines prints what the screen would show, each model as soon as it is read.
func writeLines(ctx context.Context, o Options) error {
	l := &lines{out: o.Out}
	for _, err := range o.Notices {
		l.warn(err)
	}
	found := readSessions(ctx, o.Journal)
	l.warn(found.err)
	if err := l.models(ctx, o, len(found.list) > 0); err != nil {
		return err
	}
	if len(found.list) > 0 {
		l.say("interrupted sessions:")
	}
	for _, i := range found.list {
		l.row(i.words(i.ago(o.Now())))
	}
	if l.n > 0 {
		l.say("lathe MODEL opens a model and offers its interrupted sessions")
	}
	return l.err
}

func (l *lines) warn(err error) {
	if err != nil {
		l.say("warning: " + cells.Prose(err.Error()))
	}
}

// models prints the models of the folder.
func (l *lines) models(ctx context.Context, o Options, hasSessions bool) error {
	measured := readResults(ctx, o)
	l.warn(measured.err)
	r, w := reader{o.Folder, o.Open, measured.latest}, newWalk(o.Folder)
	for !w.isOver() && l.err == nil {
		for _, path := range w.next(ctx) {
			if ctx.Err() != nil || l.err != nil {
				break
			}
			if l.n == 0 {
				l.say("models in " + cells.Label(o.Folder) + ":")
			}
			l.row(cells.Label(path) + ", " + r.facts(path).words(o))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if l.n == 0 {
		for _, line := range nothing(o.Folder, hasSessions) {
			l.say(line)
		}
	}
	for _, note := range w.notes() {
		l.say(cells.Prose(note))
	}
	return nil
}

// words returns the facts in one line.
func (f facts) words(o Options) string {
	var out []string
	if f.bytes >= 0 {
		out = append(out, f.sizeText())
	}
	if f.err != nil {
		return strings.Join(append(out, "cannot be opened: "+cells.Prose(f.err.Error())), ", ")
	}
	if f.hasOpset {
		out = append(out, "opset "+f.opsetText())
	}
	if f.latest != nil {
		out = append(out, "last p50 "+f.p50Text()+" on "+f.whereText(o.Now()))
	}
	return strings.Join(out, ", ")
}
