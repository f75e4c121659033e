//go:build cgo

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// openJob returns the job that reads the structure of a model file on this machine and sends it to
// the client.
func (s *server) openJob(id uint64, open *wire.Open) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		m, err := graphops.Open(open.Path, graphops.OpenOptions{AllowExternal: open.AllowExternal, Text: onnxtext.Serialize})
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
		return &wire.Reply{Opened: &wire.Opened{
			Origin:        wire.Files(structure.Origin)[0],
			Files:         wire.Files(structure.Files...),
			Unread:        structure.Unread,
			RefusedAsFile: s.refusesFile(m),
		}}, nil
	}}
}

// refusesFile reports whether the library is known not to load the model's file as it is, for
// example because it is text.
func (s *server) refusesFile(m *graphops.Model) bool {
	warnings := graphops.ExternalWarnings(m, func() string { return s.lib.version })
	return m.Edited() || slices.ContainsFunc(warnings, func(w graphops.ExternalWarning) bool { return w.Kind == graphops.ExternalRefused })
}

// restore builds the model to load from a structure that the client received from openJob and has
// sent back, perhaps edited. The weights are in files on this machine.
func (l *loader) restore(structure []byte) error {
	m, err := graphops.Structure{
		Bytes: structure, Files: wire.StoredFiles(l.load.Files...), Unread: l.load.Unread,
	}.Here()
	if err != nil {
		return err
	}
	image, err := graphops.ImageOf(m)
	if err != nil {
		return err
	}
	l.load.ExternalFolder = image.Folder
	l.source = fromBytes(func() []byte { return image.Bytes })
	return nil
}

// checkFiles returns an error if a file of the model has changed since it was opened. It runs after
// loading, so it covers changes up to that moment.
func checkFiles(load *wire.Load) error {
	for _, f := range wire.StoredFiles(load.Files...) {
		if err := f.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// machineJob returns the job that sends a description of this machine and its present state.
func (s *server) machineJob(id uint64) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		text, err := json.Marshal(s.machine())
		if err == nil {
			err = s.sendContent(ctx, id, text)
		}
		return done(), err
	}}
}

// machine returns the present state of the machine and of the devices that sessions run on.
func (s *server) machine() machine.State {
	state := machine.Here()
	for _, number := range s.cudaDevices() {
		g, err := installedDriver.read(number)
		if err != nil {
			state.Counters.Unread = append(state.Counters.Unread, fmt.Sprintf("device %d: %v", number, err))
			continue
		}
		state.Counters.GPUs = append(state.Counters.GPUs, g)
	}
	return state
}

// cudaDevices returns the numbers of the CUDA devices that sessions run on.
func (s *server) cudaDevices() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for _, x := range s.sessions {
		if p, _ := ep.Find(x.provider); p.NVIDIA && !slices.Contains(out, x.deviceID) {
			out = append(out, x.deviceID)
		}
	}
	slices.Sort(out)
	return out
}

// sendContent sends bytes that are not part of a value, such as the structure of a model.
func (s *server) sendContent(ctx context.Context, id uint64, content []byte) error {
	s.send(&wire.Reply{ID: id, Content: &wire.Content{Bytes: int64(len(content))}}, nil)
	return s.sendData(ctx, id, [][]byte{content})
}

// sendStream sends size bytes that it reads from r, without holding all of them in memory.
func (s *server) sendStream(ctx context.Context, id uint64, r io.Reader, size int64) error {
	s.send(&wire.Reply{ID: id, Content: &wire.Content{Bytes: size}}, nil)
	piece := make([]byte, min(size, wire.MaxPayload))
	for left := size; left > 0; {
		n, err := io.ReadFull(r, piece[:min(left, wire.MaxPayload)])
		if err != nil {
			return err
		}
		if err := s.sendData(ctx, id, [][]byte{piece[:n]}); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}
