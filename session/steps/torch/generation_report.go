package torch

import (
	"io"
	"path/filepath"
	"strings"

	"lathe/session"
	"lathe/session/text"
)

// generationReport is the report of the export of a model that generates, into a folder.
type generationReport struct {
	Schema  string             `json:"schema"`
	Kind    string             `json:"kind"` // "folder"
	OK      bool               `json:"ok"`
	Path    string             `json:"path"`
	Out     string             `json:"out"` // "" if nothing was written
	Members []generationMember `json:"members"`
	Copied  []string           `json:"copied"` // files of the transformer, relative to the folder
	Made    string             `json:"made"`   // a configuration that was written, or ""
	config  string
}

// generationMember is one of the models.
type generationMember struct {
	File   string       `json:"file"`
	Report *torchReport `json:"report"`
	no     bool
}

var (
	_ session.Thorough   = (*generationReport)(nil)
	_ session.Suggesting = (*generationReport)(nil)
)

// last returns the report of the last model that was tried. It is empty if none was.
func (r *generationReport) last() *torchReport {
	if len(r.Members) == 0 {
		return newTorchReport()
	}
	return r.Members[len(r.Members)-1].Report
}

// Retry implements session.Suggesting.
func (r *generationReport) Retry() []session.Setting { return r.last().Retry() }

// Wrong implements session.Suggesting.
func (r *generationReport) Wrong() (text, remedy string) { return r.last().Wrong() }

// settle sets whether every model is right.
func (r *generationReport) settle() {
	r.OK = r.Out != ""
	for _, m := range r.Members {
		r.OK = r.OK && m.Report.OK && !m.no
		if r.Out == "" { // what was exported was not kept
			m.Report.File = nil
		}
	}
}

// files returns the files that were written.
func (r *generationReport) files() (files []string) {
	if r.Out == "" {
		return nil
	}
	for _, m := range r.Members {
		files = append(files, m.Report.File.Files()...)
	}
	for _, name := range r.others() {
		files = append(files, filepath.Join(r.Out, name))
	}
	return files
}

func (r *generationReport) others() []string {
	if r.Made == "" {
		return r.Copied
	}
	return append(r.Copied[:len(r.Copied):len(r.Copied)], r.Made)
}

// WriteText implements session.Report.
func (r *generationReport) WriteText(w io.Writer) error { return r.write(w, false) }

// WriteWhole implements session.Thorough.
func (r *generationReport) WriteWhole(w io.Writer) error { return r.write(w, true) }

func (r *generationReport) write(w io.Writer, whole bool) error {
	p := text.NewPrinter(w)
	for _, m := range r.Members {
		p.Line("%s: %s", m.File, m.Report.headline())
		if err := m.Report.writeBody(w, whole); err != nil {
			return err
		}
	}
	if r.Out == "" {
		p.Line("no folder was written")
		return p.Err()
	}
	line := "wrote the folder " + text.Clean(r.Out) + ": " + text.Plural(len(r.Members), "model")
	if len(r.Copied) > 0 {
		line += "; copied " + text.Clean(strings.Join(r.Copied, ", "))
	}
	if r.Made != "" {
		line += "; " + r.Made + " from the configuration of the model"
	}
	p.Line("%s", line)
	return p.Err()
}
