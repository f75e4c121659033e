package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Machine is the machine on which a model ran.
type Machine struct {
	// ID is a checksum of the properties that determine the machine's speed. Machines with the same
	// ID count as the same for timings. It includes neither the name, which is random in
	// containers, nor properties that change while the machine runs.
	ID string `json:"id"`
	// Name is the host name. If that is not known, it is the launcher, or else the name of the
	// processor.
	Name string `json:"name"`
	// Environment is the machine's description as JSON, in the form of bench.Environment.
	Environment json.RawMessage `json:"environment,omitempty"`
}

// NewMachine returns the machine for an environment, in the JSON form of bench.Environment, and the
// launcher to it, which is empty for this machine.
func NewMachine(environment json.RawMessage, launcher string) Machine {
	m := Machine{Environment: environment}
	traits := m.Traits()
	h := sha256.New()
	for _, t := range traits {
		fmt.Fprintf(h, "%s=%s\n", t.Name, t.Value)
	}
	m.ID = hex.EncodeToString(h.Sum(nil))[:2*shortDigits]
	facts := m.facts()
	for _, name := range []string{facts["host"], launcher, facts["cpu"], "this machine"} {
		if name != "" {
			m.Name = name
			return m
		}
	}
	return m
}

// Trait is a property on which a machine's speed depends.
type Trait struct{ Name, Value string }

// identity lists the keys of an environment that distinguish machines. Their values determine
// Machine.ID. Memory is rounded to gibibytes, because the system reserves a slightly different
// amount at each start.
var identity = []string{"cpu", "cores", "cpu_limit", "memory_bytes", "os", "arch"}

// Traits returns those of the machine's properties in identity that are known.
func (m Machine) Traits() []Trait {
	facts := m.facts()
	var out []Trait
	for _, key := range identity {
		value := facts[key]
		if n, err := strconv.ParseInt(value, 10, 64); key == "memory_bytes" && err == nil {
			key, value = "memory", strconv.FormatInt((n+1<<29)>>30, 10)+" GiB"
		}
		if value != "" {
			out = append(out, Trait{key, value})
		}
	}
	return out
}

// facts returns the known values of the environment as text, by key.
func (m Machine) facts() map[string]string {
	var fields map[string]any
	dec := json.NewDecoder(strings.NewReader(string(m.Environment)))
	dec.UseNumber()
	if dec.Decode(&fields) != nil {
		return nil
	}
	out := map[string]string{}
	for key, value := range fields {
		if s := factText(value); s != "" {
			out[key] = s
		}
	}
	return out
}

func factText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
