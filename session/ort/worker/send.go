//go:build cgo

package worker

import (
	"context"
	"fmt"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// sendOutput sends what want requests of an output. Elements are sent directly from the runtime's
// memory.
func (s *server) sendOutput(ctx context.Context, id uint64, o *output, want *wire.Want, against *tensor.Tensor) error {
	c, err := o.open()
	if err != nil {
		return err
	}
	defer c.close()
	parts, err := partsOf(ctx, c.tensors, want, against)
	if err != nil {
		return err
	}
	found, err := wire.EncodeParts(parts)
	if err != nil {
		return err
	}
	c.announced.PartBytes = int64(len(found))
	var data [][]byte
	if want.Elements {
		data = announceElements(c.announced, c.tensors)
	} else {
		makeBare(c.announced)
	}
	return s.sendValue(ctx, id, c.announced, append(data, found))
}

// announceElements returns the bytes of each tensor and stores their number in announced.
func announceElements(announced *wire.Value, tensors []placed) (data [][]byte) {
	for i, v := range tensorsOf(announced, nil) {
		content := tensors[i].tensor.Data
		if tensors[i].tensor.DType == tensor.String {
			content = wire.EncodeStrings(tensors[i].tensor.Strings)
		}
		v.Bytes = int64(len(content))
		data = append(data, content)
	}
	return data
}

// tensorsOf appends the tensors that a value consists of to list, in order.
func tensorsOf(v *wire.Value, list []*wire.Value) []*wire.Value {
	if v.Kind == kindNameTensor {
		return append(list, v)
	}
	for i := range v.Items {
		list = tensorsOf(&v.Items[i], list)
	}
	return list
}

func makeBare(v *wire.Value) {
	for _, t := range tensorsOf(v, nil) {
		t.Bare = true
	}
}

func (s *server) sendValue(ctx context.Context, id uint64, announced *wire.Value, data [][]byte) error {
	if err := s.out.Send(&wire.Reply{ID: id, Value: announced}, nil); err != nil {
		return fmt.Errorf("its description: %w", err)
	}
	return s.sendData(ctx, id, data)
}

// sendData sends bytes in frames of at most wire.MaxPayload bytes.
func (s *server) sendData(ctx context.Context, id uint64, data [][]byte) error {
	for _, content := range data {
		for len(content) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := content[:min(len(content), wire.MaxPayload)]
			s.send(&wire.Reply{ID: id, Data: &wire.Data{}}, part)
			content = content[len(part):]
		}
	}
	return nil
}
