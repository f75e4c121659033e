package wire

import "lathe/session/ort/ep"

// Devices asks the worker to load a plug-in, a library of execution providers, and to list the
// devices that it offers.
type Devices struct {
	Library string `cbor:"1,keyasint,omitempty"` // path
}

// Offered answers Devices.
type Offered struct {
	Devices []ep.Device `cbor:"1,keyasint,omitempty"`
}
