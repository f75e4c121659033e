// Command sbom writes the bill of materials of a program: the modules that are in it, as CycloneDX JSON.
//
//	go run ./.ci/sbom bin/lathe >bin/lathe.cdx.json
//
// It reads what the linker wrote into the program, and the licences from docs/dependencies.md. The same
// program always gives the same bytes: they contain no time and no random number.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
)

const document = "docs/dependencies.md"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("expected the path of one program, got %d arguments", len(args))
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	rows, err := readDependencies(document)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	b, err := billOf(info, rows)
	b.Metadata.Component.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

// bill is a document of CycloneDX.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licensed `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ownLicence is that of LICENSE.
const ownLicence = "Apache-2.0"

// settings are the settings of a build that decide what is in the program.
var settings = []string{"-tags", "-trimpath", "CGO_ENABLED", "GOARCH", "GOOS", "GOAMD64", "GOARM64"}

// billOf returns the bill of a program. It returns an error if a module has no row.
func billOf(info *debug.BuildInfo, rows []dependency) (bill, error) {
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	program := newComponent("application", info.Main.Path, info.Main.Version, ownLicence)
	for _, s := range info.Settings {
		if slices.Contains(settings, s.Key) {
			program.Properties = append(program.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	b.Metadata.Component = program
	b.Components = append(b.Components, newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause"))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		at := slices.IndexFunc(rows, func(d dependency) bool { return d.module == m.Path })
		if at < 0 {
			return b, fmt.Errorf("module %s has no row in %s; add its licence and why it is needed", m.Path, document)
		}
		c := newComponent("library", m.Path, m.Version, rows[at].licence)
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	return b, nil
}

func newComponent(kind, name, version, licence string) component {
	if version == "(devel)" { // what Go writes for a module without a version
		version = ""
	}
	c := component{Type: kind, Name: name, Version: version, Licences: make([]licensed, 1)}
	c.Licences[0].License.ID = licence
	c.PURL = "pkg:golang/" + path.Clean(name)
	if version != "" {
		c.PURL += "@" + version
	}
	c.Ref = c.PURL
	return c
}
