package look

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the report as one document. It writes lists row by row: for a large model they
// have hundreds of megabytes, which encoding/json would keep in memory.
func (r *InspectReport) WriteJSON(to io.Writer) error { return r.writeJSON(to, nil) }

// writeJSON writes the report with further members that more writes.
func (r *InspectReport) writeJSON(to io.Writer, more func(w io.Writer) error) error {
	w := bufio.NewWriter(to)
	head := *r
	head.NodeList, head.ValueList, head.TensorList, head.PlaceList = nil, nil, nil, nil
	b, err := encodeJSON(head, "  ")
	if err != nil {
		return err
	}
	if _, err := w.Write(bytes.TrimSuffix(b, []byte("\n}"))); err != nil {
		return err
	}
	for _, list := range []func() error{
		func() error { return writeRows(w, "node_list", r.NodeList) },
		func() error { return writeRows(w, "value_list", r.ValueList) },
		func() error { return writeRows(w, "tensor_list", r.TensorList) },
		func() error { return writeRows(w, "place_list", r.PlaceList) },
	} {
		if err := list(); err != nil {
			return err
		}
	}
	if more != nil {
		if err := more(w); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, "\n}\n"); err != nil {
		return err
	}
	return w.Flush()
}

// writeRows writes a list as a member of an open object, one row in a line. It writes nothing for a
// nil list.
func writeRows[T any](w io.Writer, name string, rows *[]T) error {
	if rows == nil {
		return nil
	}
	if _, err := fmt.Fprintf(w, ",\n  %q: [", name); err != nil {
		return err
	}
	between := "\n    "
	for _, row := range *rows {
		b, err := encodeJSON(row, "")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", between, b); err != nil {
			return err
		}
		between = ",\n    "
	}
	_, err := io.WriteString(w, "\n  ]")
	return err
}

// encodeJSON returns a value as JSON without a line break at the end.
func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
