package flags

import (
	"strings"

	"lathe/graphops/roles"
	"lathe/session"
)

// Roles has the option that states what inputs and outputs are for.
type Roles struct{ Role []string }

// Option returns the option.
func (r *Roles) Option() session.Option {
	return session.List(&r.Role, "role", "state what an input or output is for: `NAME=ROLE`, or NAME=past:NAME for an input that is the cache before a run and the output after it; ROLE is one of "+
		strings.Join(roles.Words(), ", ")+"; repeat for several").WithDefault("what the graph shows").Naming(session.NamesInput, "=").AsRare()
}

// Stated returns the roles that are stated.
func (r *Roles) Stated() ([]roles.Given, error) {
	var out []roles.Given
	for _, s := range r.Role {
		g, err := roles.ParseGiven(s)
		if err != nil {
			return nil, session.UsageError("--role: " + err.Error())
		}
		out = append(out, g)
	}
	return out, nil
}
