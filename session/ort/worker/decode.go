//go:build cgo

package worker

// #include <stdlib.h>
// #include "choose.h"
// #include "decode.h"
// #include "elements.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// decoder is what a session needs to generate tokens (decode.h), and what it has to release.
type decoder struct {
	handle    *C.struct_decoder
	feeds     []*feed // owned, because runs read their memory
	allocator *C.OrtAllocator
	batch     int64
	capacity  int64
	onDevice  bool
	settles   bool
	chooser   *session // chooses the tokens; nil if this happens on the host
}

func (d *decoder) release() {
	if d == nil {
		return
	}
	C.decoder_free(d.handle)
	releaseFeeds(d.feeds)
	C.ort_ReleaseAllocator(d.allocator)
}

func (s *server) decodeJob(decode *wire.Decode) (*job, error) {
	if err := checkDecode(decode); err != nil {
		return nil, err
	}
	feeds, sinks, err := s.newFeeds(decode.Fixed)
	if err != nil {
		return nil, err
	}
	j := &job{sinks: sinks, release: func() { releaseFeeds(feeds) }}
	j.run = func(ctx context.Context) (*wire.Reply, error) {
		reply := &wire.Decoding{}
		chooser, err := s.chooser(decode)
		if err != nil {
			return nil, err
		}
		_, err = s.withSession(ctx, decode.Session, func(target *session) error {
			if target.captures {
				return errors.New("a provider that captures graphs cannot decode: sizes change from run to run")
			}
			// The memory of its caches may be needed.
			target.decoder.release()
			target.decoder = nil
			yield, err := acquireChooser(ctx, chooser)
			if err != nil {
				return err
			}
			defer yield()
			d, err := target.newDecoder(decode, chooser, feeds)
			if err != nil {
				return err
			}
			feeds = nil // owned by the decoder
			target.decoder = d
			reply.CacheBytes, reply.OnDevice = int64(C.decoder_bytes(d.handle)), d.onDevice
			return nil
		})
		return &wire.Reply{Decoding: reply}, err
	}
	return j, nil
}

// chooser returns the session that chooses tokens, or nil.
func (s *server) chooser(decode *wire.Decode) (*session, error) {
	switch decode.Chooser {
	case 0:
		return nil, nil
	case decode.Session:
		return nil, errors.New("a model cannot choose its own tokens")
	}
	return s.session(decode.Chooser)
}

// acquireChooser is acquire for a session that may be nil or unloaded.
func acquireChooser(ctx context.Context, chooser *session) (yield func(), err error) {
	if chooser == nil {
		return func() {}, nil
	}
	if err := chooser.acquire(ctx); err != nil {
		return nil, err
	}
	if chooser.handle == nil {
		chooser.yield()
		return nil, errors.New("the session that chooses the tokens was unloaded")
	}
	return chooser.yield, nil
}

// checkDecode returns an error for what the functions of decode.h cannot take.
func checkDecode(d *wire.Decode) error {
	if d.Batch < 1 || d.Batch > wire.MaxSequences || d.Capacity < 1 || d.Capacity > wire.MaxPositions {
		return fmt.Errorf("decoding %d sequences of %d positions: expected 1 to %d, and 1 to %d", d.Batch, d.Capacity, wire.MaxSequences, wire.MaxPositions)
	}
	for _, in := range d.Changing {
		if err := checkInput(in, d); err != nil {
			return fmt.Errorf("input %q: %w", in.Name, err)
		}
	}
	for _, c := range d.Caches {
		if err := checkCache(c, d.Capacity); err != nil {
			return fmt.Errorf("cache %q: %w", c.Past, err)
		}
	}
	return nil
}

func checkInput(in wire.Input, d *wire.Decode) error {
	if in.Fill < wire.FillIDs || in.Fill > wire.FillValid {
		return fmt.Errorf("%d is not a kind of elements", in.Fill)
	}
	dims := make([]int64, len(in.Axes))
	for i, a := range in.Axes {
		if a.Of > wire.OfTotal || a.Size < 0 || a.Size > wire.MaxPositions {
			return fmt.Errorf("axis %d has the size %d of kind %d", i, a.Size, a.Of)
		}
		dims[i] = a.Size
		if a.Of != wire.OfNothing {
			dims[i] += d.Capacity
		}
	}
	return checkTensor(in.DType, dims)
}

// checkTensor checks the type of a tensor and its largest sizes.
func checkTensor(t tensor.DType, dims []int64) error {
	if len(dims) > wire.MaxAxes {
		return fmt.Errorf("%d axes, expected at most %d", len(dims), wire.MaxAxes)
	}
	if !t.Valid() || C.type_bytes(C.ONNXTensorElementDataType(t)) == 0 {
		return fmt.Errorf("decoding does not know how to fill elements of type %s", t)
	}
	n, err := tensor.Elements(dims)
	if err != nil {
		return err
	}
	_, err = t.ByteLen(n)
	return err
}

