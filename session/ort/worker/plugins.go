//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"lathe/graphops/opschema"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
	"lathe/session/ort/wire"
)

// plugins are the libraries of execution providers that this process can load beside ONNX Runtime.
// A library that was loaded stays until the process ends.
type plugins struct {
	lib *library
	// find returns the libraries on this machine. It is called when a provider is first requested
	// that ONNX Runtime does not contain.
	find func() []plugin.Library

	mu     sync.Mutex
	found  func() []plugin.Library // find, called once
	loaded map[string]error        // by path: nil, or why the library cannot be loaded
	names  map[string]int          // how many plug-ins were registered under a name
}

func newPlugins(lib *library, find func() []plugin.Library) *plugins {
	if find == nil {
		find = func() []plugin.Library { return nil }
	}
	return &plugins{lib: lib, found: sync.OnceValue(find), loaded: map[string]error{}, names: map[string]int{}}
}

// offered is a device that a plug-in offers.
type offered struct {
	ep.Device
	handle *C.OrtEpDevice // belongs to the environment
	path   string         // of the plug-in
}

// offers returns the devices for a provider of a plug-in. Without a device, the error says what
// was tried; it is nil if no plug-in can have the provider.
func (p *plugins) offers(name string) ([]offered, error) {
	var failures []error
	for _, l := range p.candidates(name) {
		if err := p.load(l); err != nil {
			if l.Name == name {
				failures = append(failures, &pluginError{l.Path, err})
			}
			continue
		}
		devices, err := p.lib.devices()
		if err != nil {
			return nil, err
		}
		devices = slices.DeleteFunc(devices, func(d offered) bool { return d.Provider != name || d.path != l.Path })
		if len(devices) > 0 {
			return devices, nil
		}
		if l.Name == name {
			failures = append(failures, &pluginError{l.Path, fmt.Errorf("%s was loaded but offers no device on this machine", l.Path)})
		}
	}
	return nil, errors.Join(failures...)
}

// candidates returns the plug-ins that may have a provider: first those that state its name, then
// those that state none.
func (p *plugins) candidates(name string) []plugin.Library {
	found := p.found()
	out := slices.DeleteFunc(slices.Clone(found), func(l plugin.Library) bool { return l.Name != name })
	return append(out, slices.DeleteFunc(slices.Clone(found), func(l plugin.Library) bool { return l.Name != "" })...)
}

// named reports whether the user named a plug-in for a provider. It is then used also if ONNX
// Runtime contains the provider.
func (p *plugins) named(name string) bool {
	return slices.ContainsFunc(p.found(), func(l plugin.Library) bool { return l.Name == name && l.IsNamed() })
}

// at returns the plug-in with a path.
func (p *plugins) at(path string) plugin.Library {
	for _, l := range p.found() {
		if l.Path == path {
			return l
		}
	}
	return plugin.Library{Path: path}
}

// load loads a plug-in, unless it is loaded.
func (p *plugins) load(l plugin.Library) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err, again := p.loaded[l.Path]
	if !again {
		err = p.lib.register(p.registration(l), l.Path)
		p.loaded[l.Path] = err
	}
	return err
}

// registration returns the name under which a plug-in is registered. Some plug-ins give their
// provider this name, so it is that of the provider if it is known. ONNX Runtime refuses a name that
// is used already.
func (p *plugins) registration(l plugin.Library) string {
	name := cmp.Or(l.Name, strings.TrimSuffix(filepath.Base(l.Path), filepath.Ext(l.Path)))
	if p.names[name]++; p.names[name] > 1 {
		name = fmt.Sprintf("%s%d", name, p.names[name])
	}
	return name
}

