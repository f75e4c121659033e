package ort

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/ort/ep"
	"lathe/session/ort/fault"
)

// A Diagnosis says why an execution provider cannot be attached. It is derived from the runtime's
// message and from the files on this machine, which are searched in the order that the dynamic
// loader uses. Its JSON form is part of the command contract.
type Diagnosis struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason"` // one line
	// Missing are the libraries that were not found, among those that the provider's library needs
	// in order to load.
	Missing []MissingLibrary `json:"missing"`
	// MissingLater are missing libraries that the provider loads only when an operator first needs
	// them. Newer builds load cuDNN and cuFFT this way. Such a library cannot be the reason why the
	// provider was refused.
	MissingLater []MissingLibrary `json:"missing_later"`
	Driver       *Driver          `json:"driver"` // nil for a provider that does not use an NVIDIA GPU
	Remedy       string           `json:"remedy"` // one line; empty if none is known
	// the runtime's message on one line; empty if it gave none
	Said string `json:"said"`
}

// A MissingLibrary is a library that the loader does not find.
type MissingLibrary struct {
	Name     string `json:"name"`      // name by which it is needed: "libcudart.so.13"
	Product  string `json:"product"`   // "CUDA 13 runtime"; empty if not known
	NeededBy string `json:"needed_by"` // path of the first library that needs it
	// paths of other versions of the library, or of the same version in folders that the loader
	// does not search
	Near []string `json:"near"`
}

// String returns the reason, followed by the fix if one is known, on one line.
func (d Diagnosis) String() string {
	if d.Remedy == "" {
		return d.Reason
	}
	return d.Reason + "; " + d.Remedy
}

// DiagnoseProvider explains why a library refused a provider. It does not load the library. If the
// library is on this machine, DiagnoseProvider examines the files there. For a library on another
// machine it knows only the text of the refusal.
func DiagnoseProvider(ctx context.Context, lib Library, refused Refusal, env Env) Diagnosis {
	return diagnose(ctx, lib, refused, env, thisPlatform())
}

func diagnose(ctx context.Context, lib Library, refused Refusal, env Env, p platform) Diagnosis {
	c := &diagnosis{ctx: ctx, env: env, platform: p, lib: lib, words: readWords(refused.Reason)}
	c.Diagnosis = Diagnosis{
		Provider: refused.Provider, Missing: []MissingLibrary{}, MissingLater: []MissingLibrary{},
		Said: oneLine(refused.Reason),
	}
	switch {
	case refused.Plugin != "":
		c.readPlugin(refused.Plugin)
		c.explainFiles()
	case c.lacksProvider():
		c.explainBuild()
	case c.isLinuxFile():
		c.readFiles()
		c.explainFiles()
	default:
		c.takeWords()
		c.explainFiles()
	}
	return c.Diagnosis
}

// diagnosis is the working state of DiagnoseProvider: the Diagnosis so far and what it is derived
// from.
type diagnosis struct {
	Diagnosis
	ctx      context.Context
	env      Env
	platform platform
	lib      Library
	words    words
	loader   *loader // nil if the files are not examined
	cuda     int     // major version of CUDA that the provider is built for; 0 if not known
}

// lacksProvider reports whether the library was built without the provider.
func (c *diagnosis) lacksProvider() bool {
	if c.words.notInBuild {
		return true
	}
	p, _ := ep.Find(c.Provider)
	return isFile(c.lib.Path) && p.File != "" && !slices.Contains(providersBeside(c.lib.Path), p.File)
}

// isLinuxFile reports whether the provider is an ELF library for this platform. readFiles cannot
// read other formats.
func (c *diagnosis) isLinuxFile() bool {
	return elfMachines[c.platform] != 0 && isFile(c.lib.Path) && isFile(providerLibrary(c.lib.Path, c.Provider))
}

