package graphops

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// outline has the numbers of top-level fields in a file that may be a protobuf message. The message
// may be an ONNX model or have another format.
type outline struct {
	numbers  [smallField]int     // number of varint fields, by field number
	messages [smallField]int     // number of length-delimited fields
	first    [smallField]Payload // the content of the first of these
	highest  protowire.Number    // of any field
	broken   bool                // it is not a message, or ends inside a field
}

// smallField is the limit of the field numbers that an outline counts: it counts those below.
const smallField = 32

// outlineOf skips over the top-level fields of a file without reading their contents, so that a
// large file that is not a model is rejected as fast as a small one. If the file has no complete
// graph, it returns an error.
func outlineOf(src *source) (*outline, error) {
	o := &outline{}
	if src.size > MaxModelBytes {
		o.broken = true
		return o, errTooLarge
	}
	c := fileCursor(src, fileLimits.window)
	for c.more() {
		if err := o.field(c); err != nil {
			o.broken = true
			return o, err
		}
	}
	return o, o.check()
}

// field counts one field and skips it.
func (o *outline) field(c *cursor) error {
	num, typ, err := c.tag()
	if err != nil {
		return damaged(err)
	}
	o.highest = max(o.highest, num)
	if typ != protowire.BytesType {
		if num < smallField && typ == protowire.VarintType {
			o.numbers[num]++
		}
		_, err := c.scalar(num, typ, 0)
		return damaged(err)
	}
	n, err := c.varint()
	if err != nil {
		return damaged(err)
	}
	if left := c.left(); n > uint64(left) {
		if num == fieldnum.ModelGraph && n <= MaxModelBytes {
			return fmt.Errorf("truncated: the graph takes %d bytes, the file ends after %d of them; fetch it again", n, left)
		}
		return damaged(fmt.Errorf("byte %d: a field claims %d bytes, %d are left", c.at(), n, left))
	}
	content := c.payload(int64(n))
	if num < smallField {
		if o.messages[num] == 0 {
			o.first[num] = content
		}
		o.messages[num]++
	}
	return nil
}

func (o *outline) check() error {
	switch {
	case o.messages[fieldnum.ModelGraph] > 0:
		return nil
	case o.numbers[fieldnum.ModelIRVersion] == 0 && o.messages[fieldnum.ModelOpsetImport] == 0:
		return errors.New("not an ONNX model: it has no graph, no IR version and no opset")
	}
	return errors.New("the model has no graph; nothing can be shown or run")
}

func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("truncated, or not an ONNX model: %w", err)
	case err != nil:
		return fmt.Errorf("damaged, or not an ONNX model: %w", err)
	}
	return nil
}
