package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Machine is where something ran.
type Machine struct {
	// ID is a sum of what makes the machine fast or slow: two with the same are one, as far
	// as timing goes. It has neither the name, which containers draw by lot, nor what
	// changes while the machine runs.
	ID string `json:"id"`
	// Name is what people call it: its host name, else the launcher or the processor.
	Name string `json:"name"`
	// Environment is what the machine told about itself, as the document has it.
	Environment json.RawMessage `json:"environment,omitempty"`
}

// NewMachine makes a machine of an environment, as a bench.Environment is written, and the
// launcher that led there, "" for this machine.
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

// Trait is a property of a machine that its speed depends on.
type Trait struct{ Name, Value string }

// identity are the keys of an environment that tell machines apart. Memory counts in
// gibibytes: the system takes a little more or less of it at each start.
var identity = []string{"cpu", "cores", "cpu_limit", "memory_bytes", "os", "arch"}

// Traits are the properties that are known.
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

// facts are what the environment tells, as text; what is unknown is left out.
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