// readFiles examines the provider's library and all libraries that it needs. It adds those that are
// missing to c.Missing and c.MissingLater.
func (c *diagnosis) readFiles() {
	c.loader = newLoader(c.ctx, c.env, c.lib, c.platform)
	c.loader.elsewhere = unsearchedDirs(c.ctx, c.env, cmp.Or(c.env.Root, "/"))
	c.loader.load(c.lib.Path) // the runtime is loaded already, so nothing that it needs is missing
	c.loader.missing = nil
	own := providerLibrary(c.lib.Path, c.Provider)
	for _, path := range []string{providerLibrary(c.lib.Path, "shared"), own} {
		if isFile(path) {
			c.loader.load(path)
		} else {
			c.loader.miss(filepath.Base(path), c.lib.Path)
		}
	}
	needed := c.loader.needs(own)
	c.cuda = cudaVersionIn(needed)
	provider, _ := ep.Find(c.Provider)
	if provider.NVIDIA {
		c.readDriver(own)
	}
	for _, m := range c.loader.missing {
		c.Missing = append(c.Missing, c.describe(m))
	}
	for _, name := range lazilyLoaded(provider, c.cuda, needed) {
		if c.loader.find(name, nil, nil) == "" {
			c.MissingLater = append(c.MissingLater, c.describe(missing{name, own}))
		}
	}
	c.takeWords()
}

// readPlugin examines a library of execution providers that is beside ONNX Runtime, and the
// libraries that it needs, if they are on this machine.
func (c *diagnosis) readPlugin(path string) {
	if elfMachines[c.platform] != 0 && isFile(path) {
		c.loader = newLoader(c.ctx, c.env, c.lib, c.platform)
		c.loader.load(path)
		for _, m := range c.loader.missing {
			c.Missing = append(c.Missing, c.describe(m))
		}
	}
	if c.words.remedy == noDeviceRemedy && strings.Contains(filepath.Base(path), "webgpu") {
		c.words.remedy += softwareRemedy
	}
	c.takeWords()
}

// readDriver sets c.Driver. If the driver's library is not found, it is added to the missing
// libraries. The provider needs it even if it does not list it as needed, because the CUDA runtime
// then opens it by name.
func (c *diagnosis) readDriver(own string) {
	driver := findDriver(cmp.Or(c.env.Root, "/"))
	driver.Library = c.loader.find(driverLibrary, nil, nil)
	if driver.Library == "" && !c.loader.loaded[driverLibrary] {
		c.loader.miss(driverLibrary, own)
	}
	c.Driver = &driver
}

// takeWords adds the library that the loader's error message says is missing to c.Missing, unless
// it is already there.
func (c *diagnosis) takeWords() {
	name := c.words.missing
	if name == "" || slices.ContainsFunc(c.Missing, func(m MissingLibrary) bool { return m.Name == name }) {
		return
	}
	c.cuda = cmp.Or(c.cuda, cudaVersionIn([]string{name}))
	c.Missing = slices.Insert(c.Missing, 0, c.describe(missing{name: name}))
}

func (c *diagnosis) describe(m missing) MissingLibrary {
	lib := MissingLibrary{Name: m.name, Product: productOf(m.name), NeededBy: m.by, Near: []string{}}
	if c.loader != nil {
		lib.Near = c.loader.near(m.name)
	}
	return lib
}

// explainFiles sets the reason and the fix. If libraries are missing, they are the reason, because
// other faults matter only after the provider can be loaded.
func (c *diagnosis) explainFiles() {
	switch {
	case len(c.Missing) > 0:
		c.Reason = "not found: " + strings.Join(c.groups(), ", ")
		c.Remedy = c.remedies()
	case c.driverTrouble() != "":
		c.Reason, c.Remedy = c.driverTrouble(), c.driverRemedy()
	case c.words.trouble != "":
		c.Reason, c.Remedy = c.words.trouble, c.words.remedy
	case c.Said != "":
		c.Reason = cmp.Or(oneLine(fault.Parse(0, c.Said).Detail), c.Said)
	default:
		c.Reason = "nothing is missing among the libraries that it needs, and the runtime gave no reason"
	}
}

// groups returns one text for each product (such as cuDNN) whose libraries are missing. The text
// lists these libraries. If a file was found that is another version of one, or the same library in
// a folder that the loader does not search, the text names that file too.
func (c *diagnosis) groups() []string {
	var order []string
	names, near := make(map[string][]string), make(map[string]string)
	for _, m := range c.Missing {
		if !slices.Contains(order, m.Product) {
			order = append(order, m.Product)
		}
		names[m.Product] = append(names[m.Product], oneLine(m.Name))
		if len(m.Near) > 0 && near[m.Product] == "" {
			near[m.Product] = oneLine(fmt.Sprintf("; there is %s in %s", filepath.Base(m.Near[0]), filepath.Dir(m.Near[0])))
		}
	}
	groups := make([]string, len(order))
	for i, product := range order {
		groups[i] = strings.Join(names[product], ", ") + near[product]
		if product != "" {
			groups[i] = fmt.Sprintf("%s (%s)", product, groups[i])
		}
	}
	return groups
}
