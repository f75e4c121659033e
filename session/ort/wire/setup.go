package wire

// Setup is the only argument of a worker started through a launcher, because some launchers do not
// preserve the words of a command line.
type Setup struct {
	// Runtime and Python are like --runtime and --python, on the worker's machine.
	Runtime     string `cbor:"1,keyasint,omitempty"`
	Python      string `cbor:"2,keyasint,omitempty"`
	MemoryLimit int64  `cbor:"3,keyasint,omitempty"`
	// SlurmStep is the Slurm job step of the client; empty for none. A worker in the same step was
	// not started by Slurm.
	SlurmStep string `cbor:"4,keyasint,omitempty"`
	// Plugins are the values of --ep-library, as paths on the worker's machine.
	Plugins []string `cbor:"5,keyasint,omitempty"`
	// Sandbox is the value of --sandbox; empty for the default.
	Sandbox string `cbor:"6,keyasint,omitempty"`
	// Find says that a provider beside the CPU is requested, so that its libraries are looked for.
	Find bool `cbor:"7,keyasint,omitempty"`
}

// EncodeSetup encodes the settings of a worker.
func EncodeSetup(s Setup) ([]byte, error) { return encoding.Marshal(s) }

// DecodeSetup reads the result of EncodeSetup.
func DecodeSetup(data []byte) (s Setup, err error) {
	err = decoding.Unmarshal(data, &s)
	return s, err
}
