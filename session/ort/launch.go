package ort

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"lathe/session/ort/wire"
)

// Launcher is a command that starts a worker outside of this process's environment: on another
// machine, in a container or in a Slurm job. An example is "ssh gpu1", to which Lathe appends
// "lathe worker".
type Launcher struct {
	text  string
	words []string
}

// ParseLauncher splits a launcher into words as a shell would, with quotes but without expansion.
// If the words already end in a worker command, as in "ssh gpu1 /opt/lathe/bin/lathe worker",
// nothing is appended later.
func ParseLauncher(text string) (*Launcher, error) {
	words, err := splitWords(text)
	if err == nil && (len(words) == 0 || words[0] == "") {
		err = errors.New("expected a command, such as ssh gpu1")
	}
	if err == nil {
		err = keepsOutput(words)
	}
	if err != nil {
		return nil, fmt.Errorf("--on %q: %w", text, err)
	}
	return &Launcher{text, words}, nil
}

// keepsOutput returns an error if words is a command of Slurm's srun with an option that writes the
// output to a file. The client would then receive nothing from the worker.
func keepsOutput(words []string) error {
	srun := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "srun" })
	for _, w := range words[srun+1:] {
		if srun < 0 || strings.HasPrefix(path.Base(w), "lathe") {
			break
		}
		if strings.HasPrefix(w, "--output") || strings.HasPrefix(w, "-o") {
			return fmt.Errorf("srun %s writes the worker's answers to a file; remove it", w)
		}
	}
	return nil
}

// String returns the launcher as the user gave it.
func (l *Launcher) String() string { return l.text }

// command returns the command that starts a worker, as a list of words. The last word contains the
// worker's settings. It consists of letters, digits, "-", "_" and "=" only, so that no shell
// between Lathe and the worker splits it.
func (l *Launcher) command(o Options) ([]string, error) {
	setup, err := wire.EncodeSetup(wire.Setup{Runtime: o.Library, Python: o.Python, MemoryLimit: o.MemoryLimit, SlurmStep: slurmStep(), Plugins: o.Plugins, Sandbox: string(o.Sandbox), Find: o.Beside})
	if err != nil {
		return nil, err
	}
	options := "--options=" + base64.RawURLEncoding.EncodeToString(setup)
	args := slices.Clone(l.words)
	switch last := args[len(args)-1]; {
	case !l.namesWorker():
		return append(args, "lathe", "worker", options), nil
	case strings.ContainsAny(last, " \t\n"):
		// The last word is a command for a shell, as in bash -lc 'lathe worker'. A further word
		// would become the shell's $0, so the options go inside.
		args[len(args)-1] = last + " " + options
		return args, nil
	}
	return append(args, options), nil
}

// namesWorker reports whether the launcher ends in a worker command such as "lathe worker". The
// command may be inside the last word, as in bash -lc 'lathe worker'. "worker" alone is not enough,
// because a machine may have that name too.
func (l *Launcher) namesWorker() bool {
	last := strings.Fields(strings.Join(l.words, " "))
	n := len(last)
	return n >= 2 && last[n-1] == "worker" && strings.HasPrefix(path.Base(last[n-2]), "lathe")
}
