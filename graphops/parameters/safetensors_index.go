package parameters

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"lathe/graphops"
)

// maxShards is the maximum number of files that an index may list. The largest models have about
// 200.
const maxShards = 1000

// weightMap is the member of an index that has the file of each tensor.
const weightMap = "weight_map"

// shard is one file of a model that is stored in several files.
type shard struct {
	location string
	wanted   map[string]bool // the tensors that the index expects in it
}

// readSafetensorsIndex reads the files that an index lists. They must be in the folder of the index
// and contain the tensors that it lists for them.
func readSafetensorsIndex(f *graphops.File) (*Set, error) {
	if f.Size() > maxHeader {
		return nil, fmt.Errorf("the index has %d bytes, at most %d are supported", f.Size(), maxHeader)
	}
	shards, err := readWeightMap(f)
	if err != nil {
		return nil, err
	}
	s := &Set{Path: f.Path(), Kind: Safetensors, Files: []*graphops.File{f}}
	for _, sh := range shards {
		if err := s.addShard(f, sh); err != nil {
			s.Close() // including f: nothing of it is used
			return nil, err
		}
	}
	return s, nil
}

func readWeightMap(f *graphops.File) ([]*shard, error) {
	var shards []*shard
	byLocation := map[string]*shard{}
	found := false
	d := newDocument(io.NewSectionReader(f, 0, f.Size()))
	d.object(func(key string) {
		if key != weightMap {
			d.skip()
			return
		}
		found = true
		d.object(func(name string) {
			location := d.text()
			sh := byLocation[location]
			if sh == nil {
				if sh = (&shard{location, map[string]bool{}}); len(shards) == maxShards {
					d.fail("more than %d files", maxShards)
				}
				byLocation[location] = sh
				shards = append(shards, sh)
			}
			sh.wanted[name] = true
		})
	})
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if !found {
		return nil, fmt.Errorf("index: %q, which names the file of each tensor, is missing", weightMap)
	}
	return shards, nil
}

// addShard adds the tensors that the index lists for a shard. If the shard has other tensors too,
// addShard warns that they are left out: the right ones may be in another shard.
func (s *Set) addShard(index *graphops.File, sh *shard) error {
	f, err := index.Beside(sh.location)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(s.Files, f.Is) {
		return fmt.Errorf("shard %q is the same file as another shard or the index", brief(sh.location))
	}
	s.Files = append(s.Files, f)
	h, err := readSafetensorsHeader(f)
	if err != nil {
		return fmt.Errorf("shard %q: %w", brief(sh.location), err)
	}
	taken := 0
	for _, e := range h.entries {
		if sh.wanted[e.Name] {
			s.Entries = append(s.Entries, e)
			taken++
			delete(sh.wanted, e.Name)
		}
	}
	if missing := slices.Sorted(maps.Keys(sh.wanted)); len(missing) > 0 {
		return fmt.Errorf("shard %q: %d tensors that the index lists for it are missing, the first is %q", brief(sh.location), len(missing), brief(missing[0]))
	}
	if more := len(h.entries) - taken; more > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("shard %q: %d tensors are left out, because the index does not list them for it", brief(sh.location), more))
	}
	for _, m := range h.metadata {
		if !slices.Contains(s.Metadata, m) {
			s.Metadata = append(s.Metadata, m)
		}
	}
	return nil
}
