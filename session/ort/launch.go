package ort

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"lathe/session/ort/wire"
)

// Launcher is a command that ends in a worker, on another machine most often: the
// words of "ssh gpu1", behind which comes "lathe worker".
type Launcher struct {
	text  string
	words []string
}

// ParseLauncher reads a launcher as a shell would, quotes included; nothing is
// expanded. Words that end in a worker themselves, as "ssh gpu1 /opt/lathe/bin/lathe
// worker", are taken as they are.
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

// keepsOutput is an error where Slurm is told to write the output of its tasks to a
// file. Nothing of a worker would ever be heard.
func keepsOutput(words []string) error {
	srun := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "srun" })
	for _, w := range words[srun+1:] {
		if srun < 0 || strings.HasPrefix(path.Base(w), "lathe") {
			break
		}
		if strings.HasPrefix(w, "--output") || strings.HasPrefix(w, "-o") {
			return fmt.Errorf("srun %s writes what the worker answers to a file; leave it out", w)
		}
	}
	return nil
}

// String is the launcher as it was given.
func (l *Launcher) String() string { return l.text }

// command is what starts a worker: one that finds its library by itself, unless one
// is named. What it is told is a single word of letters, digits, "-", "_" and "=",
// which no shell on the way takes apart.
func (l *Launcher) command(o Options) ([]string, error) {
	setup, err := proto.Marshal(&wire.Setup{Runtime: o.Library, Python: o.Python, MemoryLimit: o.MemoryLimit, SlurmStep: slurmStep()})
	if err != nil {
		return nil, err
	}
	options := "--options=" + base64.RawURLEncoding.EncodeToString(setup)
	args := slices.Clone(l.words)
	switch last := args[len(args)-1]; {
	case !l.namesWorker():
		return append(args, "lathe", "worker", options), nil
	case strings.ContainsAny(last, " \t\n"):
		// It is a command for a shell, as in bash -lc 'lathe worker', which takes the next
		// word for the name of the command.
		args[len(args)-1] = last + " " + options
		return args, nil
	}
	return append(args, options), nil
}

// namesWorker reports whether the words end in a worker, be it inside of one for a
// shell. A machine may be called worker, so the program before it counts.
func (l *Launcher) namesWorker() bool {
	last := strings.Fields(strings.Join(l.words, " "))
	n := len(last)
	return n >= 2 && last[n-1] == "worker" && strings.HasPrefix(path.Base(last[n-2]), "lathe")
}
