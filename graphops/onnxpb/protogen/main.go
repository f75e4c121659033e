// Command protogen generates Go messages from .proto files. It needs no protoc:
// protocompile parses the files, and the protoc-gen-go that go.mod pins writes
// the Go source.
//
// Usage:
//
//	protogen -package IMPORTPATH [-out DIR] FILE.proto...
//
// All files belong to the one Go package. They import each other as
// IMPORTPATH/FILE.proto, which is also the name they are registered under, so
// that files of the same name in different packages do not collide.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stderr))
}

// run returns the exit code: 0 done, 1 failed, 2 wrong usage.
func run(ctx context.Context, args []string, errOut io.Writer) int {
	flags := flag.NewFlagSet("protogen", flag.ContinueOnError)
	flags.SetOutput(errOut)
	pkg := flags.String("package", "", "import `path` of the Go package (required)")
	out := flags.String("out", ".", "`directory` to write FILE.pb.go to")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *pkg == "" || flags.NArg() == 0 {
		fmt.Fprintln(errOut, "protogen: -package and at least one .proto file are required")
		return 2
	}
	if err := generate(ctx, *pkg, *out, flags.Args()); err != nil {
		fmt.Fprintln(errOut, "protogen:", err)
		return 1
	}
	return 0
}

func generate(ctx context.Context, pkg, outDir string, protoFiles []string) error {
	req, err := request(ctx, pkg, protoFiles)
	if err != nil {
		return err
	}
	sources, err := runPlugin(ctx, req)
	if err != nil {
		return err
	}
	for name, content := range sources {
		if err := os.WriteFile(filepath.Join(outDir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
