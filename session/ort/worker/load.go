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
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"

	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
	"lathe/session/ort/wire"
)

// source is one model: its file or its bytes.
type source interface {
	// create creates a session with the given options.
	create(l *library, options *C.OrtSessionOptions, out **C.OrtSession) error
	// compiled makes the model the one that the given options compile. They refer to bytes that are
	// pinned.
	compiled(options *C.OrtModelCompilationOptions, pin *runtime.Pinner) error
}

// fromPath is a model in a file.
type fromPath string

func (path fromPath) create(l *library, options *C.OrtSessionOptions, out **C.OrtSession) error {
	cPath, err := cString(string(path))
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cPath))
	return check(C.ort_CreateSession(l.env, cPath, options, out))
}

// fromBytes returns a model in memory.
type fromBytes func() []byte

var errNoBytes = errors.New("the model has no bytes")

func (model fromBytes) create(l *library, options *C.OrtSessionOptions, out **C.OrtSession) error {
	data := model()
	if len(data) == 0 {
		return errNoBytes
	}
	return check(C.ort_CreateSessionFromArray(l.env, unsafe.Pointer(&data[0]), C.size_t(len(data)), options, out))
}

// loader creates a session with the first provider of a chain that can be attached.
type loader struct {
	lib     *library
	plugins *plugins
	load    *wire.Load
	kept    *storage
	logID   string // id for the session's log messages
	source  source
	// prepare sets source if the model first has to be built from a structure. Otherwise it does
	// nothing.
	prepare func() error
	// report sends the client a description of what the loader is about to do, so that the client
	// knows it if the worker crashes.
	report func(activity string)
}

// loaded is a session and what is reported to the client about its creation. session is nil if the
// model was compiled instead.
type loaded struct {
	session  *session
	provider string
	refused  []wire.Refusal
	took     time.Duration  // time to create the session, or to compile, only
	log      []wire.LogLine // warnings and errors
	unknown  []string       // options that the library of the provider does not know
}

// run tries the providers of the chain in order and returns the first session that can be created.
// If the last provider could be attached but the model fails on it, run returns the error of the
// model. Otherwise it returns a *refusedError with the reasons of all providers.
func (l *loader) run(ctx context.Context) (*loaded, error) {
	chain := l.load.Options.Providers
	if len(chain) == 0 {
		chain = []wire.Provider{{Name: ep.CPU}}
	}
	var refused []wire.Refusal
	for i, p := range chain {
		done, err := l.try(ctx, p)
		if err == nil {
			done.refused = refused
			return done, nil
		}
		var attaching *attachError
		last := i == len(chain)-1
		if ctx.Err() != nil || last && !errors.As(err, &attaching) {
			return nil, err
		}
		refused = append(refused, wire.Refusal{Provider: p.Name, Reason: reason(err), Plugin: pluginOf(err)})
	}
	return nil, &refusedError{refused}
}

// attachError is an error that the provider causes and not the model.
type attachError struct {
	err  error
	said string // log messages of that time; only they say why a library does not load
}

// pluginError is an error of a library of execution providers beside ONNX Runtime.
type pluginError struct {
	path string
	err  error
}

func (e *pluginError) Error() string { return e.err.Error() }

func (e *pluginError) Unwrap() error { return e.err }

// pluginOf returns the path of the plug-in that causes an error, or "".
func pluginOf(err error) string {
	var of *pluginError
	if errors.As(err, &of) {
		return of.path
	}
	return ""
}

func (e *attachError) Error() string { return e.err.Error() }

func (e *attachError) Unwrap() error { return e.err }

// complaints returns the errors that the runtime has logged since the last call, for the session
// and for the environment.
func (l *loader) complaints() string {
	var said []string
	for _, id := range []string{environmentID, l.logID} {
		for _, line := range takeLog(id) {
			if line.Severity > logWarning {
				said = append(said, line.Message)
			}
		}
	}
	return strings.Join(said, "\n")
}

func (l *loader) try(ctx context.Context, p wire.Provider) (*loaded, error) {
	l.complaints() // drops the messages of the previous provider
	if libraries := l.load.Options.CustomOps; len(libraries) > 0 {
		l.report(wire.Registering + strings.Join(libraries, ", "))
	}
	options, err := newOptions(l.load, l.logID, l.kept)
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	if l.load.Options.Placement && p.Name != ep.CPU {
		if err := options.setSeverity(logVerbose); err != nil {
			return nil, err
		}
	}
	l.report("attaching " + p.Name)
	plug, err := l.attach(options, p)
	if err != nil {
		return nil, &attachError{err, l.complaints()}
	}
	done, err := l.make(ctx, options, p)
	if done != nil && done.session != nil && plug != nil {
		done.session.plug = plug
		done.unknown = plugin.Library{Path: plug.path}.Unknown(p.Options)
	}
	if err != nil && ctx.Err() == nil && p.Name != ep.CPU && !l.lib.carriesAnything(options.SessionOptions) {
		return nil, &attachError{plug.blame(err), l.complaints()}
	}
	return done, err
}

