package ort

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/ort/ep"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// ErrLimited is the error of a request for which the worker's sandbox is too narrow, because it was
// made for an earlier model. A new worker can serve the request.
var ErrLimited = errors.New("the sandbox of this worker was made for another model")

// IsLimited reports whether a model was loaded that limits what the worker can read, so that it can
// open no other files.
func (c *Client) IsLimited() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allowed != nil
}

// limitTo adds to a request what the worker may use for it. It returns ErrLimited if the worker is
// limited already and cannot serve the request.
func (c *Client) limitTo(load *wire.Load, m Model) error {
	if c.sandbox == sandbox.Off || m.Own {
		return nil
	}
	load.Allow = m.allow(load)
	// A worker behind a launcher stays for further models, which may need its folder.
	load.Allow.Scratch = load.Allow.Scratch || c.launcher != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.allowed == nil {
		c.allowed = load.Allow
		return nil
	}
	if !c.allowed.Covers(load.Allow) {
		return ErrLimited
	}
	return nil
}

// allow returns what a worker may use for a model.
func (m Model) allow(load *wire.Load) *wire.Allow {
	a := &wire.Allow{Files: slices.Concat(load.Files, wire.Files(m.Sources...)), Libraries: load.Options.CustomOps}
	a.Scratch = load.Options.Profile || load.Options.Dump
	if m.Sent {
		a.Folders = append(a.Folders, filepath.Dir(m.Path))
	}
	for _, p := range load.Options.Providers {
		a.Providers = append(a.Providers, p.Name)
		addOptions(a, p.Options)
	}
	accelerated := slices.ContainsFunc(a.Providers, func(name string) bool { return name != ep.CPU })
	if accelerated || len(a.Libraries) > 0 {
		a.Folders = append(a.Folders, m.folders(a.Files)...)
	}
	if load.Options.Dump { // the worker opens the folder of the weights to which the graph refers
		a.Listed = m.folders(a.Files)
	}
	if load.Compile != nil {
		a.Written = append(a.Written, filepath.Dir(load.Compile.Path))
	}
	return a
}

// folders returns the folders of a model's files. Providers and custom operators look there for files
// of their own.
func (m Model) folders(files []wire.File) []string {
	var out []string
	add := func(folder string) {
		if folder != "" && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	add(m.Folder)
	if m.Path != "" {
		add(filepath.Dir(m.Path))
	}
	for _, f := range files {
		add(filepath.Dir(f.Real))
	}
	return out
}

// addOptions permits the files and folders that options of a provider name: caches are written, and
// everything else is read.
func addOptions(a *wire.Allow, options map[string]string) {
	for key, value := range options {
		switch {
		case !filepath.IsAbs(value):
		case strings.Contains(key, "cache") || strings.Contains(key, "dump"):
			a.Written = append(a.Written, value)
		default:
			a.Folders = append(a.Folders, value)
		}
	}
	slices.Sort(a.Written)
	slices.Sort(a.Folders)
}

// noteBlocked reports to the caller which system calls the sandbox refused.
func (c *Client) noteBlocked(names []string, cl *call) {
	if len(names) == 0 || c.note == nil {
		return
	}
	const most = 8
	said := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		said = append(said, shown(name))
	}
	line := strings.Join(said, ", ")
	if more := len(names) - most; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	c.note(fmt.Sprintf("the sandbox refused %s while %s: %s", text.Plural(len(names), "system call"), while(cl.phase, cl.model), line))
}
