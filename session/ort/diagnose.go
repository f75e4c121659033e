package ort

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Diagnosis says why an execution provider does not attach: as far as the files on this machine
// tell, read as the loader would read them, and as far as the runtime's own words do. Its fields
// marshal as the command contract says.
type Diagnosis struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason"` // a line
	// Missing are the libraries without which the provider's own does not load.
	Missing []MissingLibrary `json:"missing"`
	// MissingLater are those that it loads when an operator first needs them, as newer builds do
	// with cuDNN and cuFFT. They are never the reason.
	MissingLater []MissingLibrary `json:"missing_later"`
	Driver       *Driver          `json:"driver"` // nil for a provider that needs none of NVIDIA
	Remedy       string           `json:"remedy"` // a line; empty where none is known
	Said         string           `json:"said"`   // the runtime's words, made a line; empty if it had none
}

// A MissingLibrary is one that the loader does not find.
type MissingLibrary struct {
	Name     string   `json:"name"`      // as others need it: "libcudart.so.13"
	Product  string   `json:"product"`   // "CUDA 13 runtime"; empty for what is not known
	NeededBy string   `json:"needed_by"` // path of the first library that needs it
	Near     []string `json:"near"`      // paths of other versions of it, or of it where the loader does not look
}

// String is one line: the reason, and what to do.
func (d Diagnosis) String() string {
	if d.Remedy == "" {
		return d.Reason
	}
	return d.Reason + "; " + d.Remedy
}

// DiagnoseProvider explains why a library refused a provider. It loads nothing. The library's
// files are read where they are on this machine; those of a worker elsewhere are not, and the
// refusal's words are all there is to go by.
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

// A diagnosis is one under way.
type diagnosis struct {
	Diagnosis
	ctx      context.Context
	env      Env
	platform platform
	lib      Library
	words    words
	loader   *loader // nil where the files are not looked at
	cuda     int     // major version of the CUDA that the provider is built for; 0: not known
}

// ownLibrary are the providers that are always in a library of their own beside the runtime's.
var ownLibrary = []string{"cann", "cuda", "dnnl", "migraphx", "nv_tensorrt_rtx", "openvino", "qnn", "tensorrt", "vitisai"}

// fileProvider is the name of a provider as files spell it.
func fileProvider(name string) string {
	if name == "nvtensorrtrtx" {
		return "nv_tensorrt_rtx"
	}
	return name
}

// lacksProvider reports whether the build has no such provider at all.
func (c *diagnosis) lacksProvider() bool {
	if c.words.notInBuild {
		return true
	}
	name := fileProvider(c.Provider)
	return isFile(c.lib.Path) && slices.Contains(ownLibrary, name) && !slices.Contains(providersBeside(c.lib.Path), name)
}

// isLinuxFile reports whether the provider is a file of the only kind whose needs can be read.
func (c *diagnosis) isLinuxFile() bool {
	return elfMachines[c.platform] != 0 && isFile(c.lib.Path) && isFile(providerLibrary(c.lib.Path, fileProvider(c.Provider)))
}

// readFiles follows what the provider's library needs.
func (c *diagnosis) readFiles() {
	c.loader = newLoader(c.ctx, c.env, c.lib, c.platform)
	c.loader.elsewhere = unsearchedDirs(c.ctx, c.env, cmp.Or(c.env.Root, "/"))
	c.loader.load(c.lib.Path) // it is loaded, and so is all that it needs
	c.loader.missing = nil
	own := providerLibrary(c.lib.Path, fileProvider(c.Provider))
	for _, path := range []string{providerLibrary(c.lib.Path, "shared"), own} {
		if isFile(path) {
			c.loader.load(path)
		} else {
			c.loader.miss(filepath.Base(path), c.lib.Path)
		}
	}
	needed := c.loader.needs(own)
	c.cuda = cudaVersionIn(needed)
	if c.needsNVIDIA() {
		c.readDriver(own)
	}
	for _, m := range c.loader.missing {
		c.Missing = append(c.Missing, c.describe(m))
	}
	for _, name := range lazilyLoaded(c.Provider, c.cuda, needed) {
		if c.loader.find(name, nil, nil) == "" {
			c.MissingLater = append(c.MissingLater, c.describe(missing{name, own}))
		}
	}
	c.takeWords()
}

// readDriver looks for the driver, which the CUDA runtime opens by name where the provider itself
// does not need it.
func (c *diagnosis) readDriver(own string) {
	driver := findDriver(cmp.Or(c.env.Root, "/"))
	driver.Library = c.loader.find(driverLibrary, nil, nil)
	if driver.Library == "" && !c.loader.loaded[driverLibrary] {
		c.loader.miss(driverLibrary, own)
	}
	c.Driver = &driver
}

// takeWords adds the library that the loader says it misses, unless it was found missing by itself.
func (c *diagnosis) takeWords() {
	name := c.words.missing
	if name == "" || slices.ContainsFunc(c.Missing, func(m MissingLibrary) bool { return m.Name == name }) {
		return
	}
	c.cuda = cmp.Or(c.cuda, cudaVersionIn([]string{name}))
	c.Missing = slices.Insert(c.Missing, 0, c.describe(missing{name: name}))
}

func (c *diagnosis) needsNVIDIA() bool {
	return slices.Contains([]string{"cuda", "tensorrt", "nvtensorrtrtx", "nv_tensorrt_rtx"}, c.Provider)
}

func (c *diagnosis) describe(m missing) MissingLibrary {
	lib := MissingLibrary{Name: m.name, Product: productOf(m.name), NeededBy: m.by, Near: []string{}}
	if c.loader != nil {
		lib.Near = c.loader.near(m.name)
	}
	return lib
}

// explainFiles says what of all that was found is the reason. What is missing comes first: nothing
// else matters before it is there.
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
		c.Reason = c.Said
	default:
		c.Reason = "nothing is missing among the libraries that it needs, and the runtime gave no reason"
	}
}

// groups are the missing libraries, those of one product together, with what is there in its place.
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
