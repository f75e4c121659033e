//go:build cgo

package worker

import (
	"context"
	"encoding/json"
	"os"
	"slices"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session/ort/wire"
)

// openJob reads the structure of a model file of this machine.
func (s *server) openJob(id uint64, open *wire.Open) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		m, err := graphops.Open(open.GetPath(), graphops.OpenOptions{AllowExternal: open.GetAllowExternal(), Text: onnxtext.Serialize})
		if err != nil {
			return nil, err
		}
		structure, err := graphops.StructureOf(m)
		if err != nil {
			return nil, err
		}
		if err := s.sendContent(ctx, id, structure.Bytes); err != nil {
			return nil, err
		}
		return &wire.Reply{Body: &wire.Reply_Opened{Opened: &wire.Opened{
			Origin:        wire.Files(structure.Origin)[0],
			Files:         wire.Files(structure.Files...),
			Unread:        structure.Unread,
			RefusedAsFile: s.refusesFile(m),
		}}}, nil
	}}
}

// refusesFile reports whether the library is known not to take the model's file as it
// is, which may be text.
func (s *server) refusesFile(m *graphops.Model) bool {
	warnings := graphops.ExternalWarnings(m, func() string { return s.lib.version })
	return m.Edited() || slices.ContainsFunc(warnings, func(w graphops.ExternalWarning) bool { return w.Kind == graphops.ExternalRefused })
}

// restore gives a loader the image of a model whose structure has been elsewhere.
func (l *loader) restore(structure []byte) error {
	m, err := graphops.Structure{
		Bytes: structure, Files: wire.StoredFiles(l.load.GetFiles()...), Unread: l.load.GetUnread(),
	}.Here()
	if err != nil {
		return err
	}
	image, err := graphops.ImageOf(m)
	if err != nil {
		return err
	}
	l.load.ExternalFolder = image.Folder
	l.source = l.lib.fromBytes(func() []byte { return image.Bytes })
	return nil
}

// checkFiles is an error unless the files that a model was loaded from are as they
// were when it was opened. What was loaded is what lay there by then.
func checkFiles(load *wire.Load) error {
	for _, f := range wire.StoredFiles(load.GetFiles()...) {
		if err := f.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// machineJob tells what machine this is.
func (s *server) machineJob(id uint64) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		text, err := json.Marshal(bench.ReadEnvironment(os.DirFS("/")))
		if err == nil {
			err = s.sendContent(ctx, id, text)
		}
		return done(), err
	}}
}

// sendContent sends what comes back beside values.
func (s *server) sendContent(ctx context.Context, id uint64, content []byte) error {
	s.send(&wire.Reply{Id: id, Body: &wire.Reply_Content{Content: &wire.Content{Bytes: int64(len(content))}}}, nil)
	return s.sendData(ctx, id, [][]byte{content})
}
