package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/text"
)

const (
	helpAllName = "help-all"

	// maxHelp is how many lines --help may have. --help-all has no limit.
	maxHelp = 40
	// maxHelpWidth is the largest width of help, in columns, because long lines are hard to read.
	maxHelpWidth = 100
	plainWidth   = 80 // if there is no terminal
)

// detail is which flags a help page describes, and how long the descriptions are.
type detail int

const (
	detailAll   detail = iota
	detailMost         // all flags except rare ones
	detailShort        // the same flags, with shorter descriptions
	detailUsual        // only the flags that most people use, with shorter descriptions
)

// helpPage builds the help of a command. It does not ask the terminal for its background colour,
// because the answer arrives late over a slow connection, and some terminals never answer.
type helpPage struct {
	cmd      *cobra.Command
	width    int
	detail   detail
	lines    []string
	hidden   []string // flags that are only named
	hasFlags bool
}

// help writes the help of a command: all of it, or what fits into maxHelp lines.
func (a *app) help(cmd *cobra.Command, w io.Writer) {
	width := min(cmp.Or(widthOf(a.out.w), plainWidth), maxHelpWidth)
	details := []detail{detailAll, detailMost, detailShort, detailUsual}
	if a.helpAll {
		details = details[:1]
	}
	var p *helpPage
	for _, d := range details {
		p = &helpPage{cmd: cmd, width: width, detail: d}
		p.write()
		if len(p.lines) <= maxHelp {
			break
		}
	}
	// The writer keeps its first error, and the command ends with it.
	_, _ = io.WriteString(w, strings.Join(p.lines, "\n")+"\n")
}

func (p *helpPage) write() {
	p.lines = text.Paragraphs(cmp.Or(p.cmd.Long, upperFirst(p.cmd.Short)+"."), p.width)
	p.add("")
	p.wrapped("Usage:   ", p.cmd.UseLine())
	if p.cmd.Example != "" {
		p.wrapped("Example: ", p.cmd.Example)
	}
	p.commands()
	for _, g := range session.Groups() {
		p.flags(g.String(), p.flagsOf(g))
	}
	p.everywhere()
	if len(p.hidden) > 0 {
		named := slices.DeleteFunc(p.hidden, func(flag string) bool { return flag == "--"+helpAllName }) // it follows
		p.wrapped("More:    ", strings.Join(named, " ")+fmt.Sprintf("; see --%s", helpAllName))
	}
}

func (p *helpPage) add(line string) { p.lines = append(p.lines, line) }

// wrapped adds a text, wrapped, with a title in front of the first line.
func (p *helpPage) wrapped(title, s string) { p.row(title, s, len(title)) }

// row adds a name and its meaning in two columns. A name that is too long gets a line of its own.
func (p *helpPage) row(name, meaning string, column int) {
	if utf8.RuneCountInString(name) >= column && column > len("Example: ") {
		p.add(strings.TrimRight(name, " "))
		name = ""
	}
	for i, line := range text.Wrap(meaning, p.width-column, "") {
		if i > 0 {
			name = ""
		}
		p.add(strings.TrimRight(name+strings.Repeat(" ", column-utf8.RuneCountInString(name))+line, " "))
	}
}

// commands adds the list of subcommands, by group.
func (p *helpPage) commands() {
	wide := 0
	byGroup := map[string][]*cobra.Command{}
	for _, c := range p.cmd.Commands() {
		if c.IsAvailableCommand() {
			wide = max(wide, len(c.Name()))
			byGroup[c.GroupID] = append(byGroup[c.GroupID], c)
		}
	}
	titles := append([]*cobra.Group{{Title: "Commands"}}, p.cmd.Groups()...)
	for _, g := range titles {
		if len(byGroup[g.ID]) == 0 {
			continue
		}
		p.add("")
		p.add(g.Title)
		for _, c := range byGroup[g.ID] {
			p.row("  "+c.Name(), c.Short, 2+wide+2)
		}
	}
}

// flagsOf returns the flags of the command in a group, in the order of the options.
func (p *helpPage) flagsOf(g session.Group) []*pflag.Flag {
	var out []*pflag.Flag
	shared := p.everyFlag()
	p.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flag, isOption := optionOf(f)
		switch {
		case f.Hidden || slices.Contains(shared, f):
		case isOption && flag.o.Group == g, !isOption && g == session.GroupStep:
			out = append(out, f)
		}
	})
	return out
}

// optionOf returns the option behind a flag, or false if the flag does not belong to a step.
func optionOf(f *pflag.Flag) (optionFlag, bool) {
	option, ok := valueOf(f).(optionFlag)
	return option, ok
}

// flags adds a group of flags. Flags that the level of detail leaves out are only named, at the
// end.
func (p *helpPage) flags(title string, flags []*pflag.Flag) {
	shown := slices.DeleteFunc(flags, func(f *pflag.Flag) bool {
		flag, isOption := optionOf(f)
		o := flag.o
		isLeftOut := isOption && (p.detail >= detailMost && o.Standing == session.Rare || p.detail == detailUsual && !o.Standing.IsUsual() && !o.Required)
		isLeftOut = isLeftOut || (f.Name == pluginFlag || f.Name == sandboxName) && p.detail >= detailMost
		if isLeftOut {
			p.hidden = append(p.hidden, "--"+f.Name)
		}
		return isLeftOut
	})
	if len(shown) == 0 {
		return
	}
	if p.detail < detailShort || !p.hasFlags {
		p.add("")
	}
	p.hasFlags = true
	p.add(title)
	for _, f := range shown {
		p.flag(f)
	}
}

// The columns in which the meanings of flags begin.
const (
	flagColumn      = 25
	shortFlagColumn = 22
)

func (p *helpPage) flag(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	name := "  --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case f.NoOptDefVal != "" && value != "":
		name += "[=" + value + "]"
	case value != "":
		name += " " + value
	}
	column := flagColumn
	if flag, isOption := optionOf(f); isOption && p.detail >= detailShort {
		usage, column = shortUsage(usage, flag.o), shortFlagColumn
	}
	p.row(name, usage, column)
}

// The short help lists choices if there are at most this many.
const fewChoices = 5

// shortUsage returns the first clause of a usage text, with the choices if there are few, and with
// the default.
func shortUsage(usage string, o session.Option) string {
	first, _, isCut := strings.Cut(usage, "; ")
	if !isCut {
		return usage
	}
	if n := len(o.Choices); n > 0 && n <= fewChoices {
		first += ": " + strings.Join(o.Choices, ", ")
	}
	if o.Default != "" {
		first += " (default: " + o.Default + ")"
	}
	return first
}

// everyFlag returns the flags that every command has, such as --json.
func (p *helpPage) everyFlag() []*pflag.Flag {
	var flags []*pflag.Flag
	note := func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	p.cmd.Root().PersistentFlags().VisitAll(note)
	for _, generated := range []string{"help", "version"} {
		if f := p.cmd.Flags().Lookup(generated); f != nil {
			note(f)
		}
	}
	return flags
}

// everywhere adds the flags that every command has. They are described only in the help of lathe
// itself and by --help-all. Other pages list their names.
func (p *helpPage) everywhere() {
	flags := p.everyFlag()
	p.add("")
	if !p.cmd.HasParent() || p.detail == detailAll && p.cmd.HasLocalFlags() {
		p.add("Flags of every command")
		for _, f := range flags {
			p.flag(f)
		}
		return
	}
	for _, f := range flags {
		p.hidden = append(p.hidden, "--"+f.Name)
	}
}