// register makes ONNX Runtime load a plug-in.
func (l *library) register(name, path string) error {
	if err := (plugin.Library{Path: path}).Check(); err != nil {
		return err
	}
	cName := C.CString(name)
	defer C.free(unsafe.Pointer(cName))
	cPath, err := cString(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cPath))
	if err := check(C.ort_RegisterExecutionProviderLibrary(l.env, cName, cPath)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// libraryPath is the key under which ONNX Runtime adds the path of a plug-in to what the plug-in says
// about a device.
const libraryPath = "library_path"

// devices returns the devices of all plug-ins that are loaded, in ONNX Runtime's order.
func (l *library) devices() ([]offered, error) {
	var list **C.OrtEpDevice
	var count C.size_t
	if err := check(C.ort_GetEpDevices(l.env, &list, &count)); err != nil {
		return nil, err
	}
	var out []offered
	for _, d := range unsafe.Slice(list, count) {
		metadata := pairsOf(C.ort_EpDevice_EpMetadata(d))
		if metadata[libraryPath] == "" {
			continue // a provider inside of ONNX Runtime
		}
		hardware := C.ort_EpDevice_Device(d)
		vendorID := uint32(C.ort_HardwareDevice_VendorId(hardware))
		o := offered{handle: d, path: metadata[libraryPath], Device: ep.Device{
			Provider: opschema.ShortProvider(C.GoString(C.ort_EpDevice_EpName(d))),
			Version:  metadata["version"],
			Type:     typeOf(C.ort_HardwareDevice_Type(hardware)),
			Vendor:   ep.VendorOf(C.GoString(C.ort_HardwareDevice_Vendor(hardware)), vendorID),
			VendorID: vendorID,
			ID:       uint32(C.ort_HardwareDevice_DeviceId(hardware)),
			Details:  pairsOf(C.ort_HardwareDevice_Metadata(hardware)),
		}}
		for key, value := range metadata {
			if key != libraryPath && key != "version" {
				o.Details[key] = value
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// typeOf returns the name of an OrtHardwareDeviceType.
func typeOf(t C.OrtHardwareDeviceType) string {
	names := []string{"cpu", "gpu", "npu"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type %d", t)
}

// pairsOf returns key-value pairs of ONNX Runtime as a map.
func pairsOf(pairs *C.OrtKeyValuePairs) map[string]string {
	out := map[string]string{}
	if pairs == nil {
		return out
	}
	var keys, values **C.char
	var count C.size_t
	C.ort_GetKeyValuePairs(pairs, &keys, &values, &count)
	for i, key := range unsafe.Slice(keys, count) {
		out[C.GoString(key)] = C.GoString(unsafe.Slice(values, count)[i])
	}
	return out
}

// attach adds one device of a plug-in's provider to session options.
func (o offered) attach(lib *library, options *sessionOptions, p wire.Provider) error {
	keys, values := make([]string, 0, len(p.Options)), make([]string, 0, len(p.Options))
	for key, value := range p.Options {
		keys, values = append(keys, key), append(values, value)
	}
	k, v := newNameTable(keys), newNameTable(values)
	defer k.free()
	defer v.free()
	return check(C.ort_SessionOptionsAppendExecutionProvider_V2(options.handle(), lib.env, &o.handle, 1, k.table, v.table, C.size_t(len(keys))))
}

// blame returns an error of the device with the path of its plug-in. o may be nil.
func (o *offered) blame(err error) error {
	if o == nil || err == nil {
		return err
	}
	return &pluginError{o.path, err}
}

// memory returns the memory of the device, or nil if the provider works in host memory. It belongs
// to the environment.
func (o offered) memory() *C.OrtMemoryInfo {
	const deviceMemory = 0 // OrtDeviceMemoryType_DEFAULT
	return C.ort_EpDevice_MemoryInfo(o.handle, deviceMemory)
}

// choose returns the device of a plug-in on which a provider is to run. ok is false if ONNX Runtime
// itself has to attach the provider.
func (p *plugins) choose(requested wire.Provider) (chosen offered, ok bool, err error) {
	row, _ := ep.Find(requested.Name)
	name := cmp.Or(row.Name, requested.Name)
	if name == ep.CPU || slices.Contains(p.lib.compiled, name) && !p.named(name) {
		return offered{}, false, nil
	}
	devices, err := p.offers(name)
	if len(devices) == 0 {
		return offered{}, err != nil, err
	}
	plain := make([]ep.Device, len(devices))
	for i, d := range devices {
		plain[i] = d.Device
	}
	i, err := ep.Pick(plain, requested.Device)
	if err != nil {
		return offered{}, true, err
	}
	return devices[i], true, nil
}

// devicesJob loads a plug-in and lists the devices that it offers.
func (s *server) devicesJob(wanted *wire.Devices) *job {
	return &job{release: func() {}, run: func(context.Context) (*wire.Reply, error) {
		if err := s.plugins.load(s.plugins.at(wanted.Library)); err != nil {
			return nil, err
		}
		devices, err := s.lib.devices()
		if err != nil {
			return nil, err
		}
		answer := &wire.Offered{}
		for _, d := range devices {
			if d.path == wanted.Library {
				answer.Devices = append(answer.Devices, d.Device)
			}
		}
		return &wire.Reply{Offered: answer}, nil
	}}
}
