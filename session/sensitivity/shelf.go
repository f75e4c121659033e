package sensitivity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/reporting"
)

// shelf is where the list of a model is stored and found again. Its key is the content of the model, the
// options that change the numbers, the inputs, the runtime, the machine, and the version of this
// program.
type shelf struct {
	step     *Sensitivity
	env      session.Env
	machine  store.Machine
	model    store.Model
	settings store.Settings
}

// settingData is the name of the checksum of the inputs among the settings.
const settingData = "inputs"

// shortSum is how many digits of the checksum are kept, which is enough to distinguish inputs.
const shortSum = 16

// scope are options that choose what is listed and do not change a number.
var scope = []string{"include", "exclude", "time"}

func (s *Sensitivity) shelf(ctx context.Context, env session.Env, m *graphops.Model, meter *meter) (*shelf, error) {
	if s.NoStore || env.Results == "" {
		return nil, nil
	}
	h := &shelf{step: s, env: env, machine: s.Quant.How.Machine(ctx, env), settings: flags.SettingsOf(s)}
	var err error
	if h.model, err = flags.StoredModel(ctx, env, m, cmp.Or(m.Path(), "-"), ""); err != nil {
		return nil, fmt.Errorf("the hash of its content could not be computed: %w", err)
	}
	for _, name := range scope {
		delete(h.settings, name)
	}
	h.settings["mode"] = s.mode()
	h.settings[store.SettingRuntime], h.settings[store.SettingProvider] = meter.on.Facts.LibraryVersion, meter.on.Facts.Provider
	sum := sha256.New()
	if err := meter.on.AddTo(sum, &s.Quant); err != nil {
		return nil, err
	}
	h.settings[settingData] = hex.EncodeToString(sum.Sum(nil))[:shortSum]
	return h, nil
}

// hashFile adds the content of a file to a checksum. A file that does not exist adds nothing.
func hashFile(to io.Writer, path string) error {
	info, err := os.Stat(path)
	if path == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

// hashCases adds the values of all inputs to a checksum.
func hashCases(to hash.Hash, cases []inputs.Case) error {
	for _, c := range cases {
		for _, name := range slices.Sorted(maps.Keys(c.Feeds)) {
			v, err := c.Feeds[name].InMemory()
			if err != nil {
				return fmt.Errorf("input %q: %w", name, err)
			}
			hashText(to, name)
			hashText(to, v.Type.String())
			for part, t := range v.Tensors() {
				hashText(to, part)
				_ = binary.Write(to, binary.LittleEndian, t.Shape) // a hash returns no errors
				hashText(to, string(t.Data))
				for _, s := range t.Strings {
					hashText(to, s)
				}
			}
		}
	}
	return nil
}

// hashText adds a text and its length, so that no two sequences of texts are equal.
func hashText(to hash.Hash, s string) {
	_ = binary.Write(to, binary.LittleEndian, int64(len(s)))
	_, _ = io.WriteString(to, s)
}

// take completes the layers with what is stored about them, and returns how many it found. The newest
// list that has a layer counts. A list that cannot be read is not used.
func (h *shelf) take(ctx context.Context, layers []*Layer) (found int) {
	if h == nil {
		return 0
	}
	took := map[*Layer]bool{}
	_ = flags.ResultsOf(h.env).OfModel(ctx, store.KindSensitivity, h.model, func(r *store.Result) bool {
		var list struct {
			Layers []*Layer `json:"layers"`
		}
		if h.fits(r) && json.Unmarshal(r.Document, &list) == nil {
			for _, l := range layers {
				if l.complete(list.Layers) {
					took[l] = true
				}
			}
		}
		return len(took) < len(layers) || slices.ContainsFunc(layers, func(l *Layer) bool { return l.lacks(h.step.Time) })
	})
	return len(took)
}

// fits reports whether a result was measured with the same settings, here, by this version.
func (h *shelf) fits(r *store.Result) bool {
	return r.Machine.ID == h.machine.ID && r.Lathe == h.env.Version && len(r.Subjects) == 1 && maps.Equal(r.Subjects[0].Settings, h.settings)
}

// complete takes from a stored list what the layer lacks, and reports whether it has a measurement of
// it.
func (l *Layer) complete(list []*Layer) bool {
	at := slices.IndexFunc(list, func(x *Layer) bool {
		return x != nil && x.Place == l.Place && x.Index == l.Index && x.Node == l.Node && x.Op == l.Op
	})
	if at < 0 || !list[at].IsMeasured() || !list[at].isPossible() {
		return false
	}
	x := list[at]
	if l.Cost == nil && l.Failed == "" {
		l.Cost, l.Failed = x.Cost, x.Failed
	}
	if l.Time == nil {
		l.Time = x.Time
	}
	return true
}

// isPossible reports whether the numbers of a stored layer can be results of a measurement.
func (l *Layer) isPossible() bool {
	if c := l.Cost; c != nil && (math.IsNaN(float64(c.SNR)) || !(c.RelErr >= 0) || !(c.MaxAbs >= 0)) {
		return false
	}
	return l.Time == nil || l.Time.P50 > 0 && l.Time.Original > 0
}

// keep stores the list.
func (h *shelf) keep(ctx context.Context, r *Report) reporting.Kept {
	if h == nil {
		return reporting.Kept{}
	}
	result := flags.ResultOf(h.step, h.machine)
	result.Kind = store.KindSensitivity
	result.Models = []store.Model{h.model}
	result.Subjects = []store.Subject{{Name: h.model.Path, Settings: h.settings}}
	if err := flags.SetDocument(result, r.settle()); err != nil {
		return reporting.Kept{NotStored: err.Error()}
	}
	return h.step.StoreResult(ctx, h.env, result)
}
