package graphops

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// CheckStored checks that the elements are in a field that suits their type, and that there are as
// many as type and shape require. It does not keep the elements in memory while it counts them. It
// does not check external tensors.
func (t *Tensor) CheckStored(ctx context.Context) error {
	if t.files != nil {
		return nil
	}
	if t.dtype == tensor.String {
		return t.checkStrings(ctx)
	}
	p, err := t.Data()
	if err != nil {
		return err
	}
	width := int64(varintWidth(t.stored, t.dtype))
	if width == 0 || t.stored == fieldnum.TensorRawData {
		return nil
	}
	n, err := countVarints(ctx, t.data)
	if err == nil && n*width != p.Len() {
		err = fmt.Errorf("%s %s needs %d bytes, the file has %d", t.dtype, tensor.FormatShape(t.dims), p.Len(), n*width)
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.name, err)
	}
	return nil
}

// countVarints returns the number of varints in a payload. It counts the bytes that end a varint.
func countVarints(ctx context.Context, p Payload) (n int64, err error) {
	r, b := p.Reader(), make([]byte, readAhead(p))
	for {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		k, err := r.Read(b)
		for _, c := range b[:k] {
			if c < 0x80 {
				n++
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// readAhead returns the size of the buffer for reading a payload. It is at most the size of the
// payload.
func readAhead(p Payload) int64 { return min(max(p.Len(), 1), 256<<10) }

func (t *Tensor) checkStrings(ctx context.Context) error {
	want, err := t.stringsWanted()
	if err != nil {
		return err
	}
	n, err := countStrings(ctx, t.data)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.name, err)
	}
	return t.matchStrings(want, n)
}

// countStrings returns the number of string_data fields in a payload.
func countStrings(ctx context.Context, p Payload) (n int64, err error) {
	r := bufio.NewReaderSize(p.Reader(), int(readAhead(p)))
	for {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		tag, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if _, typ := protowire.DecodeTag(tag); typ != protowire.BytesType {
			return 0, fmt.Errorf("strings have wire type %d, expected length-delimited fields", typ)
		}
		size, err := binary.ReadUvarint(r)
		if err != nil {
			return 0, err
		}
		if _, err := r.Discard(int(min(size, math.MaxInt))); err != nil {
			return 0, err
		}
		n++
	}
}
