package ort

import (
	"context"
	"slices"
)

// An Attachment is what a library says of itself once it is loaded.
type Attachment struct {
	Version   string
	Providers []string  // those that attach
	Refused   []Refusal // those that it was built with and that do not
}

// An Attacher loads a library in another process and has it attach every provider that it was built
// with.
type Attacher func(ctx context.Context, lib Library) (Attachment, error)

// Attach asks about every usable library and replaces what was read from its file by the answer,
// with a diagnosis of each provider that was refused. A library that does not load becomes
// unusable. The argument is not changed.
func Attach(ctx context.Context, env Env, libs []Library, attach Attacher) []Library {
	libs = slices.Clone(libs)
	for i := range libs {
		lib := &libs[i]
		if !lib.Usable {
			continue
		}
		got, err := attach(ctx, *lib)
		if err == nil {
			lib.Version, lib.Providers = got.Version, slices.Clone(got.Providers)
			err = checkVersion(got.Version)
		}
		if err != nil {
			lib.Usable, lib.Reason, lib.Providers = false, err.Error(), []string{}
			continue
		}
		lib.Refused = []Diagnosis{}
		for _, r := range got.Refused {
			lib.Refused = append(lib.Refused, DiagnoseProvider(ctx, *lib, r, env))
		}
	}
	return libs
}
