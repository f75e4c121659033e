package command

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"lathe/bench/store"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/trust"
)

// records are the records of recipes that the workbench saved.
func (a *app) records() trust.Records { return trust.RecordsIn(xdg.StateHome) }

// ownFolders are the folders in which steps store files for Lathe itself.
func ownFolders() []string {
	return []string{filepath.Join(xdg.CacheHome, "lathe"), store.PathBelow(xdg.DataHome)}
}

// consent asks about everything that a recipe would do and that needs consent, and returns the context
// in which its steps may do that and no more. Without a terminal it is an error.
func (a *app) consent(ctx context.Context, path string, q *trust.Question) (context.Context, error) {
	acts := q.Acts()
	if len(acts) > 0 {
		if !isTerminal(a.in) || !isTerminal(a.errOut) {
			return ctx, needsTrust(path, acts)
		}
		if err := a.askFor(ctx, path, acts); err != nil {
			return ctx, err
		}
	}
	return permit.Within(ctx, q.Limits(acts, ownFolders()...)), nil
}

// needsTrust is the error for a recipe that needs consent if nobody can be asked.
func needsTrust(path string, acts []trust.Act) error {
	what, more := acts[0].String(), ""
	if len(what) > maxQuoted {
		what = strings.ToValidUTF8(what[:maxQuoted], "") + "…"
	}
	if n := len(acts) - 1; n > 0 {
		more = fmt.Sprintf(", and %s more", text.Plural(n, "thing"))
	}
	return session.UsageError(fmt.Sprintf("%s: this needs consent: %s%s; read the recipe, and if it may do that, pass --trust", path, what, more))
}

// maxQuoted is how many bytes of what a recipe would do fit into an error. On a terminal all of it is
// shown.
const maxQuoted = 240

// askFor asks a person on the terminal. The error says that the answer was not yes.
func (a *app) askFor(ctx context.Context, path string, acts []trust.Act) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not saved by Lathe on this machine. It would:\n", text.CleanLine(path))
	for _, act := range acts {
		fmt.Fprintf(&b, "  %s\n", act)
	}
	b.WriteString("A recipe that may do this is a program. Run it? [y/N] ")
	if _, err := fmt.Fprint(a.errOut, b.String()); err != nil {
		return err
	}
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(a.in).ReadString('\n') // an error means no
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case answer := <-answers:
		if slices.Contains([]string{"y", "yes"}, answer) {
			return nil
		}
		return fmt.Errorf("%s: was not run", path)
	}
}

// givenBy returns a function that reports whether a --set gave an option of a step.
func givenBy(r session.Recipe, set []string) func(step int, option string) bool {
	return func(step int, option string) bool {
		return slices.ContainsFunc(set, func(s string) bool {
			key, _, _ := strings.Cut(s, "=")
			_, name, _ := strings.Cut(key, ".")
			return name == option && isSet(r, key, step)
		})
	}
}
