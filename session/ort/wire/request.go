package wire

// Request is a request of a client. ID is above 0 and unique on a connection. Exactly one of the
// other fields is set; none is set in a received request of a kind that this version does not know.
//
// A Load, Run, Bind, Decode, Look or Receive that announces bytes is followed by Data frames; all other
// requests are complete.
type Request struct {
	ID         uint64      `cbor:"1,keyasint,omitempty"`
	Load       *Load       `cbor:"2,keyasint,omitempty"`
	Run        *Run        `cbor:"3,keyasint,omitempty"`
	Bind       *Bind       `cbor:"4,keyasint,omitempty"`
	Block      *Block      `cbor:"5,keyasint,omitempty"`
	Unload     *Unload     `cbor:"6,keyasint,omitempty"`
	Cancel     *Cancel     `cbor:"7,keyasint,omitempty"`
	Data       *Data       `cbor:"8,keyasint,omitempty"`
	Look       *Look       `cbor:"9,keyasint,omitempty"`
	Placement  *Placement  `cbor:"10,keyasint,omitempty"`
	Memory     *Memory     `cbor:"11,keyasint,omitempty"`
	EndProfile *EndProfile `cbor:"12,keyasint,omitempty"`
	Open       *Open       `cbor:"13,keyasint,omitempty"`
	Receive    *Receive    `cbor:"14,keyasint,omitempty"`
	Machine    *Machine    `cbor:"15,keyasint,omitempty"`
	Dump       *Dump       `cbor:"16,keyasint,omitempty"`
	StageRuns  *StageRuns  `cbor:"17,keyasint,omitempty"`
	Devices    *Devices    `cbor:"18,keyasint,omitempty"`
	Replay     *Replay     `cbor:"19,keyasint,omitempty"`
	Decode     *Decode     `cbor:"20,keyasint,omitempty"`
	Generate   *Generate   `cbor:"21,keyasint,omitempty"`
}

// IsAnsweredBy reports whether a reply ends a successful answer to the request. Each kind of request
// is answered by one kind of reply.
func (r *Request) IsAnsweredBy(end *Reply) bool {
	switch {
	case r.Load != nil && r.Load.Compile != nil:
		return end.Compiled != nil
	case r.Load != nil:
		return end.Loaded != nil
	case r.Block != nil:
		return end.Samples != nil
	case r.StageRuns != nil:
		return end.Stages != nil
	case r.Memory != nil:
		return end.MemoryUse != nil
	case r.Open != nil:
		return end.Opened != nil
	case r.Receive != nil:
		return end.Received != nil
	case r.Dump != nil:
		return end.Dumped != nil
	case r.Devices != nil:
		return end.Offered != nil
	case r.Decode != nil:
		return end.Decoding != nil
	case r.Generate != nil:
		return end.Generated != nil
	}
	return end.Done != nil
}

// Data is a frame whose payload continues the data of its request. Replies have such frames too.
type Data struct{}

// Cancel asks the worker to stop a request. It has the id of that request, and is not answered.
type Cancel struct {
	Request uint64 `cbor:"1,keyasint,omitempty"`
}

// Unload releases a session.
type Unload struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
}

// Machine requests the current state of the worker's machine: machine.State as JSON, in Content.
type Machine struct{}