// make creates the session, or compiles the model, as the client requested.
func (l *loader) make(ctx context.Context, options *sessionOptions, p wire.Provider) (*loaded, error) {
	if l.load.Compile != nil {
		l.report("compiling the model for " + p.Name)
		return l.compile(ctx, options, p)
	}
	l.report("creating the session on " + p.Name)
	return l.createDumping(ctx, options, p)
}

// attach adds a provider to the options. The result is the device if a plug-in has the provider, and
// otherwise nil.
func (l *loader) attach(options *sessionOptions, p wire.Provider) (*offered, error) {
	for key, value := range p.Options {
		if strings.ContainsRune(key+value, 0) {
			return nil, fmt.Errorf("option %q holds a NUL character", key)
		}
	}
	if l.load.Options.Wait {
		if err := block(p.Name); err != nil {
			return nil, err
		}
	}
	device, found, err := l.plugins.choose(p)
	switch {
	case err != nil:
		return nil, err
	case found:
		return &device, device.blame(device.attach(l.lib, options, p))
	}
	numbered, err := withNumber(p)
	if err != nil {
		// A provider that ONNX Runtime lacks is the first problem.
		return nil, cmp.Or(attach(options.SessionOptions, p), err)
	}
	return nil, attach(options.SessionOptions, numbered)
}

// block sets the environment variables with which a provider waits for its device. Setting one in Go
// sets it for C too.
func block(provider string) error {
	known, _ := ep.Find(provider)
	for _, setting := range known.Blocking {
		name, value, _ := strings.Cut(setting, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// createDumping creates a session, which also writes its optimized graph if the client requested
// that.
func (l *loader) createDumping(ctx context.Context, options *sessionOptions, p wire.Provider) (*loaded, error) {
	if !l.load.Options.Dump {
		return l.create(ctx, options, p)
	}
	if err := options.enableDump(l.load, false); err != nil {
		return nil, err
	}
	done, err := l.create(ctx, options, p)
	if !tooLargeToDump(err) || ctx.Err() != nil {
		return done, err
	}
	options.dump.remove()
	if err := options.enableDump(l.load, true); err != nil {
		return nil, err
	}
	return l.create(ctx, options, p)
}

// carriesAnything reports whether a minimal model can be loaded with the given options. If not, the
// provider in them is at fault, and not the model that failed to load.
func (l *library) carriesAnything(options *binding.SessionOptions) bool {
	model := ort.IdentityModel()
	var made *C.OrtSession
	status := C.ort_CreateSessionFromArray(l.env, unsafe.Pointer(&model[0]), C.size_t(len(model)), optionsHandle(options), &made)
	C.ort_ReleaseSession(made)
	return check(status) == nil
}

func (l *loader) create(ctx context.Context, options *sessionOptions, p wire.Provider) (*loaded, error) {
	handle := optionsHandle(options.SessionOptions)
	stop := onCancel(ctx, func() { _ = check(C.ort_SessionOptionsSetLoadCancellationFlag(handle, true)) })
	var made *C.OrtSession
	start := time.Now()
	err := l.source.create(l.lib, handle, &made)
	took := time.Since(start)
	stop()
	if err != nil {
		return nil, err
	}
	s, err := newSession(l.lib, made)
	if err != nil {
		return nil, err
	}
	s.provider, s.deviceID, s.profile, s.logID = p.Name, deviceOf(p), options.profile, l.logID
	s.captures = captures(p)
	s.dump = options.dump
	options.profile, options.dump = "", dump{} // owned by the session now
	said := takeLog(l.logID)
	if s.placement = l.load.Options.Placement; s.placement || s.dump.folder != "" {
		s.log = said
	}
	warnings := slices.DeleteFunc(slices.Clone(said), func(line wire.LogLine) bool { return line.Severity < logWarning })
	return &loaded{session: s, provider: s.provider, took: took, log: warnings}, nil
}

// reason returns the text of err and the log messages that belong to it. It leaves out the error
// code, for which a refusal has no field.
func reason(err error) string {
	text := wireError(err).Message
	var attaching *attachError
	if errors.As(err, &attaching) && attaching.said != "" && !strings.Contains(text, attaching.said) {
		text += "\n" + attaching.said
	}
	return text
}
