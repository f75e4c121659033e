package sizing

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// maxFile limits the size, in bytes, of a file beside the model that is read.
const maxFile = 1 << 20

// beside has the sizes that files beside a model state: preprocessor_config.json and config.json,
// which the transformers package writes, and genai_config.json of ONNX Runtime GenAI.
type beside struct {
	named     map[Kind]fromFile
	headSize  fromFile
	positions fromFile // the largest number of tokens
}

// fromFile is a size and the name of the file that states it. The size is 0 if no file states it.
type fromFile struct {
	size int64
	file string
}

// besideOf reads the files in the folder of a model. If that folder is called onnx, it also reads
// those in the folder that contains it. It reads nothing if the model is on another machine.
func besideOf(m *graphops.Model) beside {
	b := beside{named: map[Kind]fromFile{}}
	if m.Path() == "" || m.Machine() != "" {
		return b
	}
	folder := filepath.Dir(m.Path())
	folders := []string{folder}
	if strings.EqualFold(filepath.Base(folder), "onnx") {
		folders = append(folders, filepath.Dir(folder))
	}
	for _, folder := range folders {
		b.readPreprocessor(folder)
		b.readConfig(folder)
		b.readGenAI(folder)
	}
	return b
}

// size returns the size that a file states for a symbol, and the name of that file.
func (b beside) size(s Symbol) (n int64, file string, ok bool) {
	of, ok := b.named[s.Kind]
	if !ok && isHeadSize(s.Name) {
		of, ok = b.headSize, b.headSize.size > 0
	}
	return of.size, of.file, ok
}

func isHeadSize(name string) bool {
	return hasAny(strings.ToLower(name), "head_dim", "head_size", "kv_cache_dim")
}

// name stores the size that a file states for a kind of symbol, unless a file that was read earlier
// states one.
func (b *beside) name(k Kind, n int64, file string) {
	if _, known := b.named[k]; !known && n > 0 && n <= maxSize {
		b.named[k] = fromFile{n, file}
	}
}

func (b *beside) readPreprocessor(folder string) {
	const file = "preprocessor_config.json"
	var c struct {
		Size         edges `json:"size"`
		CropSize     edges `json:"crop_size"`
		DoCenterCrop *bool `json:"do_center_crop"`
		SamplingRate count `json:"sampling_rate"`
		MaxFrames    count `json:"nb_max_frames"`
		MaxLength    count `json:"max_length"`
		MelBins      count `json:"num_mel_bins"`
	}
	if !readJSON(filepath.Join(folder, file), &c) {
		return
	}
	if c.CropSize.height > 0 && (c.DoCenterCrop == nil || *c.DoCenterCrop) {
		c.Size = c.CropSize
	}
	b.name(kindHeight, c.Size.height, file)
	b.name(kindWidth, c.Size.width, file)
	b.name(kindSamples, int64(c.SamplingRate), file)
	b.name(kindFrames, int64(c.MaxFrames), file)
	if c.MelBins > 0 {
		b.name(kindFrames, int64(c.MaxLength), file)
	}
}

func (b *beside) readConfig(folder string) {
	const file = "config.json"
	type vision struct {
		ImageSize   edges `json:"image_size"`
		NumChannels count `json:"num_channels"`
	}
	var c struct {
		vision
		Vision    vision `json:"vision_config"`
		Positions count  `json:"max_position_embeddings"`
		HeadDim   count  `json:"head_dim"`
	}
	if !readJSON(filepath.Join(folder, file), &c) {
		return
	}
	for _, v := range []vision{c.vision, c.Vision} {
		b.name(kindHeight, v.ImageSize.height, file)
		b.name(kindWidth, v.ImageSize.width, file)
		b.name(kindChannels, int64(v.NumChannels), file)
	}
	if b.positions.size == 0 {
		b.positions = fromFile{int64(c.Positions), file}
	}
	if b.headSize.size == 0 {
		b.headSize = fromFile{int64(c.HeadDim), file}
	}
}

func (b *beside) readGenAI(folder string) {
	const file = "genai_config.json"
	var c struct {
		Model struct {
			ContextLength count `json:"context_length"`
			Decoder       struct {
				HeadSize count `json:"head_size"`
			} `json:"decoder"`
		} `json:"model"`
	}
	if !readJSON(filepath.Join(folder, file), &c) {
		return
	}
	if n := int64(c.Model.ContextLength); n > 0 {
		b.positions = fromFile{n, file}
	}
	if n := int64(c.Model.Decoder.HeadSize); n > 0 {
		b.headSize = fromFile{n, file}
	}
}

// addTo adds conditions for the head size and for the largest number of tokens, if files state
// them.
func (b beside) addTo(set *conditionSet, symbols []Symbol) {
	for _, s := range symbols {
		switch {
		case isHeadSize(s.Name) && b.headSize.size > 0:
			set.add(Condition{A: dim.Symbol(s.Name), B: dim.Number(b.headSize.size), Relation: shape.Equals, weight: named, Why: b.headSize.file})
		case (s.Kind == kindSequence || s.Kind == kindPast || s.Kind == kindTotal) && b.positions.size > 0:
			set.add(Condition{A: dim.Symbol(s.Name), B: dim.Number(b.positions.size), Relation: shape.AtMost, weight: named, Why: b.positions.file})
		}
	}
}

// readJSON decodes a JSON file. It returns false if the file is missing, too large, not a regular
// file, or not valid JSON. These are not errors, because the files are optional.
func readJSON(path string, into any) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer must not wait
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return err == nil && len(data) <= maxFile && json.Unmarshal(data, into) == nil
}

// count is a positive integer in JSON. Any other JSON value is decoded as 0.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	var n float64
	if json.Unmarshal(data, &n) == nil && n >= 1 && n <= maxSize && n == float64(int64(n)) {
		*c = count(n)
	}
	return nil
}

// edges are the height and width of an image in JSON. Three forms are accepted: one number for
// both, a list of two numbers, and an object with the keys height and width, or shortest_edge for
// both.
type edges struct{ height, width int64 }

// UnmarshalJSON implements json.Unmarshaler.
func (e *edges) UnmarshalJSON(data []byte) error {
	var one count
	var two []count
	var by struct {
		Height   count `json:"height"`
		Width    count `json:"width"`
		Shortest count `json:"shortest_edge"`
	}
	switch {
	case json.Unmarshal(data, &two) == nil && len(two) == 2:
		*e = edges{int64(two[0]), int64(two[1])}
	case json.Unmarshal(data, &by) == nil && by.Height > 0 && by.Width > 0:
		*e = edges{int64(by.Height), int64(by.Width)}
	case json.Unmarshal(data, &by) == nil && by.Shortest > 0:
		*e = edges{int64(by.Shortest), int64(by.Shortest)}
	case json.Unmarshal(data, &one) == nil && one > 0:
		*e = edges{int64(one), int64(one)}
	}
	return nil
}
