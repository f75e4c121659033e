package folder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// takeDiffusers recognizes a pipeline of diffusers. Every key of model_index.json whose value is a
// library and a class is a part of it, in a subfolder with the name of the key. Parts without a
// model, such as a tokenizer, are left out.
func takeDiffusers(f *Folder, l *listing) bool {
	const file = "model_index.json"
	var c ordered
	if !f.readConfig(l, file, &c) {
		return false
	}
	var members []*Member
	for _, e := range c {
		if e.key == "_class_name" {
			_ = json.Unmarshal(e.value, &f.class) // any other type is ignored
		}
		var class []*string
		if strings.HasPrefix(e.key, "_") || json.Unmarshal(e.value, &class) != nil || len(class) != 2 || class[1] == nil {
			continue
		}
		sub, err := inside(e.key)
		if err != nil {
			f.problem(Error, "%s: %s", file, err)
			continue
		}
		m := f.below(sub)
		switch {
		case m != nil:
			m.Name, m.Why = e.key, file
			members = append(members, m)
		case strings.Contains(*class[1], "OnnxRuntimeModel"):
			f.problem(Error, "%s: there is no model in %q", file, e.key)
		}
	}
	if len(members) == 0 {
		f.problem(Warning, "%s names no model of the folder; the folder is read by its file names instead", file)
		return false
	}
	f.keepVAE(&members)
	for _, m := range f.Members {
		if !slices.Contains(members, m) {
			f.Assumed = append(f.Assumed, fmt.Sprintf("%s is not named by %s, and is left out", m.File, file))
		}
	}
	f.Why, f.Members = file, members
	return true
}

// below returns the member in a subfolder, or nil.
func (f *Folder) below(sub string) *Member {
	for _, m := range f.Members {
		if strings.HasPrefix(m.File, sub+"/") {
			return m
		}
	}
	return nil
}

// keepVAE adds both halves of a variational autoencoder. PyTorch has them in one part called vae,
// which some exporters keep in model_index.json.
func (f *Folder) keepVAE(members *[]*Member) {
	for _, m := range f.Members {
		if (m.Role == VAEEncoder || m.Role == VAEDecoder) && !slices.Contains(*members, m) {
			m.Name = string(m.Role)
			*members = append(*members, m)
		}
	}
}
