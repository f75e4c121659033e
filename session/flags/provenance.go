package flags

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
)

// Keys of metadata_props that say how an exported model was made.
const (
	MadeBy   = graphops.OriginPrefix + "version"
	MadeFrom = graphops.OriginPrefix + "source"  // digest of the model
	MadeWith = graphops.OriginPrefix + "weights" // digest of the file of weights
	MadeHow  = graphops.OriginPrefix + "recipe"
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
	kept := slices.DeleteFunc(slices.Clone(m.Metadata()), graphops.Entry.IsOrigin)
	e.SetMetadata(append(kept, own...))
	return e.Model()
}

// originOf returns how a model was made: by the session, or according to its metadata. It is nil if
// neither says so.
func originOf(ctx context.Context, env session.Env, m *graphops.Model, path string) (*store.Origin, error) {
	if env.Origin != nil {
		if made, ok := env.Origin(path, m); ok {
			digest, err := made.Digest(ctx)
			out := &store.Origin{Digest: digest}
			for _, c := range made.Steps {
				out.Steps = append(out.Steps, c.Step)
			}
			return out, err
		}
	}
	own := provenance(m.Metadata())
	digest, ok := graphops.ParseDigest(own[MadeFrom])
	if !ok {
		return nil, nil
	}
	step, _, _ := strings.Cut(own[MadeHow], " --")
	return &store.Origin{Digest: digest, Steps: []string{step}}, nil
}

// provenance returns the metadata of a model by its keys.
func provenance(metadata []graphops.Entry) map[string]string {
	own := map[string]string{}
	for _, e := range metadata {
		own[e.Key] = e.Value
	}
	return own
}

// ProvenanceLines returns what the metadata of a model says about how it was made, if anything.
func ProvenanceLines(metadata []graphops.Entry) (lines [][2]string) {
	own := provenance(metadata)
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
