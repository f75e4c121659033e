package steps

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/parameters"
	"lathe/session"
)

// Keys of metadata_props that say how an exported model was made.
const (
	madeBy   = "lathe.version"
	madeFrom = "lathe.source"  // digest of the model
	madeWith = "lathe.weights" // digest of the file of weights
	madeHow  = "lathe.recipe"
)

// provenance has the option not to record how a model was made.
type provenance struct{ NoProvenance bool }

func (p *provenance) options() []session.Option {
	return []session.Option{
		session.Switch(&p.NoProvenance, "no-provenance", "do not record in the metadata how the model was made, from what, and by which version").AsRare(),
	}
}

// told returns a model with metadata about how it was made. The metadata contains neither a folder
// nor a time, so that the same export always writes the same file.
func (s *Export) told(ctx context.Context, env session.Env, source *graphops.Model, set *parameters.Set, m *graphops.Model) (*graphops.Model, error) {
	if s.NoProvenance {
		return m, nil
	}
	digest, err := graphops.DigestOf(ctx, source)
	if err != nil {
		return nil, session.InModel(source, err)
	}
	own := []graphops.Entry{{Key: madeBy, Value: env.Version}, {Key: madeFrom, Value: digest.String()}}
	if set != nil {
		digest, err := set.Digest(ctx)
		if err != nil {
			return nil, err
		}
		own = append(own, graphops.Entry{Key: madeWith, Value: digest.String()})
	}
	own = append(own, graphops.Entry{Key: madeHow, Value: recipeOf(s)})
	return tellOf(m, own...), nil
}

// tellOf returns the model with the given metadata about its origin. It first removes metadata that
// an earlier export wrote about the origin.
func tellOf(m *graphops.Model, own ...graphops.Entry) *graphops.Model {
	e := graphops.Edit(m)
	kept := slices.DeleteFunc(slices.Clone(m.Metadata()), func(e graphops.Entry) bool {
		return slices.Contains([]string{madeBy, madeFrom, madeWith, madeHow}, e.Key)
	})
	e.SetMetadata(append(kept, own...))
	return e.Model()
}

// provenanceLines returns what the metadata of a model says about how it was made, if anything.
func provenanceLines(metadata []graphops.Entry) (lines [][2]string) {
	own := map[string]string{}
	for _, e := range metadata {
		own[e.Key] = e.Value
	}
	if own[madeHow] != "" {
		lines = append(lines, [2]string{"made by", "lathe " + own[madeBy] + ", " + own[madeHow]})
	}
	if own[madeFrom] != "" {
		from := "model " + own[madeFrom]
		if own[madeWith] != "" {
			from += ", weights " + own[madeWith]
		}
		lines = append(lines, [2]string{"made from", from})
	}
	return lines
}

// recipeOf returns a step as a command, without the output file and with file names only.
func recipeOf(s session.Step) string {
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
