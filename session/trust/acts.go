package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/text"
)

// Act is something that a step of a recipe would do and that needs consent.
type Act struct {
	Step   int    // the number of the step, from 1
	Name   string // the name of the step
	Option string
	Value  string // a command, or a file
	Deed   permit.Deed
	// Replaces is set for a file outside of the recipe's folder that exists and would be replaced.
	Replaces bool
}

// String says what the step would do, such as "step 2, run-model: start a program: sh -c …". Control
// characters are escaped.
func (a Act) String() string {
	and := ""
	if a.Replaces {
		and = ", and replace what is there"
	}
	if a.Value == "true" { // of a switch
		return fmt.Sprintf("step %d, %s: %s (%s)", a.Step, text.CleanLine(a.Name), a.Deed, a.Option)
	}
	return fmt.Sprintf("step %d, %s: %s%s: %s", a.Step, text.CleanLine(a.Name), a.Deed, and, text.CleanLine(a.Value))
}

// Question is a recipe whose steps are about to run.
type Question struct {
	Folder string         // that of the recipe
	Steps  []session.Step // nil for one that is not run
	// Given reports whether the person gave an option of a step, and not the recipe. Such an option
	// needs no consent. It may be nil.
	Given func(step int, option string) bool
	// Force is set if the person allows to replace files in the recipe's folder.
	Force bool

	made []string // files that do not exist and that steps write
	own  []string // files outside of the folder that the person named
	can  []permit.Deed
}

// Acts returns what needs consent, in the order of the steps.
func (q *Question) Acts() []Act {
	var acts []Act
	for i, step := range q.Steps {
		if step == nil {
			continue
		}
		for _, o := range step.Options() {
			for _, v := range o.Values() {
				acts = append(acts, q.actsOf(i, step, o, v)...)
			}
		}
	}
	return acts
}

func (q *Question) actsOf(i int, step session.Step, o session.Option, v string) (acts []Act) {
	given := q.Given != nil && q.Given(i, o.Name)
	for _, d := range o.Deeds(v) {
		act := Act{Step: i + 1, Name: step.Name(), Option: o.Name, Value: v, Deed: d}
		switch {
		case d == permit.Write:
			acts = append(acts, q.writing(act, isForced(step), given)...)
		case d == permit.Replace: // asked for each file
		case given:
			q.can = append(q.can, d)
		default:
			acts = append(acts, act)
		}
	}
	return acts
}

// writing returns what needs consent before a file is written.
func (q *Question) writing(act Act, forced, given bool) []Act {
	if act.Value == "-" { // standard output, which no recipe writes
		return nil
	}
	outside := !permit.IsBelow(act.Value, q.Folder)
	exists := exists(act.Value)
	if outside && given {
		q.own = append(q.own, act.Value)
		outside = false
	}
	replaces := exists && forced && !q.isMade(act.Value)
	if !exists {
		q.made = append(q.made, act.Value)
	}
	switch {
	case outside:
		act.Replaces = replaces
		return []Act{act}
	case replaces && !q.Force:
		act.Deed = permit.Replace
		return []Act{act}
	}
	return nil
}

func (q *Question) isMade(path string) bool {
	return slices.ContainsFunc(q.made, func(m string) bool { return filepath.Clean(m) == filepath.Clean(path) })
}

// exists reports whether something is at a path, also a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isForced(step session.Step) bool {
	o, ok := session.WithRole(step, session.RoleForce)
	return ok && len(o.Values()) > 0
}

// Limits are the limits within which the steps run if the acts have consent. own are the folders in
// which this program stores files for itself. Acts must have been called.
func (q *Question) Limits(consented []Act, own ...string) permit.Limits {
	l := permit.Limits{
		Folder: q.Folder, Own: own, Replacing: q.Force, Files: slices.Clone(q.own), Replaced: slices.Clone(q.made), Allowed: slices.Clone(q.can),
	}
	for _, a := range consented {
		switch a.Deed {
		case permit.Write:
			l.Files = append(l.Files, a.Value)
			if a.Replaces {
				l.Replaced = append(l.Replaced, a.Value)
			}
		case permit.Replace:
			l.Replaced = append(l.Replaced, a.Value)
		default:
			l.Allowed = append(l.Allowed, a.Deed)
		}
	}
	return l
}

// Running returns the acts that run code or change where files are read, without those that write
// files.
func Running(acts []Act) []Act {
	return slices.DeleteFunc(slices.Clone(acts), func(a Act) bool { return a.Deed == permit.Write || a.Deed == permit.Replace })
}

// Summary names what acts do, each thing once, such as "run a shell command and run Python".
func Summary(acts []Act) string {
	var words []string
	for _, a := range acts {
		if !slices.Contains(words, a.Deed.String()) {
			words = append(words, a.Deed.String())
		}
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
