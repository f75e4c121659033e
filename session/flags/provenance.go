package flags

import (
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// Keys of metadata_props that say how an exported model was made.
const (
	MadeBy   = "lathe.version"
	MadeFrom = "lathe.source"  // digest of the model
	MadeWith = "lathe.weights" // digest of the file of weights
	MadeHow  = "lathe.recipe"
)

// Provenance has the option not to record how a model was made.
type Provenance struct{ NoProvenance bool }

// Options returns the option.
func (p *Provenance) Options() []session.Option {
	return []session.Option{
		session.Switch(&p.NoProvenance, "no-provenance", "do not record in the metadata how the model was made, from what, and by which version").AsRare(),
	}
}

// WithProvenance returns the model with the given metadata about its origin. It first removes metadata that
// an earlier export wrote about the origin.
func WithProvenance(m *graphops.Model, own ...graphops.Entry) *graphops.Model {
	e := graphops.Edit(m)
	kept := slices.DeleteFunc(slices.Clone(m.Metadata()), func(e graphops.Entry) bool {
		return slices.Contains([]string{MadeBy, MadeFrom, MadeWith, MadeHow}, e.Key)
	})
	e.SetMetadata(append(kept, own...))
	return e.Model()
}

// ProvenanceLines returns what the metadata of a model says about how it was made, if anything.
func ProvenanceLines(metadata []graphops.Entry) (lines [][2]string) {
	own := map[string]string{}
	for _, e := range metadata {
		own[e.Key] = e.Value
	}
	if own[MadeHow] != "" {
		lines = append(lines, [2]string{"made by", "lathe " + own[MadeBy] + ", " + own[MadeHow]})
	}
	if own[MadeFrom] != "" {
		from := "model " + own[MadeFrom]
		if own[MadeWith] != "" {
			from += ", weights " + own[MadeWith]
		}
		lines = append(lines, [2]string{"made from", from})
	}
	return lines
}

// RecipeOf returns a step as a command, without the output file and with file names only.
func RecipeOf(s session.Command) string {
	words := []string{s.Name()}
	for _, o := range s.Options() {
		for _, v := range o.Values() {
			switch {
			case o.Target || o.Role == session.RoleForce:
			case o.Kind == session.KindSwitch:
				words = append(words, "--"+o.LongFlag())
			case o.Kind == session.KindPath:
				words = append(words, "--"+o.LongFlag()+"="+session.Quote(filepath.Base(v)))
			default:
				words = append(words, "--"+o.LongFlag()+"="+session.Quote(v))
			}
		}
	}
	return strings.Join(words, " ")
}