func checkCache(c wire.Cache, capacity int64) error {
	if c.Past == "" || c.Present == "" {
		return errors.New("a cache needs the names of a past and a present")
	}
	if c.Keep < wire.KeepShared || c.Keep > wire.KeepFirst || c.Axis < 0 || c.Axis > int64(len(c.Dims)) || c.Most < 0 {
		return fmt.Errorf("kept in the way %d, with the axis %d of %d, and at most %d positions", c.Keep, c.Axis-1, len(c.Dims), c.Most)
	}
	if c.Axis == 0 && c.Keep == wire.KeepSwapped {
		return errors.New("a cache that is swapped needs an axis with the positions")
	}
	dims := append([]int64{}, c.Dims...)
	if c.Axis > 0 {
		dims[c.Axis-1] = capacity
	}
	return checkTensor(c.DType, dims)
}

// newDecoder prepares a session to generate tokens. It takes ownership of feeds unless it returns an
// error.
func (s *session) newDecoder(decode *wire.Decode, chooser *session, feeds []*feed) (_ *decoder, err error) {
	if err := s.checkDecoder(decode); err != nil {
		return nil, err
	}
	if err := checkChooser(chooser); err != nil {
		return nil, err
	}
	if err := finishAll(feeds); err != nil {
		return nil, err
	}
	memory, err := s.outputMemory(true)
	if err != nil {
		return nil, err
	}
	d := &decoder{batch: decode.Batch, capacity: decode.Capacity, onDevice: memory != s.lib.host, settles: decode.Settle, chooser: chooser}
	defer func() {
		if err != nil {
			d.feeds = nil
			d.release()
		}
	}()
	allocator := s.lib.allocator
	if d.onDevice {
		if err := check(C.ort_CreateAllocator(s.handle, memory, &d.allocator)); err != nil {
			return nil, err
		}
		allocator = d.allocator
	}
	device := C.int(0)
	if d.onDevice {
		device = 1
	}
	d.handle = C.decoder_new(C.int64_t(d.batch), C.int64_t(d.capacity), s.lib.host, s.lib.allocator, memory, allocator, device)
	if d.handle == nil {
		return nil, errors.New("no memory for decoding")
	}
	d.feeds = feeds
	return d, d.attach(s, decode)
}

// checkDecoder returns an error unless each input of the model has exactly one source, and the outputs
// exist. The runtime does not check that when inputs are bound.
func (s *session) checkDecoder(decode *wire.Decode) error {
	var given []*feed
	wanted := []wire.Want{{Name: decode.Logits}}
	for _, in := range decode.Changing {
		given = append(given, &feed{name: in.Name})
	}
	for _, c := range decode.Caches {
		given = append(given, &feed{name: c.Past})
		wanted = append(wanted, wire.Want{Name: c.Present})
	}
	for _, v := range decode.Fixed {
		given = append(given, &feed{name: v.Name})
	}
	if err := s.checkFeeds(given); err != nil {
		return err
	}
	_, err := s.choose(wanted)
	return err
}

// checkChooser returns an error unless a session has the input and the outputs of a chooser. nil is
// allowed.
func checkChooser(s *session) error {
	if s == nil {
		return nil
	}
	if err := s.checkFeeds([]*feed{{name: C.CHOOSER_SCORES}}); err != nil {
		return err
	}
	_, err := s.choose([]wire.Want{{Name: C.CHOOSER_TOKENS}, {Name: C.CHOOSER_IDS}})
	return err
}

func (d *decoder) attach(s *session, decode *wire.Decode) error {
	for _, in := range decode.Changing {
		if err := d.addInput(in); err != nil {
			return fmt.Errorf("input %q: %w", in.Name, err)
		}
	}
	for _, c := range decode.Caches {
		if err := d.addCache(c); err != nil {
			return fmt.Errorf("cache %q: %w", c.Past, err)
		}
	}
	if d.chooser != nil {
		if err := check(C.decoder_choose(d.handle, d.chooser.handle)); err != nil {
			return err
		}
	}
	names := newNameTable(feedNames(d.feeds))
	defer names.free()
	values := make([]*C.OrtValue, len(d.feeds)+1)
	for i, f := range d.feeds {
		values[i] = f.value
	}
	logits := C.CString(decode.Logits)
	defer C.free(unsafe.Pointer(logits))
	if err := check(C.decoder_bind(d.handle, s.handle, logits, C.size_t(len(d.feeds)), names.table, &values[0])); err != nil {
		return err
	}
	return check(C.decoder_restart(d.handle, 0))
}

func (d *decoder) addInput(in wire.Input) error {
	name, err := cString(in.Name)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	var numbers [wire.MaxAxes]C.int64_t
	var of [wire.MaxAxes]C.uchar
	for i, a := range in.Axes {
		numbers[i], of[i] = C.int64_t(a.Size), C.uchar(a.Of)
	}
	element := C.ONNXTensorElementDataType(in.DType)
	return check(C.decoder_slot(d.handle, name, element, C.type_bytes(element), C.enum_fill(in.Fill), C.int64_t(in.Add), &numbers[0], &of[0], C.int(len(in.Axes))))
}

func (d *decoder) addCache(c wire.Cache) error {
	past, err := cString(c.Past)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(past))
	present, err := cString(c.Present)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(present))
	var dims [wire.MaxAxes]C.int64_t
	for i, n := range c.Dims {
		dims[i] = C.int64_t(n)
	}
	element := C.ONNXTensorElementDataType(c.DType)
	return check(C.decoder_cache(d.handle, past, present, element, C.type_bytes(element), C.enum_keep(c.Keep), &dims[0], C.int(len(c.Dims)), C.int(c.Axis)-1, C.int64_t(c.Most)))
}
