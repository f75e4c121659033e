package folder

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
)

// genaiConfig is the part of genai_config.json that says which models there are and what their
// inputs and outputs are called.
type genaiConfig struct {
	Model map[string]json.RawMessage `json:"model"`
}

// component is a model of a configuration. Inputs and Outputs have the names of ports by what they
// are. A name may have %d for the number of a layer.
type component struct {
	file            string
	inputs, outputs map[string]string
	stage           *stage
}

// stage is one of several models that a decoder is cut into. The names of its ports are the wires.
type stage struct {
	Filename   string            `json:"filename"`
	Inputs     []string          `json:"inputs"`
	Outputs    []string          `json:"outputs"`
	Forwarder  map[string]string `json:"output_names_forwarder"`
	OnPrompt   *bool             `json:"run_on_prompt"`
	OnTokenGen *bool             `json:"run_on_token_gen"`
}

// genaiRoles are the models that genai_config.json can have.
var genaiRoles = []struct {
	key  string
	role Role
}{{"encoder", Encoder}, {"vision", Vision}, {"speech", Speech}, {"embedding", Embedding}, {"decoder", Decoder}}

// takeGenAI recognizes a folder of ONNX Runtime GenAI.
func takeGenAI(f *Folder, l *listing) bool {
	const file = "genai_config.json"
	var c genaiConfig
	if !f.readConfig(l, file, &c) {
		return false
	}
	g := genaiReader{f: f, l: l, found: map[string]*Member{}}
	for _, row := range genaiRoles {
		if raw := c.Model[row.key]; len(raw) > 0 {
			g.component(row.key, row.role, raw)
		}
	}
	if len(g.members) == 0 {
		f.problem(Warning, "%s names no model; the folder is read by its file names instead", file)
		return false
	}
	for _, m := range f.Members {
		if !g.named(m.File) && !slices.ContainsFunc(m.Variants, g.named) {
			f.Assumed = append(f.Assumed, fmt.Sprintf("%s is not named by %s, and is left out", m.File, file))
		}
	}
	f.Why, f.Members = file, g.members
	nameStages(f.Members)
	return true
}

type genaiReader struct {
	f       *Folder
	l       *listing
	members []*Member
	found   map[string]*Member // by file
}

func (g *genaiReader) named(file string) bool { return g.found[file] != nil }

// component adds the model of one key of the configuration, or the stages of a decoder.
func (g *genaiReader) component(key string, role Role, raw json.RawMessage) {
	var c struct {
		Filename string            `json:"filename"`
		Inputs   map[string]any    `json:"inputs"`
		Outputs  map[string]any    `json:"outputs"`
		Pipeline []json.RawMessage `json:"pipeline"`
	}
	if err := decode(raw, &c); err != nil {
		g.f.problem(Warning, "genai_config.json: model.%s %s", key, err)
		return
	}
	ports := component{file: "genai_config.json", inputs: texts(c.Inputs), outputs: texts(c.Outputs)}
	for _, p := range c.Pipeline {
		g.stages(p, ports)
	}
	if len(c.Pipeline) == 0 && c.Filename != "" {
		m := g.add(key, role, c.Filename)
		if m != nil {
			m.config = &ports
		}
	}
}

// stages adds the stages of one object of the pipeline. ports are those of the decoder as a whole.
func (g *genaiReader) stages(raw json.RawMessage, ports component) {
	var list ordered
	if err := decode(raw, &list); err != nil {
		g.f.problem(Warning, "genai_config.json: model.decoder.pipeline %s", err)
		return
	}
	for _, e := range list {
		s := &stage{}
		if err := decode(e.value, s); err != nil {
			g.f.problem(Warning, "genai_config.json: stage %q %s", e.key, err)
			continue
		}
		if m := g.add(e.key, Stage, s.Filename); m != nil {
			own := ports
			own.stage = s
			m.Name, m.config = e.key, &own
		}
	}
}

// add adds a member, or a problem if there is no such file. A file that two keys name is one member.
func (g *genaiReader) add(key string, role Role, name string) *Member {
	file, err := inside(name)
	if err != nil {
		g.f.problem(Error, "genai_config.json: %s: %s", key, err)
		return nil
	}
	if !g.l.files[file] {
		g.f.problem(Error, "genai_config.json: %s: there is no file %q in the folder", key, name)
		return nil
	}
	if g.named(file) {
		g.f.problem(Warning, "genai_config.json: %s: %q is the file of %q, too", key, name, g.found[file].Name)
		return nil
	}
	m := &Member{Name: string(role), Role: role, File: file, Path: g.l.at(file), Why: "genai_config.json"}
	g.members, g.found[file] = append(g.members, m), m
	return m
}

// nameStages makes the names of members different.
func nameStages(members []*Member) {
	used := map[string]bool{}
	for _, m := range members {
		if used[m.Name] {
			m.Name = path.Base(m.File)
		}
		used[m.Name] = true
	}
}

// texts returns the entries whose values are text.
func texts(in map[string]any) map[string]string {
	out := map[string]string{}
	for k, v := range in {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}
