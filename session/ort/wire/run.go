package wire

import "lathe/graphops/tensor"

// Run feeds inputs and requests outputs; all of them completely if none is named.
type Run struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
	// The bytes of Feeds follow as Data, one value after the other, followed by those of the values
	// in Want.
	Feeds []Value `cbor:"2,keyasint,omitempty"`
	Want  []Want  `cbor:"3,keyasint,omitempty"`
	// Hold keeps the requested values for Look, replacing those of an earlier run.
	Hold bool `cbor:"4,keyasint,omitempty"`
}

// Look requests values that the last run with Hold kept.
type Look struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
	Want    []Want `cbor:"2,keyasint,omitempty"` // the bytes of its values follow as Data
}

// Want is a value and what is requested of it.
type Want struct {
	Name     string   `cbor:"1,keyasint,omitempty"`
	Elements bool     `cbor:"2,keyasint,omitempty"`
	Profile  bool     `cbor:"3,keyasint,omitempty"`
	Extent   bool     `cbor:"4,keyasint,omitempty"`
	First    int64    `cbor:"5,keyasint,omitempty"` // this many elements from the start
	Grid     *Grid    `cbor:"6,keyasint,omitempty"`
	Window   *Window  `cbor:"7,keyasint,omitempty"`
	Against  *Against `cbor:"8,keyasint,omitempty"`
	Bins     *Bins    `cbor:"9,keyasint,omitempty"`
}

// Bins are the bins of a histogram, as in calibration.Bins: of equal width, or with given edges.
type Bins struct {
	DType      tensor.DType `cbor:"1,keyasint,omitempty"`
	Magnitudes bool         `cbor:"2,keyasint,omitempty"`
	Even       int64        `cbor:"3,keyasint,omitempty"` // the number of bins from First to Last; 0 if there are Edges
	// First and Last are sent even if they are 0, so that the sign of a zero is kept.
	First float64   `cbor:"4,keyasint"`
	Last  float64   `cbor:"5,keyasint"`
	Edges []float64 `cbor:"6,keyasint,omitempty"`
}

// View is a view of a tensor as a matrix, as in tensor.View.
type View struct {
	Down   int64   `cbor:"1,keyasint,omitempty"`
	Across int64   `cbor:"2,keyasint,omitempty"`
	At     []int64 `cbor:"3,keyasint,omitempty"`
}

// Grid requests a heat map of a view.
type Grid struct {
	View    View  `cbor:"1,keyasint,omitempty"`
	Rows    int64 `cbor:"2,keyasint,omitempty"`
	Columns int64 `cbor:"3,keyasint,omitempty"`
}

// Window requests some rows and columns of a view.
type Window struct {
	View    View  `cbor:"1,keyasint,omitempty"`
	Row     int64 `cbor:"2,keyasint,omitempty"`
	Column  int64 `cbor:"3,keyasint,omitempty"`
	Rows    int64 `cbor:"4,keyasint,omitempty"`
	Columns int64 `cbor:"5,keyasint,omitempty"`
}

// Against is the value with which another one is compared. Either Value is sent with the request,
// or a session of the same worker keeps the value under the name Held.
type Against struct {
	Value   *Value  `cbor:"1,keyasint,omitempty"`
	Session uint64  `cbor:"2,keyasint,omitempty"`
	Held    string  `cbor:"3,keyasint,omitempty"`
	RTol    float64 `cbor:"4,keyasint,omitempty"`
	ATol    float64 `cbor:"5,keyasint,omitempty"`
}
