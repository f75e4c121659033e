package ort

import (
	"context"
	"slices"
)

// An Attachment is what a library reports about itself after it was loaded.
type Attachment struct {
	Version   string
	Providers []string  // those that can be attached
	Refused   []Refusal // those that it was built with but that cannot be attached
}

// An Attacher loads a library in another process and tries to attach every provider that it was
// built with.
type Attacher func(ctx context.Context, lib Library) (Attachment, error)

// Attach returns a copy of libs in which every usable library was loaded by attach. Its version and
// providers are then those that the library reported, and each refused provider has a diagnosis. A
// library that cannot be loaded becomes unusable.
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
