package ort

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path"
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
		err = errors.New("expected a command, as ssh gpu1")
	}
	if err != nil {
		return nil, fmt.Errorf("--on %q: %w", text, err)
	}
	return &Launcher{text, words}, nil
}

// String is the launcher as it was given.
func (l *Launcher) String() string { return l.text }

// command is what starts a worker: one that finds its library by itself, unless one
// is named. What it is told is a single word of letters, digits, "-", "_" and "=",
// which no shell on the way takes apart.
func (l *Launcher) command(o Options) ([]string, error) {
	setup, err := proto.Marshal(&wire.Setup{Runtime: o.Library, Python: o.Python, MemoryLimit: o.MemoryLimit})
	if err != nil {
		return nil, err
	}
	args := l.words[:len(l.words):len(l.words)]
	if !l.namesWorker() {
		args = append(args, "lathe", "worker")
	}
	return append(args, "--options="+base64.RawURLEncoding.EncodeToString(setup)), nil
}

// namesWorker reports whether the words end in a worker, be it inside of one for a
// shell. A machine may be called worker, so the program before it counts.
func (l *Launcher) namesWorker() bool {
	last := strings.Fields(strings.Join(l.words, " "))
	n := len(last)
	return n >= 2 && last[n-1] == "worker" && strings.HasPrefix(path.Base(last[n-2]), "lathe")
}

// Setup is what a worker behind a launcher was told.
type Setup struct {
	Runtime, Python string // as the flags of these names
	MemoryLimit     int64
}

// ParseSetup reads the word that a launcher passed on.
func ParseSetup(word string) (Setup, error) {
	data, err := base64.RawURLEncoding.DecodeString(word)
	var s wire.Setup
	if err == nil {
		err = proto.Unmarshal(data, &s)
	}
	if err != nil {
		return Setup{}, fmt.Errorf("--options %q: %w", word, err)
	}
	return Setup{s.GetRuntime(), s.GetPython(), s.GetMemoryLimit()}, nil
}
