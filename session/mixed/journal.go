package mixed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/search"
)

// shortSum is how many digits of the checksum are kept.
const shortSum = 32

// openJournal opens the journal of the search. Its name is a checksum of all that decides about the
// outcome of a trial: the content of the model, what can be chosen, the options that change numbers, the
// inputs, the runtime, the machine, and the version of this program. The targets are not among them,
// so that another target starts with what is known.
func (s *Auto) openJournal(ctx context.Context, env session.Env, m *graphops.Model, t *tester) (*search.Journal, string, error) {
	if s.NoStore || env.Results == "" {
		return nil, "", nil
	}
	digest, err := graphops.DigestOf(ctx, m)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	line := func(key string, value any) { fmt.Fprintf(sum, "%s=%q\n", key, fmt.Sprint(value)) }
	line("model", digest)
	line("bytes", t.original)
	line("lathe", env.Version)
	line("machine", s.Quant.How.Machine(ctx, env).ID)
	line("runtime", t.on.Facts.LibraryVersion)
	line("provider", t.on.Facts.Provider)
	settings := flags.SettingsOf(s)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		line("--"+name, settings[name])
	}
	if labels := t.labelSum(); labels != "" {
		line("labels", labels)
	}
	for _, u := range t.units {
		line("unit", fmt.Sprint(u.nodes, u.types))
	}
	if err := t.on.AddTo(sum, &s.Quant); err != nil {
		return nil, "", err
	}
	name := "auto-" + hex.EncodeToString(sum.Sum(nil))[:shortSum] + ".jsonl"
	path := filepath.Join(filepath.Dir(env.Results), "searches", name)
	j, err := search.OpenJournal(path, len(t.units))
	return j, path, err
}
