//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// Session config entries for the file to which a session writes its graph. Without them, a weight
// that is stored in a file and that no optimization changed stays a reference to that file. The
// other weights become part of the graph file, which must not exceed protobuf's size limit. With
// them, all weights are copied to a separate file.
const (
	dumpDataKey = "session.optimized_model_external_initializers_file_name"
	dumpMinKey  = "session.optimized_model_external_initializers_min_size_in_bytes"
)

// dump says where a session has written its optimized graph.
type dump struct {
	folder string
	real   string // the folder with symbolic links resolved
	model  string // path of the graph file
	// from is the folder of the original model's external data; references in the graph to its
	// files are relative to it.
	from string
}

// enableDump makes a session that is created with these options write its optimized graph. If apart
// is set, the weights go to a separate file, because graph and weights together are too large for
// one.
func (o *sessionOptions) enableDump(load *wire.Load, apart bool) error {
	folder, err := o.kept.folder()
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	o.dump = dump{folder: folder, real: real, from: load.ExternalFolder}
	name := o.dump.freeName("graph")
	o.dump.model = filepath.Join(folder, name)
	path, err := cString(o.dump.model)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(path))
	if err := check(C.ort_SetOptimizedModelFilePath(o.handle(), path)); err != nil || !apart {
		return err
	}
	if err := setConfig(o.SessionOptions, dumpDataKey, o.dump.freeName("weights")); err != nil {
		return err
	}
	return setConfig(o.SessionOptions, dumpMinKey, strconv.Itoa(graphops.DefaultMinExternal))
}

// freeName returns base, with a number if necessary, as a file name that is not used in the folder
// of the original model's data. The graph's file and links to those data files will be in one
// folder, so their names must differ.
func (d dump) freeName(base string) string {
	for name, i := base, 2; ; name, i = fmt.Sprintf("%s-%d", base, i), i+1 {
		if _, err := os.Lstat(filepath.Join(d.from, name)); d.from == "" || errors.Is(err, os.ErrNotExist) {
			return name
		}
	}
}

// tooLargeToDump reports whether a session could not be created because its optimized graph is too
// large for one file.
func tooLargeToDump(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Protobuf serialization failed")
}

func (d dump) remove() {
	if d.folder != "" {
		_ = os.RemoveAll(d.folder)
	}
}

// open reads the structure of the graph. For each file of the original model that the graph refers
// to, it creates a link in the graph's folder. A link must not lead outside of the folder of the
// original model's data.
func (d dump) open() (graphops.Structure, error) {
	var allow []string
	if d.from != "" {
		allow = append(allow, d.from)
	}
	m, err := graphops.Open(d.model, graphops.OpenOptions{AllowExternal: allow})
	if err != nil {
		return graphops.Structure{}, err
	}
	for t := range m.ExternalTensors() {
		r, err := t.ExternalRange()
		if err != nil {
			return graphops.Structure{}, fmt.Errorf("the optimized graph: tensor %q: %w", t.Name(), err)
		}
		if err := d.link(r.Location); err != nil {
			return graphops.Structure{}, err
		}
	}
	s, err := graphops.StructureOf(m)
	for location, why := range s.Unread {
		err = errors.Join(err, fmt.Errorf("the optimized graph: weights in %q: %s", location, why))
	}
	for i, f := range s.Files {
		s.Files[i].Passing = filepath.Dir(f.Real) == d.real
	}
	return s, err
}

func (d dump) link(location string) error {
	if location != filepath.Base(location) || !filepath.IsLocal(location) {
		return fmt.Errorf("the optimized graph refers to %q, expected a file in one folder", location)
	}
	here := filepath.Join(d.folder, location)
	if _, err := os.Lstat(here); err == nil || d.from == "" {
		return nil
	}
	return os.Symlink(filepath.Join(d.from, location), here)
}

func (s *server) dumpJob(id uint64, req *wire.Dump) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		dumped := &wire.Dumped{}
		_, err := s.withSession(ctx, req.Session, func(target *session) error {
			if target.dump.folder == "" {
				return errors.New("the session was loaded without keeping its optimized graph")
			}
			structure, err := target.dump.open()
			if err != nil {
				return err
			}
			dumped.Files, dumped.Transformers = wire.Files(structure.Files...), transformersIn(target.log)
			return s.sendContent(ctx, id, structure.Bytes)
		})
		return &wire.Reply{Dumped: dumped}, err
	}}
}

// transformersIn returns the optimizations that changed the graph, from log lines such as
// "GraphTransformer MatMulAddFusion modified: 1 with status: OK".
func transformersIn(log []wire.LogLine) []string {
	var out []string
	for _, line := range log {
		rest, ok := strings.CutPrefix(line.Message, "GraphTransformer ")
		name, _, changed := strings.Cut(rest, " modified: 1")
		if ok && changed && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
