package commandtest

import (
	"context"
	"io"
	"regexp"
	"strings"
)

// Mention matches a command with options within a text, such as "lathe axes --repair". Its groups
// are the command and the options.
var Mention = regexp.MustCompile(`\blathe\s+([a-z][a-z-]*)((?:\s+(?:--[a-z][a-z0-9-]*(?:=\S+)?|[A-Z]\S*))*)`)

var mentionedFlag = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// Runner runs a command within this process and returns its exit code.
type Runner func(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int

// Missing returns the part of a mentioned command or its options that the program does not have, or
// "" if it has all. It reads the help of the command. For a command with modes, an option counts if
// any mode has it.
func (run Runner) Missing(command, options string) string {
	help := func(words ...string) (string, bool) {
		var out strings.Builder
		code := run(context.Background(), words, strings.NewReader(""), &out, io.Discard)
		return out.String(), code == 0
	}
	if _, ok := help("help", command); !ok {
		return "command " + command
	}
	text, _ := help(command, "--help-all")
	for _, mode := range modes(text) {
		more, _ := help(command, mode, "--help-all")
		text += more
	}
	for _, flag := range mentionedFlag.FindAllString(options, -1) {
		if !regexp.MustCompile(regexp.QuoteMeta(flag) + `\b[^-]`).MatchString(text) {
			return "option " + flag
		}
	}
	return ""
}

var modeLine = regexp.MustCompile(`(?m)^  ([a-z][a-z0-9]+)  `)

// modes returns the subcommands that a help text lists.
func modes(help string) []string {
	_, list, found := strings.Cut(help, "\nCommands\n")
	if !found {
		return nil
	}
	list, _, _ = strings.Cut(list, "\n\n")
	var out []string
	for _, m := range modeLine.FindAllStringSubmatch(list, -1) {
		out = append(out, m[1])
	}
	return out
}
