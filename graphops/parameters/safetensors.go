package parameters

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// safetensorsTypes maps the element types of safetensors to those of ONNX.
var safetensorsTypes = map[string]tensor.DType{
	"BOOL": tensor.Bool, "U8": tensor.U8, "I8": tensor.I8, "U16": tensor.U16, "I16": tensor.I16,
	"U32": tensor.U32, "I32": tensor.I32, "U64": tensor.U64, "I64": tensor.I64,
	"F16": tensor.F16, "BF16": tensor.BF16, "F32": tensor.F32, "F64": tensor.F64, "C64": tensor.C64,
	"F8_E4M3": tensor.F8E4M3FN, "F8_E4M3FNUZ": tensor.F8E4M3FNUZ, "F8_E5M2": tensor.F8E5M2, "F8_E5M2FNUZ": tensor.F8E5M2FNUZ,
	"F8_E8M0": tensor.F8E8M0, "F6_E2M3": tensor.F6E2M3, "F6_E3M2": tensor.F6E3M2, "F4": tensor.F4E2M1,
}

// metadataKey is the only member of the header that does not describe a tensor.
const metadataKey = "__metadata__"

// lengthBytes is the size of the number at the start of a safetensors file, which is the length of
// the header.
const lengthBytes = 8

// safetensorsHeader is the decoded header of a safetensors file, which describes its tensors.
type safetensorsHeader struct {
	file     *graphops.File
	data     int64 // where the elements start
	entries  []Entry
	metadata []graphops.Entry
	extents  extents // relative to data
}

// readSafetensors reads a single safetensors file.
func readSafetensors(f *graphops.File) (*Set, error) {
	h, err := readSafetensorsHeader(f)
	if err != nil {
		return nil, err
	}
	return &Set{Path: f.Path(), Kind: Safetensors, Files: []*graphops.File{f}, Entries: h.entries, Metadata: h.metadata}, nil
}

func readSafetensorsHeader(f *graphops.File) (*safetensorsHeader, error) {
	var length [lengthBytes]byte
	if _, err := f.ReadAt(length[:], 0); err != nil {
		return nil, fmt.Errorf("the length of the header is cut off: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	switch left := f.Size() - lengthBytes; {
	case n > maxHeader:
		return nil, fmt.Errorf("the header has %d bytes, the format allows at most %d", n, maxHeader)
	case n > uint64(left):
		return nil, fmt.Errorf("truncated: the header should have %d bytes, but only %d bytes follow its length", n, left)
	}
	h := &safetensorsHeader{file: f, data: lengthBytes + int64(n)}
	d := newDocument(io.NewSectionReader(f, lengthBytes, int64(n)))
	d.object(func(key string) {
		if key == metadataKey {
			h.readMetadata(d)
			return
		}
		h.readEntry(d, key)
	})
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return h, h.extents.whole(f.Size() - h.data)
}

func (h *safetensorsHeader) readMetadata(d *document) {
	d.object(func(key string) { h.metadata = append(h.metadata, graphops.Entry{Key: key, Value: d.text()}) })
}

// readEntry reads the description of a tensor and checks it against the size of the file.
func (h *safetensorsHeader) readEntry(d *document, name string) {
	e := Entry{Name: name}
	var offsets []int64
	d.object(func(key string) {
		switch key {
		case "dtype":
			e.TypeName = d.text()
		case "shape":
			e.Dims = d.numbers(maxRank)
		case "data_offsets":
			offsets = d.numbers(2)
		default:
			d.skip() // later versions may add members
		}
	})
	if d.err != nil {
		return
	}
	if err := h.add(e, offsets); err != nil {
		d.fail("tensor %q: %w", brief(name), err)
	}
}

func (h *safetensorsHeader) add(e Entry, offsets []int64) error {
	switch {
	case e.TypeName == "" || e.Dims == nil || len(offsets) != 2:
		return errors.New("dtype, shape or the two data_offsets are missing")
	case offsets[0] > offsets[1]:
		return fmt.Errorf("data_offsets end at %d before they begin at %d", offsets[1], offsets[0])
	case offsets[1] > h.file.Size()-h.data:
		return fmt.Errorf("data_offsets end at %d, but the file has only %d bytes of data; it is cut off, or its header is wrong", offsets[1], h.file.Size()-h.data)
	}
	took := offsets[1] - offsets[0]
	var known bool
	if e.DType, known = safetensorsTypes[e.TypeName]; known {
		if err := e.sized(); err != nil {
			return err
		}
		if e.Bytes != took {
			return fmt.Errorf("%s %s needs %d bytes, but data_offsets give it %d", e.DType, tensor.FormatShape(e.Dims), e.Bytes, took)
		}
	} else {
		e.Bytes, e.unusable = took, fmt.Errorf("element type %q has no counterpart in ONNX, or is newer than this program; store the tensor as F32", brief(e.TypeName))
	}
	h.extents = append(h.extents, extent{e.Name, offsets[0], offsets[1]})
	var err error
	e.payload, err = h.file.Range(h.data+offsets[0], took)
	h.entries = append(h.entries, e)
	return err
}
